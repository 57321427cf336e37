// SPDX-License-Identifier: GPL-2.0-or-later
pub enum Shape { Circle { r: f64 }, Rect(u32, u32), Unit }
pub struct Node { pub val: u64, pub next: Option<Box<Node>>, pub shape: Shape }
#[inline(never)] pub fn sum(n: &Node) -> u64 { let mut s = n.val; let mut c = &n.next;
  while let Some(b) = c { s += b.val; c = &b.next; } s }
#[inline(never)] pub fn area(s: &Shape) -> f64 { match s { Shape::Circle { r } => r * r,
  Shape::Rect(a, b) => (*a as f64) * (*b as f64), Shape::Unit => 1.0 } }
#[inline(never)] pub fn slice(v: &[u32], name: &str) -> usize { v.len() + name.len() }
fn main() { let n = Node { val: 1, next: Some(Box::new(Node { val: 2, next: None, shape: Shape::Rect(1, 2) })),
  shape: Shape::Circle { r: 2.0 } };
  println!("{} {} {} {}", sum(&n), area(&n.shape), area(&Shape::Unit), slice(&[1, 2], "abc")); }
