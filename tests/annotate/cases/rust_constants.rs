// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Constants of 16 bytes in memory are objects or texts, with the type of what they are copied to or compared with; a part of an array has none.
// A program of this source is kept (tests/kept): no line may be added or taken away.
// SINCE: rustc 1.95

use std::any::TypeId;

#[no_mangle]
pub fn fill(to: &mut [TypeId; 2]) {
    *to = [TypeId::of::<u8>(), TypeId::of::<String>()];
    // EXPECT: core::any::TypeId +0 (data); core::any::TypeId[] +0 (data); core::any::TypeId[] +16 (data)
}

#[no_mangle]
pub fn is_string(id: &TypeId) -> bool {
    *id == TypeId::of::<String>() // EXPECT: core::any::TypeId +0 (data)
}

#[no_mangle]
pub fn is_name(text: &[u8; 16]) -> bool {
    text == b"sixteen or more." // EXPECT: u8[] +0
}

pub struct Text {
    pub length: usize,
    pub whole: [u32; 4],
    pub long: [u32; 8],
}

#[no_mangle]
pub fn whole(to: &mut Text) {
    to.whole = [1, 2, 3, 0x12345678]; // EXPECT: u32[] +0; rust_constants::Text +32 (whole)
}

// A half of an array is no object.
#[no_mangle]
pub fn halves(to: &mut Text) {
    to.long = [1, 2, 3, 0x12345678, 5, 6, 7, 8];
    // EXPECT: (constant); rust_constants::Text +0 (long); rust_constants::Text +16 (long)
}

// The other side of the comparison is a result without a variable, in a place on the stack that
// other objects share: the inlined eq() tells what is compared.
#[no_mangle]
pub fn any_is_string(value: &dyn std::any::Any) -> bool {
    value.is::<String>() // EXPECT: core::any::TypeId +0 (data)
    // MAY: ...
}
