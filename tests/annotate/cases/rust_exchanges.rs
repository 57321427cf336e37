// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: mem::swap() moves an object in words of bytes: the accesses are to the object that is exchanged.
// A program of this source is kept (tests/kept): no line may be added or taken away.
// SINCE: rustc 1.95

pub struct Job {
    pub id: u64,
    pub input: Option<Box<u64>>,
    pub log: [u64; 3],
}

#[no_mangle]
pub fn exchange(a: &mut Job, b: &mut Job) {
    std::mem::swap(a, b)
    // EXPECT: rust_exchanges::Job +0 (id); rust_exchanges::Job +16 (log); rust_exchanges::Job +32 (log)
}
