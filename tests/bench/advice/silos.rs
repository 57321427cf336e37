// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Silos are filled and emptied by two loops, each with fields of its own.
 *
 * case: silos::Silo peel 300000 500
 */
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
struct Silo { place: [u8; 20], level: f32, flow: f32, grain: u32, owner: [u64; 4], price: f64, sold: f64, built: u64 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Silo { level: f32, flow: f32 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Sale { price: f64, sold: f64 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Rest { place: [u8; 20], grain: u32, owner: [u64; 4], built: u64 }
#[inline(never)]
fn fill(all: &mut [Silo]) { for s in all.iter_mut() { s.level += s.flow; if s.level > 1e6 { s.level = 0.0; } } }
#[cfg(not(new))]
#[inline(never)]
fn sell(all: &[Silo]) -> f64 { let mut sum = 0.0; for s in all { sum += s.price * s.sold; } sum }
#[cfg(new)]
#[inline(never)]
fn sell(all: &[Sale]) -> f64 { let mut sum = 0.0; for s in all { sum += s.price * s.sold; } sum }
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut all = vec![Silo::default(); n];
    #[cfg(new)] let mut sales = vec![Sale::default(); n];
    #[cfg(new)] let mut rest = vec![Rest::default(); n];
    for i in 0..n {
        all[i].flow = (i % 9) as f32;
        #[cfg(not(new))] { all[i].price = (i % 70) as f64; all[i].sold = (i % 3) as f64; all[i].built = i as u64; all[i].place[0] = 1; }
        #[cfg(new)] { sales[i].price = (i % 70) as f64; sales[i].sold = (i % 3) as f64; rest[i].built = i as u64; rest[i].place[0] = 1; }
    }
    let mut sum = 0.0;
    for p in 0..a[1] { fill(&mut all); if p % 2 == 0 { #[cfg(not(new))] { sum += sell(&all); } #[cfg(new)] { sum += sell(&sales); } } }
    for i in 0..n {
        #[cfg(not(new))] { sum += (all[i].built + all[i].place[0] as u64) as f64; }
        #[cfg(new)] { sum += (rest[i].built + rest[i].place[0] as u64) as f64; }
        sum += all[i].level as f64;
    }
    println!("{}", sum);
}
