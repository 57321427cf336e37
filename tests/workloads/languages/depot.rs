// SPDX-License-Identifier: GPL-2.0-or-later
//! Rust as it is written: enums with data, generics, slices, Box, Rc, Arc, Vec, String, traits.
//!
//! Objects of each type are in memory of their own, as arena.h has it for C: what is allocated within in_arena() goes
//! to the arena of the type that is named there.
#![allow(static_mut_refs)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

core::arch::global_asm!(
    ".text",
    ".globl language_mark",
    ".type language_mark, @function",
    "language_mark:",
    "int3",
    "ret",
    ".size language_mark, . - language_mark"
);

extern "C" {
    fn language_mark();
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LanguageArena {
    cells: usize,
    name: *const u8,
    start: *mut u8,
    end: *mut u8,
}

const ARENAS: usize = 16;
const SIZE: usize = 1 << 20;

#[no_mangle]
pub static mut language_arenas: [LanguageArena; 64] =
    [LanguageArena { cells: 0, name: std::ptr::null(), start: std::ptr::null_mut(), end: std::ptr::null_mut() }; 64];
#[no_mangle]
pub static mut language_arena_count: usize = 0;

static mut CURRENT: usize = usize::MAX;
static mut NEXT: [*mut u8; ARENAS] = [std::ptr::null_mut(); ARENAS];

struct Arenas;

unsafe impl GlobalAlloc for Arenas {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if CURRENT == usize::MAX {
            return System.alloc(layout);
        }
        let taken = NEXT[CURRENT];
        NEXT[CURRENT] = taken.add(layout.size());
        taken
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        for i in 0..language_arena_count {
            if at >= language_arenas[i].start && at < language_arenas[i].end {
                return;
            }
        }
        System.dealloc(at, layout)
    }
}

#[global_allocator]
static GLOBAL: Arenas = Arenas;

/// Names end in NUL.
fn arena(name: &'static str) -> usize {
    unsafe {
        let start = System.alloc_zeroed(Layout::from_size_align(SIZE, 4096).unwrap());
        let index = language_arena_count;
        language_arenas[index] = LanguageArena { cells: 0, name: name.as_ptr(), start, end: start.add(SIZE) };
        NEXT[index] = start;
        language_arena_count += 1;
        index
    }
}

#[inline(always)]
fn in_arena<T>(index: usize, make: impl FnOnce() -> T) -> T {
    unsafe {
        let before = CURRENT;
        CURRENT = index;
        let made = make();
        CURRENT = before;
        made
    }
}

pub struct Position {
    x: f64,
    y: f64,
}

pub enum Shape {
    Empty,
    Circle { center: Position, radius: f64 },
    Named(String, u32),
    Many(Box<Node>),
}

pub struct Node {
    key: u64,
    value: i32,
    flags: u8,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

pub struct Crate {
    number: u32,
    weight: f32,
    label: String,
    sizes: Vec<u16>,
    held: Cell<i64>,
    next: Option<Rc<Crate>>,
}

pub struct Shared {
    name: String,
    limits: [u32; 4],
    ratio: f64,
}

pub trait Machine {
    fn work(&mut self, by: u64) -> u64;
    fn cost(&self) -> u64;
}

pub struct Press {
    force: u64,
    used: u64,
}

pub struct Saw {
    teeth: [u8; 8],
    speed: u64,
}

impl Machine for Press {
    fn work(&mut self, by: u64) -> u64 {
        self.used += 1;
        self.force * by
    }
    fn cost(&self) -> u64 {
        self.used * 3
    }
}

impl Machine for Saw {
    fn work(&mut self, by: u64) -> u64 {
        self.speed = self.speed.wrapping_add(by);
        self.teeth.iter().map(|tooth| *tooth as u64).sum::<u64>() + self.speed
    }
    fn cost(&self) -> u64 {
        self.speed + self.teeth[0] as u64
    }
}

pub struct Stack<T> {
    items: Vec<T>,
    most: usize,
    arena: usize,
}

impl<T> Stack<T> {
    #[inline(never)]
    fn push(&mut self, item: T) {
        let arena = self.arena;
        in_arena(arena, || self.items.push(item));
        self.most = self.most.max(self.items.len());
    }
    #[inline(never)]
    fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }
}

pub struct Depot {
    crates: Vec<Rc<Crate>>,
    shapes: Vec<Shape>,
    root: Option<Box<Node>>,
    positions: Vec<Position>,
    machines: Vec<Box<dyn Machine>>,
    shared: Arc<Shared>,
    waiting: VecDeque<Position>,
    log: RefCell<Vec<u32>>,
    counters: [u64; 3],
}

#[inline(never)]
fn insert(mut place: &mut Option<Box<Node>>, key: u64, arena: usize) {
    while let Some(node) = place {
        node.flags |= 1;
        place = if key < node.key { &mut node.left } else { &mut node.right };
    }
    *place = Some(in_arena(arena, || {
        Box::new(Node { key, value: key as i32 * 2, flags: 0, left: None, right: None })
    }));
}

#[inline(never)]
fn depth(node: &Option<Box<Node>>) -> i64 {
    match node {
        None => 0,
        Some(node) => node.value as i64 + node.flags as i64 + depth(&node.left).max(depth(&node.right)),
    }
}

