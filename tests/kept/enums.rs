// SPDX-License-Identifier: GPL-2.0-or-later
// For test_arm64.sh: variants that are told by the values of another variant's member.
#![no_std]
extern crate alloc;
use alloc::{boxed::Box, vec::Vec};

pub enum Shape<'a> {
    Dot,
    Circle { radius: f64, id: u32 },
    Text(&'a str, u16),
    Named(&'a u64, u64),
}

pub struct Item<'a> {
    pub shape: Option<Shape<'a>>,
    pub key: u64,
    pub number: u64,
}

pub enum Limit {
    Never,
    One { least: f64, id: u32 },
    Many(Vec<u32>, u16),
    Named(Box<str>),
}

pub struct Link {
    pub limit: Limit,
    pub key: u64,
    pub next: Option<Box<Link>>,
}

#[no_mangle]
pub fn measure(mut link: &Option<Box<Link>>) -> u64 {
    let mut sum = 0;
    while let Some(at) = link {
        sum += at.key;
        match &at.limit {
            Limit::Never => sum += 1,
            Limit::One { least, id } => sum += *id as u64 + *least as u64,
            Limit::Many(all, more) => sum += all.len() as u64 + *more as u64,
            Limit::Named(name) => sum += name.len() as u64,
        }
        link = &at.next;
    }
    sum
}

#[no_mangle]
pub fn widths(items: &[Item]) -> f64 {
    let mut sum = 0.0;
    for item in items {
        match &item.shape {
            Some(Shape::Circle { radius, id }) => sum += *radius + *id as f64,
            Some(Shape::Text(text, extra)) => sum += (text.len() + *extra as usize) as f64,
            Some(Shape::Named(value, other)) => sum += (**value + *other) as f64,
            _ => sum += 1.0,
        }
    }
    sum
}
