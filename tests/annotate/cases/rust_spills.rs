// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The address of a result is spilled: it stays known across calls that get addresses of unnamed objects.
// A program of this source is kept (tests/kept): no line may be added or taken away.
// RUN: rustc -C opt-level=2
// The kept program is of this level.

pub struct Sums {
    pub first: [u64; 4],
    pub count: u64,
}

#[no_mangle]
#[inline(never)]
pub fn fill(room: &mut [u64; 8], n: u64) -> u64 {
    room[(n & 7) as usize] = n; // MAY: u64[] +0
    room[0] ^ std::hint::black_box(n) // MAY: u64[] +0; u64 +0
}

#[no_mangle]
pub fn many(a: u64, b: u64, c: u64, d: u64, e: u64) -> Sums { // MAY: u64 +0
    let s = fill(&mut [a; 8], b); // MAY: void* +0
    let t = fill(&mut [b ^ s; 8], c);
    let u = fill(&mut [c ^ t; 8], d);
    let v = fill(&mut [d ^ u; 8], e);
    let w = fill(&mut [e ^ v ^ a; 8], s); // MAY: u64 +0
    let x = fill(&mut [a ^ b ^ w; 8], t);
    Sums {
        // EXPECT: rust_spills::Sums +0 (first); rust_spills::Sums +32 (count)
        // a vector has two of the words, or each is stored alone
        // MAY: rust_spills::Sums +8 (first); rust_spills::Sums +16 (first); rust_spills::Sums +24 (first)
        first: [a ^ s ^ x, b ^ t, c ^ u ^ d, v ^ e], // MAY: u64 +0
        count: w,
    }
}