#[inline(never)]
fn area(shapes: &[Shape]) -> f64 {
    shapes
        .iter()
        .map(|shape| match shape {
            Shape::Empty => 0.0,
            Shape::Circle { center, radius } => center.x + center.y + radius * radius,
            Shape::Named(name, number) => name.len() as f64 + *number as f64,
            Shape::Many(node) => node.key as f64,
        })
        .sum()
}

#[inline(never)]
fn weigh(depot: &Depot) -> f64 {
    let mut sum = 0.0;
    for held in &depot.crates {
        sum += held.weight as f64 + held.sizes.iter().map(|size| *size as u32).sum::<u32>() as f64;
        held.held.set(held.held.get() + held.number as i64);
        let mut at = &held.next;
        while let Some(other) = at {
            sum += other.label.len() as f64;
            at = &other.next;
        }
    }
    sum
}

#[inline(never)]
fn work(depot: &mut Depot) -> u64 {
    let mut sum = 0;
    for machine in depot.machines.iter_mut() {
        sum += machine.work(3) + machine.cost();
        depot.counters[(sum % 3) as usize] += sum;
    }
    depot.log.borrow_mut().push(sum as u32);
    sum
}

#[inline(never)]
fn furthest(positions: &[Position]) -> Option<&Position> {
    positions.iter().max_by(|a, b| (a.x * a.y).partial_cmp(&(b.x * b.y)).unwrap())
}

#[inline(never)]
fn limits(shared: &Arc<Shared>) -> u64 {
    let kept = Arc::clone(shared);
    kept.limits.iter().map(|limit| *limit as u64).sum::<u64>() + kept.name.len() as u64 + kept.ratio as u64
}

#[inline(never)]
fn sort(positions: &mut [Position]) {
    positions.sort_unstable_by(|a, b| a.y.partial_cmp(&b.y).unwrap());
}

#[inline(never)]
fn wait(depot: &mut Depot, arena: usize) -> f64 {
    for i in 0..12 {
        in_arena(arena, || depot.waiting.push_back(Position { x: i as f64, y: 1.0 }));
        if i % 3 == 0 {
            depot.waiting.pop_front();
        }
    }
    depot.waiting.iter().map(|position| position.x - position.y).sum()
}

struct Numbers {
    node: usize,
    held: usize,
    shapes: usize,
    positions: usize,
    words: usize,
}

#[inline(never)]
fn run(depot: &mut Depot, numbers: &Numbers) -> f64 {
    let mut stack = Stack { items: Vec::new(), most: 0, arena: numbers.positions };
    for i in 0..24u32 {
        insert(&mut depot.root, (i as u64 * 37) % 101, numbers.node);
        let next = depot.crates.last().cloned();
        let made = Crate {
            number: i,
            weight: i as f32,
            label: String::from("crate"),
            sizes: vec![1, 2, 3],
            held: Cell::new(0),
            next: if i % 4 == 0 { None } else { next },
        };
        let made = in_arena(numbers.held, || Rc::new(made));
        depot.crates.push(made);
        let shape = match i % 4 {
            0 => Shape::Empty,
            1 => Shape::Circle { center: Position { x: 1.0, y: 2.0 }, radius: i as f64 },
            2 => Shape::Named(String::from("shape"), i),
            _ => Shape::Many(in_arena(numbers.node, || {
                Box::new(Node { key: i as u64, value: 1, flags: 2, left: None, right: None })
            })),
        };
        in_arena(numbers.shapes, || depot.shapes.push(shape));
        in_arena(numbers.positions, || depot.positions.push(Position { x: i as f64, y: (i * 7 % 11) as f64 }));
        stack.push(Position { x: 1.0, y: i as f64 });
    }
    in_arena(numbers.words, || depot.log.borrow_mut().reserve(100));
    let mut sum = depth(&depot.root) as f64 + area(&depot.shapes) + weigh(depot);
    for _ in 0..5 {
        sum += work(depot) as f64;
    }
    sum += limits(&depot.shared) as f64 + wait(depot, numbers.positions);
    sort(&mut depot.positions);
    if let Some(position) = furthest(&depot.positions) {
        sum += position.x;
    }
    while let Some(position) = stack.pop() {
        sum += position.y;
    }
    sum + stack.most as f64
}

fn main() {
    let whole = arena("depot::Depot\0");
    let press = arena("depot::Press\0");
    let saw = arena("depot::Saw\0");
    let shared = arena("alloc::sync::ArcInner<depot::Shared>\0");
    let numbers = Numbers {
        node: arena("depot::Node\0"),
        held: arena("alloc::rc::RcInner<depot::Crate>|alloc::rc::RcBox<depot::Crate>\0"),
        shapes: arena("depot::Shape\0"),
        positions: arena("depot::Position\0"),
        words: arena("u32\0"),
    };
    let made = Depot {
        crates: Vec::with_capacity(64),
        shapes: Vec::new(),
        root: None,
        positions: Vec::new(),
        machines: vec![
            in_arena(press, || Box::new(Press { force: 3, used: 0 })),
            in_arena(saw, || Box::new(Saw { teeth: [1; 8], speed: 2 })),
        ],
        shared: in_arena(shared, || {
            Arc::new(Shared { name: String::new(), limits: [1, 2, 3, 4], ratio: 0.5 })
        }),
        waiting: VecDeque::new(),
        log: RefCell::new(Vec::new()),
        counters: [0; 3],
    };
    let mut depot = in_arena(whole, || Box::new(made));
    unsafe { language_mark() };
    let sum = run(&mut depot, &numbers);
    unsafe { language_mark() };
    println!("{sum}");
}
