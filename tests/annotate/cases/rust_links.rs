// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A walk by references to links: LLVM keeps the pointer to the node, of which only the address of the link has a name.
// RUN: rustc -C opt-level=3
// SINCE: rustc 1.95

use std::rc::Rc;

pub struct Node {
    pub key: i64,
    pub level: u16,
    pub flag: bool,
    pub next: Option<Box<Node>>,
}

pub struct Shared {
    pub weight: i64,
    pub next: Option<Rc<Shared>>,
    pub count: u32,
}

#[no_mangle]
pub fn boxed(first: &Node) -> i64 {
    let mut sum = 0;
    let mut n = &first.next;
    while let Some(b) = n { // EXPECT: rust_links::Node +8 (next)
        if b.flag { // EXPECT: rust_links::Node +18 (flag)
            sum += b.key; // EXPECT: rust_links::Node +0 (key)
        }
        n = &b.next;
    }
    sum
}

#[no_mangle]
pub fn counted(first: &Option<Rc<Shared>>) -> i64 {
    let mut sum = 0;
    let mut n = first;
    while let Some(b) = n {
    // EXPECT: core::option::Option<alloc::rc::Rc<rust_links::Shared, alloc::alloc::Global>> +0; alloc::rc::RcInner<rust_links::Shared> +24 (value.next)
        sum += b.weight * b.count as i64;
        // EXPECT: alloc::rc::RcInner<rust_links::Shared> +32 (value.count); alloc::rc::RcInner<rust_links::Shared> +16 (value.weight)
        n = &b.next;
    }
    sum
}

#[inline(never)]
fn walk(first: &Option<Box<Node>>) -> i64 {
    let mut sum = 0;
    let mut n = first;
    while let Some(b) = n { // EXPECT: rust_links::Node +8 (next)
        if b.flag { // EXPECT: rust_links::Node +18 (flag)
            sum += b.key; // EXPECT: rust_links::Node +0 (key)
        }
        n = &b.next;
    }
    sum
}

#[no_mangle]
pub fn walk_all(lists: &[Option<Box<Node>>; 8]) -> i64 {
    let mut sum = 0;
    for list in lists {
        sum += walk(list);
        // EXPECT: core::option::Option<alloc::boxed::Box<rust_links::Node, alloc::alloc::Global>> +0
    }
    sum
}
