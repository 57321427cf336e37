// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bees fly a step: places change by speeds, and bees that are tired slow down.
 *
 * case: bees::Bee split 300000 500
 * case: bees::Bee split 200 5000000
 */
#[derive(Clone, Default)]
#[repr(C)]
pub struct Tag { mark: [u8; 24], hive: u64, parents: [u32; 2], born: u64, weight: f64, trips: [u32; 6] }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Bee { mark: [u8; 24], x: f32, hive: u64, parents: [u32; 2], born: u64, dx: f32, weight: f64, trips: [u32; 6], tired: f32 }
#[cfg(new)]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Bee { x: f32, dx: f32, tired: f32 }
#[inline(never)]
fn fly(bees: &mut [Bee], step: f32) {
    for b in bees.iter_mut() {
        b.x += b.dx * step;
        b.dx -= b.tired * 0.001;
    }
}
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut bees = vec![Bee::default(); n];
    #[cfg(new)]
    let mut tags = vec![Tag::default(); n];
    for i in 0..n {
        bees[i].dx = (i % 13) as f32; bees[i].tired = (i % 7) as f32 * 0.01;
        #[cfg(new)] { tags[i].born = i as u64; tags[i].mark[0] = 1; tags[i].weight = 0.1; }
        #[cfg(not(new))] { bees[i].born = i as u64; bees[i].mark[0] = 1; bees[i].weight = 0.1; }
    }
    for _ in 0..a[1] { fly(&mut bees, 0.125); }
    let mut sum = 0.0f64;
    for i in 0..n {
        sum += bees[i].x as f64;
        #[cfg(new)] { sum += tags[i].born as f64 + tags[i].weight; }
        #[cfg(not(new))] { sum += bees[i].born as f64 + bees[i].weight; }
    }
    println!("{}", sum);
}
