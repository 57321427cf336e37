// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A search tree in an array: the nodes have cold data.
 *
 * case: herds::Node split 300000 280000
 */
#[cfg(new)]
#[derive(Clone, Default)]
struct Node { key: u32, left: u32, right: u32, count: u32 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Cold { owner: [u64; 5], born: u64, tags: [u32; 4] }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
struct Node { owner: [u64; 5], key: u32, left: u32, born: u64, right: u32, tags: [u32; 4], count: u32 }
#[inline(never)]
fn find(all: &[Node], key: u32) -> u32 {
    let mut at = 1u32; let mut last = 0;
    while at != 0 {
        let n = &all[at as usize]; last = at;
        if key == n.key { return n.count; }
        at = if key < n.key { n.left } else { n.right };
    }
    last
}
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0] as usize;
    let mut all = vec![Node::default(); n + 1];
    #[cfg(new)]
    let mut cold = vec![Cold::default(); n + 1];
    let mut r = 88172645463325252u64;
    let mut used = 0;
    while used < n {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        let key = (r >> 33) as u32;
        let mut at = 1usize; let me = (used + 1) as u32;
        if used > 0 { loop {
            let k = all[at].key;
            if k == key { break; }
            let next = if key < k { &mut all[at].left } else { &mut all[at].right };
            if *next == 0 { *next = me; break; }
            at = *next as usize;
        } }
        used += 1; all[used].key = key; all[used].count = key & 7;
        #[cfg(new)] { cold[used].born = used as u64; cold[used].owner[0] = 1; cold[used].tags[0] = 2; }
        #[cfg(not(new))] { all[used].born = used as u64; all[used].owner[0] = 1; all[used].tags[0] = 2; }
    }
    let mut sum = 0u64;
    for _ in 0..a[1] {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        sum += find(&all, (r >> 33) as u32) as u64;
    }
    for i in 1..=n {
        #[cfg(new)] { sum += cold[i].born + cold[i].owner[0] + cold[i].tags[0] as u64; }
        #[cfg(not(new))] { sum += all[i].born + all[i].owner[0] + all[i].tags[0] as u64; }
    }
    println!("{}", sum);
}
