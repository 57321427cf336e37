// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What Rust's library hides: new boxes, inner nodes of B-trees, thread-local keys.
// BEFORE: rustc 1.97
// RULES: declared-whole, inner-node
// SINCE: rustc 1.95

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

pub struct Node {
    pub key: u64,
    pub weight: f64,
    pub next: Option<Box<Node>>,
}

#[no_mangle]
pub fn append(first: &mut Option<Box<Node>>, key: u64, weight: f64) { // MAY: f64 +0
    let mut at = first;
    while let Some(node) = at {
        // EXPECT: core::option::Option<alloc::boxed::Box<rust_library::Node...
        // MAY: rust_library::Node +...
        at = &mut node.next;
    }
    *at = Some(Box::new(Node { key, weight, next: None }));
    // EXPECT: rust_library::Node +...
    // MAY: core::option::Option<alloc::boxed::Box<rust_library::Node...; f64 +0; void* +0
}

pub enum Value {
    Nil,
    Int(i64),
    Real(f64),
    Text(String),
    List(Rc<RefCell<Vec<Value>>>),
}

#[no_mangle]
pub fn total(values: &[Value]) -> i64 {
    let mut sum = 0;
    for value in values { // MAY: &[rust_library::Value] +0...
        sum += match value {
            // EXPECT: rust_library::Value +0
            // MAY: (jump table)
            Value::Int(number) => *number, // EXPECT: rust_library::Value +8...
            Value::Real(number) => *number as i64,
            // EXPECT: rust_library::Value +8...
            // MAY: f64 +0
            Value::Text(text) => text.len() as i64, // MAY: rust_library::Value +...
            Value::List(list) => total(&list.borrow()),
            // MAY: alloc::rc::RcInner<...; core::cell::RefCell<...; rust_library::Value +8...
            // MAY: void* +0; &[rust_library::Value] +0...
            Value::Nil => 0,
        };
    }
    sum
}

#[no_mangle]
pub fn walk(map: &BTreeMap<u64, u32>) -> u64 {
    let mut sum = 0;
    for (key, value) in map {
        // EXPECT: alloc::collections::btree::map::BTreeMap<u64, u32...
        // EXPECT: alloc::collections::btree::node::LeafNode<u64, u32> +142 (len)
        // EXPECT: alloc::collections::btree::node::InternalNode<u64, u32> +144...
        // MAY: alloc::collections::btree::node::...; void* +0
        sum += key + *value as u64; // EXPECT: alloc::collections::btree::node::LeafNode<u64, u32> +...
    }
    sum
}

#[no_mangle]
pub fn make() -> HashMap<u64, u64> {
    HashMap::new()
    // EXPECT: std::sys::thread_local::native::lazy::Storage<...
    // EXPECT: std::collections::hash::map::HashMap<u64, u64...
    // MAY: none (no variable at the address); void* +0
}

#[derive(Clone, Copy, Default)]
pub struct Cell {
    pub height: f32,
    pub water: f32,
    pub kind: u16,
    pub flags: u8,
}

// The allocator gives out bytes, and ptr::write() has the type.
#[no_mangle]
pub fn cells(n: usize) -> Vec<Cell> {
    vec![Cell { height: 1.0, water: 2.0, kind: 3, flags: 4 }; n]
    // EXPECT: rust_library::Cell +0 (height); rust_library::Cell +8 (kind)
    // MAY: rust_library::Cell +...; alloc::vec::Vec<rust_library::Cell...; void* +0
    // MAY: none (no variable at the address); f32 +0
}

#[no_mangle]
pub fn bytes(n: usize, value: u8) -> Vec<u8> {
    (0..n).map(|i| value ^ i as u8).collect()
    // EXPECT: u8 +0
    // MAY: alloc::vec::Vec<u8...; void* +0; none (no variable at the address)
}
