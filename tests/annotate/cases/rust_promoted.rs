// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: LLVM passes what a reference points to instead of the reference: the arguments after it are in other registers.
// RUN: rustc -C opt-level=3
// SINCE: rustc 1.95

pub struct Weights {
    pub first: usize,
    pub address: usize,
}

pub struct Node {
    pub key: usize,
    pub count: usize,
}

#[inline(never)]
fn score(weights: &Weights, node: &mut Node) -> usize {
    node.count += 1; // EXPECT: rust_promoted::Node +8 (count)
    weights.first * 3 + weights.address + node.key // EXPECT: rust_promoted::Node +0 (key)
}

#[no_mangle]
pub unsafe fn promoted(weights: &Weights, node: &mut Node) -> usize {
    let sum = score(weights, node);
    // EXPECT: rust_promoted::Weights +0 (first); rust_promoted::Weights +8 (address)
    sum + *((weights.address + 8) as *const usize) // EXPECT: none
}

#[no_mangle]
pub fn again(weights: &Weights, node: &mut Node) -> usize {
    score(weights, node) + score(weights, node)
    // EXPECT: rust_promoted::Weights +0 (first); rust_promoted::Weights +8 (address)
}
