// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variant without a number of its own is known by the values of a member that the others do not use (a niche).
// SINCE: rustc 1.95

pub enum Inner {
    Small { weight: u32 },
    Large { weight: u64 },
    Named(&'static Entry),
}

pub enum Outer {
    Has(Inner),
    Count(u64),
    Other(&'static Entry),
    Nothing,
}

pub struct Entry {
    pub key: u64,
    pub next: Option<Box<Entry>>,
    pub name: Option<&'static str>,
}

#[no_mangle]
pub fn measure(outer: &Outer) -> u64 {
    match outer { // EXPECT: rust_niches::Outer +0; (jump table)
        Outer::Has(Inner::Large { weight }) => weight ^ 5,
        // EXPECT: rust_niches::Outer +8 (Has.__0.Large.weight)
        Outer::Has(Inner::Small { weight }) => (*weight as u64) << 3,
        // EXPECT: rust_niches::Outer +4 (Has.__0.Small.weight)
        Outer::Has(Inner::Named(entry)) => entry.key + 3,
        // EXPECT: rust_niches::Outer +8 (Has.__0.Named.__0); rust_niches::Entry +16 (key)
        Outer::Count(n) => n * 3, // EXPECT: rust_niches::Outer +8 (Count.__0)
        Outer::Other(entry) => entry.key - 1,
        // EXPECT: rust_niches::Outer +8 (Other.__0); rust_niches::Entry +16 (key)
        Outer::Nothing => 7,
    }
}

#[no_mangle]
pub fn second(entry: &Entry) -> u64 {
    match &entry.next { // EXPECT: rust_niches::Entry +24 (next)
        Some(next) => next.key, // EXPECT: rust_niches::Entry +16 (key)
        None => 0,
    }
}

#[no_mangle]
pub fn named(entry: &Entry) -> usize {
    match entry.name { // MAY: rust_niches::Entry...
        Some(name) => name.len(),
        None => 0,
    }
}
