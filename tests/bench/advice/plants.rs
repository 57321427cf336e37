// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plants of a nursery: those that orders name are looked up and counted.
 *
 * case: plants::Plant split 300000 14000000
 */
#[derive(Clone, Default)]
pub struct Label { name: [u64; 6], sown: u64, supplier: u64 }
#[cfg(new)]
#[derive(Clone, Default)]
pub struct Plant { stock: u32, price: u32 }
#[cfg(not(new))]
#[derive(Clone, Default)]
pub struct Plant { name: [u64; 6], sown: u64, supplier: u64, stock: u32, price: u32 }
#[inline(never)]
fn orders(plants: &mut [Plant], count: u64) -> u64 {
    let mut r = 88172645463325252u64;
    let mut sum = 0u64;
    for _ in 0..count {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        let at = ((r >> 32) * plants.len() as u64 >> 32) as usize;
        let p = &mut plants[at];
        if p.stock > 0 { p.stock -= 1; sum += p.price as u64; }
    }
    sum
}
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0] as usize;
    let mut plants = vec![Plant::default(); n];
    #[cfg(new)]
    let mut labels = vec![Label::default(); n];
    for i in 0..n {
        plants[i].stock = (i % 60) as u32; plants[i].price = (i % 17) as u32;
        #[cfg(new)] { labels[i].sown = i as u64; labels[i].name[0] = 1; labels[i].supplier = 3; }
        #[cfg(not(new))] { plants[i].sown = i as u64; plants[i].name[0] = 1; plants[i].supplier = 3; }
    }
    let mut sum = orders(&mut plants, a[1]);
    for i in 0..n {
        #[cfg(new)] { sum += labels[i].sown + labels[i].name[0] + labels[i].supplier; }
        #[cfg(not(new))] { sum += plants[i].sown + plants[i].name[0] + plants[i].supplier; }
    }
    println!("{}", sum);
}
