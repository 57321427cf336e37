// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The variant of an enum is the one whose discriminant was tested or stored; else none is named.
// SINCE: rustc 1.95

pub enum Shape {
    Circle { radius: f64 },
    Square(f64),
    Text { name: &'static Name },
    Pair(u32, u32),
    Empty,
}

pub struct Name {
    pub weight: f64,
}

#[no_mangle]
pub fn squared(shape: &Shape) -> f64 {
    match shape { // EXPECT: rust_variants::Shape +0 ((discriminant)); rust_variants::Shape +8 (Square.__0)
        Shape::Square(side) => side * side,
        _ => 0.0,
    }
}

#[no_mangle]
pub fn size(shape: &Shape) -> f64 {
    match shape { // EXPECT: rust_variants::Shape +0 ((discriminant)); (jump table)
        Shape::Circle { radius } => radius * 3.5, // EXPECT: rust_variants::Shape +8 (Circle.radius); f64 +0
        Shape::Square(side) => side / 2.0, // EXPECT: rust_variants::Shape +8 (Square.__0); f64 +0
        Shape::Text { name } => name.weight,
        // EXPECT: rust_variants::Shape +8 (Text.name); rust_variants::Name +0 (weight)
        Shape::Pair(x, y) => (x ^ y) as f64,
        // EXPECT: rust_variants::Shape +8 (Pair.__1); rust_variants::Shape +4 (Pair.__0)
        Shape::Empty => 1.0,
    }
}

#[no_mangle]
pub fn all(shapes: &[Shape]) -> u32 {
    let mut sum = 0;
    for shape in shapes {
        if let Shape::Pair(x, y) = shape { // EXPECT: rust_variants::Shape +0 ((discriminant))
            sum += x * y; // EXPECT: rust_variants::Shape +8 (Pair.__1); rust_variants::Shape +4 (Pair.__0)
        }
    }
    sum
}

// Both variants have their number in the same place, and one instruction reads either.
#[no_mangle]
pub fn length(shape: &Shape) -> f64 {
    match shape { // EXPECT: rust_variants::Shape +0 ((discriminant)); rust_variants::Shape +8
        Shape::Circle { radius: x } | Shape::Square(x) => *x + *x,
        _ => 0.0,
    }
}

#[no_mangle]
pub fn grow(shape: &mut Shape, side: f64) {
    *shape = Shape::Square(side); // EXPECT: rust_variants::Shape +0 ((discriminant)); rust_variants::Shape +8 (Square.__0)
}

pub enum Value {
    Texts(Vec<u64>),
    Number(u64),
    Node(Box<u64>),
    None,
}

// The discriminant is a number that the capacity of a vector cannot be.
#[no_mangle]
pub fn sum(value: &Value) -> u64 {
    match value { // EXPECT: rust_variants::Value +0; (jump table)
        Value::Texts(all) => all.len() as u64, // EXPECT: rust_variants::Value +16 (Texts.__0.len)
        Value::Number(n) => n + 7, // EXPECT: rust_variants::Value +8 (Number.__0)
        Value::Node(n) => **n * 3, // EXPECT: rust_variants::Value +8 (Node.__0); u64 +0
        Value::None => 9,
    }
}

// EXPECT-IN mark: usize[] +32
// Each of two ways into the loop tests the shape by itself.
#[no_mangle]
pub fn mark(shapes: &mut [Shape], dead: &mut dyn FnMut(u32)) {
    for shape in shapes {
        match shape { // EXPECT: rust_variants::Shape +0 ((discriminant)); (jump table)
            Shape::Circle { radius } => *radius += 1.0, // EXPECT: f64 +0
            Shape::Square(side) => *side *= 2.0, // EXPECT: rust_variants::Shape +8 (Square.__0)
            Shape::Text { name } => dead(name.weight as u32),
            // EXPECT: rust_variants::Shape +8 (Text.name); rust_variants::Name +0 (weight); f64 +0
            Shape::Pair(x, y) => dead(*x + *y),
            // EXPECT: rust_variants::Shape +8 (Pair.__1); rust_variants::Shape +4 (Pair.__0)
            Shape::Empty => {}
        }
    }
}
