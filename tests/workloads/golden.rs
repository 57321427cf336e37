// SPDX-License-Identifier: GPL-2.0-or-later
// Enums with members under their variants, for tests/whole/test_whole_variants.c; nobody runs it.
#![allow(dead_code)]

pub struct Point {
    pub x: f64,
    pub y: f64,
}

pub enum Shape {
    Circle { center: Point, radius: f64 },
    Square(Point, u32),
    Empty,
}

#[inline(never)]
#[no_mangle]
pub fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle { radius, .. } => radius * radius,
        Shape::Square(point, sides) => point.x * (*sides as f64),
        Shape::Empty => 0.0,
    }
}

fn main() {
    println!("{}", area(&Shape::Empty) + area(&Shape::Circle { center: Point { x: 1.0, y: 2.0 }, radius: 3.0 }));
}
