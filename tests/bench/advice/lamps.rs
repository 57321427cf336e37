// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Street lamps: the power that those which are on take.
 *
 * case: lamps::Lamp split 400000 500
 * case: lamps::Lamp split 300 6000000
 */
#[derive(Clone, Default)]
pub struct Pole { street: [u8; 32], height: f32, painted: u64, checks: [u64; 3] }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Lamp { street: [u8; 32], watts: u32, height: f32, painted: u64, checks: [u64; 3], on: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Lamp { watts: u32, on: u32 }
#[inline(never)]
fn power(lamps: &[Lamp]) -> u64 { let mut sum = 0u64; for l in lamps { sum += l.watts as u64 * l.on as u64; } sum }
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut lamps = vec![Lamp::default(); n];
    #[cfg(new)]
    let mut poles = vec![Pole::default(); n];
    for i in 0..n {
        lamps[i].watts = 20 + (i % 50) as u32; lamps[i].on = (i % 3 == 0) as u32;
        #[cfg(new)] { poles[i].painted = i as u64; poles[i].street[0] = 1; poles[i].height = 4.0; }
        #[cfg(not(new))] { lamps[i].painted = i as u64; lamps[i].street[0] = 1; lamps[i].height = 4.0; }
    }
    let mut sum = 0u64;
    for k in 0..a[1] { sum += power(&lamps); lamps[k % n].on ^= 1; }
    for i in 0..n {
        #[cfg(new)] { sum += poles[i].painted + poles[i].height as u64; }
        #[cfg(not(new))] { sum += lamps[i].painted + lamps[i].height as u64; }
    }
    println!("{}", sum);
}
