// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks of canals: boats go from lock to lock by number, and count the water.
 *
 * case: locks::Lock split 300000 12000000
 */
use std::env;
#[derive(Clone, Default)]
struct Rest { keeper: [u64; 5], built: u64, repairs: [u32; 8] }
#[cfg(not(new))]
#[derive(Clone, Default)]
struct Lock { keeper: [u64; 5], built: u64, repairs: [u32; 8], next: u32, water: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Lock { next: u32, water: u32 }
#[inline(never)]
fn travel(locks: &[Lock], steps: usize) -> u64 {
    let (mut at, mut water) = (0usize, 0u64);
    for _ in 0..steps {
        water += locks[at].water as u64;
        at = locks[at].next as usize;
    }
    water
}
fn main() {
    let a: Vec<usize> = env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut locks = vec![Lock::default(); n];
    #[cfg(new)]
    let mut rest = vec![Rest::default(); n];
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut r = 17u64;
    for i in (1..n).rev() {
        r = r.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        order.swap(i, ((r >> 33) % i as u64) as usize);
    }
    for i in 0..n {
        locks[order[i] as usize].next = order[(i + 1) % n];
        locks[i].water = (i % 9) as u32;
        #[cfg(new)]
        { rest[i].built = i as u64; }
        #[cfg(not(new))]
        { locks[i].built = i as u64; }
    }
    let mut sum = travel(&locks, a[1]);
    #[cfg(new)]
    { sum += rest.iter().map(|s| s.built).sum::<u64>(); }
    #[cfg(not(new))]
    { sum += locks.iter().map(|s| s.built).sum::<u64>(); }
    println!("{}", sum);
}
