// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A result is written to memory whose address the caller passes, or returned in two registers: the writes have its type.
// A program of this source is kept (tests/kept): no line may be added or taken away.
// SINCE: rustc 1.95

pub enum Value {
    Nil,
    Flag(bool),
    Short(u8, u32),
    Int(i64),
}

// EXPECT-IN choose: rust_results::Value +0 ((discriminant))
// 16 bytes, which are not two scalars: they are written where the first register points, which is
// no parameter.
#[no_mangle]
pub fn choose(n: u32, big: i64) -> Value {
    match n {
        0 => Value::Nil,
        1 => Value::Flag(big > 3), // EXPECT: rust_results::Value +1 (Flag.__0)
        2 => Value::Short(7, n),
        // EXPECT: rust_results::Value +1 (Short.__0); rust_results::Value +4 (Short.__1)
        _ => Value::Int(big), // EXPECT: rust_results::Value +8 (Int.__0)
    }
}

pub struct Pair {
    pub count: usize,
    pub total: usize,
}

// The first register is a parameter, and is returned in the first of two registers.
#[no_mangle]
pub fn both(first: &mut Pair, n: usize) -> (&mut Pair, usize) {
    first.total = n; // EXPECT: rust_results::Pair +8 (total)
    (first, n + 1)
}

// The same, but no variable names the parameter in the first register.
#[no_mangle]
pub fn sum(_: usize, at: &Pair) -> (usize, usize) {
    (at.count, at.total) // EXPECT: rust_results::Pair +0 (count); rust_results::Pair +8 (total)
}

#[no_mangle]
pub fn boxed(key: u32) -> Box<u32> {
    Box::new(key * 3)
    // EXPECT: u32 +0
    // MAY: void* +0
}

#[no_mangle]
pub fn paired(count: usize) -> Box<Pair> {
    Box::new(Pair { count, total: 0 })
    // EXPECT: void* +0; rust_results::Pair +0 (count); rust_results::Pair +8 (total)
}

pub struct Machine {
    pub limit: u64,
    pub values: [u64; 4],
}

// step() gets the place of its result in the first register, and not `machine`.
#[no_mangle]
pub fn run(machine: &Machine, n: u64) -> Value {
    if n > 3 {
        return Value::Int(5); // EXPECT: rust_results::Value +8 (Int.__0)
        // MAY: rust_results::Value +0 ((discriminant))
    }
    step(machine, n + 1) // MAY: void* +0
}

#[no_mangle]
#[inline(never)]
pub fn step(machine: &Machine, n: u64) -> Value {
    let value = machine.values[(n & 3) as usize]; // EXPECT: rust_results::Machine +0 (values)
    if value > machine.limit { Value::Flag(true) } else { Value::Int(value as i64) }
    // EXPECT: rust_results::Machine +32 (limit); rust_results::Value +1 (Flag.__0)
    // EXPECT: rust_results::Value +8 (Int.__0)
    // MAY: rust_results::Value +0 ((discriminant))
}

// No caller uses the address that decide() gets, so LLVM does not return it: the first parameter is
// in the second register.
#[inline(never)]
fn decide(machine: &mut Machine, n: u64) -> Value { // MAY: rust_results::Machine +32 (limit)
    machine.limit += n; // EXPECT: rust_results::Machine +32 (limit)
    if machine.values[0] == n { Value::Int(7) } else { Value::Flag(machine.limit > n) }
    // EXPECT: rust_results::Machine +0 (values)
    // EXPECT: rust_results::Value +8 (Int.__0); rust_results::Value +1 (Flag.__0)
    // MAY: rust_results::Value +0 ((discriminant))
}

#[no_mangle]
pub fn decided(machine: &mut Machine, n: u64) -> i64 {
    match (decide(machine, n), decide(machine, n + 1)) {
        // MAY: ...
        (Value::Int(a), Value::Int(b)) => a + b,
        _ => 0,
    }
}
