// SPDX-License-Identifier: GPL-2.0-or-later
// For tests/annotate/test_rust_lines.sh.
pub struct Node {
    pub next: Option<Box<Node>>,
    pub key: u64,
}

#[no_mangle]
pub fn key_of(node: &Node) -> u64 {
    node.key + 1
}
