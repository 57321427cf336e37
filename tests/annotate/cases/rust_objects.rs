// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Hash maps, closures, trait objects, fat pointers and states of async functions of Rust have types.
// A program of this source is kept (tests/kept): no line may be added or taken away.
// SINCE: rustc 1.95

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub struct Account {
    pub total: u64,
    pub name: &'static str,
}

#[no_mangle]
pub fn sum_of(map: &HashMap<u32, Account>) -> u64 {
    let mut sum = 0;
    for account in map.values() {
        // EXPECT: std::collections::hash::map::HashMap<u32, rust_objects::Account...
        // EXPECT: core::core_arch::x86::__m128i +0 (__0)
        sum += account.total + account.name.len() as u64;
        // EXPECT: (u32, rust_objects::Account) +24 (__1.total)
        // EXPECT: (u32, rust_objects::Account) +16 (__1.name.length)
    }
    sum
}

pub trait Shape {
    fn area(&self) -> u64;
}

pub struct Square {
    pub side: u64,
}

impl Shape for Square {
    #[no_mangle]
    fn area(&self) -> u64 {
        self.side * self.side // EXPECT: rust_objects::Square +0 (side)
    }
}

pub struct Holder {
    pub count: u64,
    pub shape: Box<dyn Shape>,
}

#[no_mangle]
pub fn area_of(holder: &Holder) -> u64 {
    holder.shape.area() + holder.count
    // EXPECT: rust_objects::Holder +0 (shape.pointer); rust_objects::Holder +8 (shape.vtable)
    // EXPECT: usize[] +24; rust_objects::Holder +16 (count)
}

#[no_mangle]
pub fn adder(start: u64, step: u64) -> Box<dyn Fn(u64) -> u64> {
    Box::new(move |n| start + n * step)
    // EXPECT: rust_objects::adder::{closure_env#0} +8 (step)
    // EXPECT: rust_objects::adder::{closure_env#0} +0 (start)
    // MAY: void* +0; u64 +0
}

pub struct Waiting {
    pub left: u32,
}

impl Future for Waiting {
    type Output = u32;
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        if self.left == 0 { return Poll::Ready(7); } // EXPECT: rust_objects::Waiting +0 (left)
        self.left -= 1; // EXPECT: rust_objects::Waiting +0 (left)
        Poll::Pending
    }
}

pub async fn waits(account: &Account) -> u64 {
    // EXPECT: rust_objects::waits::{async_fn_env#0} +20 (__state)
    // EXPECT: rust_objects::waits::{async_fn_env#0} +0 (0.account)
    // EXPECT: rust_objects::waits::{async_fn_env#0} +8 (3.account)
    // MAY: (jump table); void* +0
    let first = Waiting { left: 3 }.await;
    // EXPECT: rust_objects::waits::{async_fn_env#0} +16 (3.__awaitee.left)
    account.total + first as u64
    // EXPECT: rust_objects::waits::{async_fn_env#0} +8 (3.account)
    // EXPECT: rust_objects::Account +16 (total)
}

#[no_mangle]
pub fn begin(account: &'static Account) -> Pin<Box<dyn Future<Output = u64>>> {
    Box::pin(waits(account))
    // EXPECT: rust_objects::waits::{async_fn_env#0} +0 (0.account)
    // EXPECT: rust_objects::waits::{async_fn_env#0} +20 (__state)
    // MAY: void* +0
}
