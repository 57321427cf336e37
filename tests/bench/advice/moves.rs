// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves of a game are looked up by a hash of the place, and the best one is kept.
 *
 * case: moves::Entry split 262144 9000000
 */
#[derive(Clone, Default)]
pub struct Notes { line: [u32; 12], nodes: u64, age: u32, depth: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
pub struct Entry { key: u64, score: i32 }
#[cfg(not(new))]
#[derive(Clone, Default)]
pub struct Entry { key: u64, line: [u32; 12], nodes: u64, age: u32, depth: u32, score: i32 }
#[inline(never)]
fn probe(table: &mut [Entry], count: u64) -> u64 {
    let mut r = 88172645463325252u64;
    let mut hits = 0u64;
    let mask = table.len() - 1;
    for _ in 0..count {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        let e = &mut table[(r >> 40) as usize & mask];
        if e.key == r >> 44 { hits += e.score as u64; } else if r & 7 == 0 { e.key = r >> 44; e.score = (r & 255) as i32; }
    }
    hits
}
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0] as usize;
    let mut table = vec![Entry::default(); n];
    #[cfg(new)]
    let mut notes = vec![Notes::default(); n];
    for i in 0..n {
        table[i].key = i as u64;
        #[cfg(new)] { notes[i].nodes = i as u64; notes[i].line[1] = 3; notes[i].age = 2; }
        #[cfg(not(new))] { table[i].nodes = i as u64; table[i].line[1] = 3; table[i].age = 2; }
    }
    let mut sum = probe(&mut table, a[1]);
    for i in 0..n {
        #[cfg(new)] { sum += notes[i].nodes + notes[i].line[1] as u64; }
        #[cfg(not(new))] { sum += table[i].nodes + table[i].line[1] as u64; }
    }
    println!("{}", sum);
}
