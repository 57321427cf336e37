// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vats of a dairy: what all of them weigh.
 *
 * case: vats::Vat split 300 6000000
 */
#[derive(Clone, Default)]
pub struct Card { maker: [u8; 24], cleaned: u64, places: [u32; 4] }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Vat { maker: [u8; 24], litres: u32, cleaned: u64, places: [u32; 4], dense: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Vat { litres: u32, dense: u32 }
#[inline(never)]
fn weigh(vats: &[Vat]) -> u32 { vats.iter().map(|v| v.litres.wrapping_mul(v.dense)).fold(0, |a, b| a.wrapping_add(b)) }
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut vats = vec![Vat::default(); n];
    #[cfg(new)]
    let mut cards = vec![Card::default(); n];
    for i in 0..n {
        vats[i].litres = i as u32 % 900; vats[i].dense = 1 + i as u32 % 3;
        #[cfg(new)] { cards[i].cleaned = i as u64; cards[i].maker[0] = 1; }
        #[cfg(not(new))] { vats[i].cleaned = i as u64; vats[i].maker[0] = 1; }
    }
    let mut sum = 0u64;
    for k in 0..a[1] { sum += weigh(&vats) as u64; vats[k % n].litres += 1; }
    for i in 0..n {
        #[cfg(new)] { sum += cards[i].cleaned; }
        #[cfg(not(new))] { sum += vats[i].cleaned; }
    }
    println!("{}", sum);
}
