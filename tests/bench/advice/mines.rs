// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mines that are deep enough for the price of a day, and what they yield.
 *
 * case: mines::Mine split 250000 750
 * case: mines::Mine split 300 2500000
 */
#[derive(Clone, Default)]
pub struct Deed { owner: [u8; 32], opened: u64, shafts: [u32; 6], lat: f64, lon: f64 }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Mine { owner: [u8; 32], depth: u32, opened: u64, shafts: [u32; 6], lat: f64, lon: f64, tons: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Mine { depth: u32, tons: u32 }
#[inline(never)]
fn worth(mines: &[Mine], price: u32) -> u64 {
    let mut sum = 0u64;
    let mut last = 0u32;
    for m in mines {
        if m.depth * price > 5000 && m.depth != last {
            sum += m.tons as u64 / (1 + (sum & 1));
            last = m.depth;
        }
    }
    sum
}
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut mines = vec![Mine::default(); n];
    #[cfg(new)]
    let mut deeds = vec![Deed::default(); n];
    let mut r = 7u64;
    for i in 0..n {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        mines[i].depth = (r >> 20) as u32 % 400;
        mines[i].tons = (i % 90) as u32;
        #[cfg(new)] { deeds[i].opened = i as u64; deeds[i].owner[0] = 1; }
        #[cfg(not(new))] { mines[i].opened = i as u64; mines[i].owner[0] = 1; }
    }
    let mut sum = 0u64;
    for k in 0..a[1] { sum += worth(&mines, 10 + (k % 9) as u32); }
    for i in 0..n {
        #[cfg(new)] { sum += deeds[i].opened; }
        #[cfg(not(new))] { sum += mines[i].opened; }
    }
    println!("{}", sum);
}
