// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An allocator's memory has no type: the parameter of the inlined function that writes to it tells the type.
// RULES: moved-value
// RUN: rustc -C opt-level=2
// SINCE: rustc 1.95
// RUN off: rustc -C opt-level=2 --no-rule=moved-value

#[derive(Clone, Copy, Default)]
pub struct Cell {
    pub height: f32,
    pub water: f32,
    pub kind: u16,
    pub flags: u8,
}

#[no_mangle]
pub fn grid() -> Vec<Cell> {
    vec![Cell::default(); 10000]
    // EXPECT: rust_raw_memory::Cell +0 (height)
    // EXPECT off: u8 +0
    // MAY: void* +0; rust_raw_memory::Cell...; u8 +0; alloc::vec::Vec<rust_raw_memory::Cell, alloc::alloc::Global>...
}
