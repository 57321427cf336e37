// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Structs, slices, vectors, enums, boxes and counted references of Rust.
// RULES: rust-vector

use std::collections::VecDeque;
use std::rc::Rc;

pub struct Point {
    pub x: f64,
    pub y: f64,
    pub id: u32,
}

#[no_mangle]
pub fn furthest(points: &[Point]) -> u32 {
    let mut best = 0;
    let mut most = 0.0;
    for p in points {
        if p.x * p.y > most { // EXPECT: rust_types::Point +0 (x); rust_types::Point +8 (y)
            most = p.x * p.y;
            best = p.id; // EXPECT: rust_types::Point +16 (id)
        }
    }
    best
}

pub struct Job {
    pub cost: u64,
    pub queue: VecDeque<u32>,
}

#[no_mangle]
pub fn last(job: &Job) -> u64 {
    job.cost + job.queue.back().copied().unwrap_or(0) as u64 // EXPECT: rust_types::Job +...; u32 +0
}

pub enum Shape {
    Empty,
    Circle { radius: f64 },
    Square(f64, u32),
}

#[no_mangle]
pub fn size(shape: &Shape) -> f64 {
    match shape { // EXPECT: rust_types::Shape +0 ((discriminant))
        Shape::Empty => 0.0,
        Shape::Circle { radius } => radius * radius, // EXPECT: rust_types::Shape +8...
        Shape::Square(side, n) => side * *n as f64,
        // EXPECT: rust_types::Shape +4...; rust_types::Shape +8...
    }
}

pub struct Node {
    pub key: u64,
    pub next: Option<Box<Node>>,
    pub owner: Rc<Owner>,
}

pub struct Owner {
    pub number: u32,
}

#[no_mangle]
pub fn total(first: &Node) -> u64 {
    let mut sum = 0;
    let mut at = Some(first);
    while let Some(node) = at {
        sum += node.key + node.owner.number as u64;
        // EXPECT: rust_types::Node +...; alloc::rc::Rc...
        at = node.next.as_deref(); // EXPECT: rust_types::Node +...
    }
    sum
}
