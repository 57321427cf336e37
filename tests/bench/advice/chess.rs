// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves of a game, each with the number of the one that led to it: lines of play are scored from
 * their ends to the beginning.
 *
 * case: chess::Step split 300000 22
 * case: chess::Step split 400 190
 */
#[derive(Clone, Default)]
pub struct Notes { text: [u8; 24], more: [u8; 24], clock: u64, players: [u32; 4], year: u32 }
#[cfg(not(new))]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Step { before: u32, text: [u8; 24], more: [u8; 24], clock: u64, players: [u32; 4], year: u32, gain: i32 }
#[cfg(new)]
#[derive(Clone, Default)]
#[repr(C)]
pub struct Step { before: u32, gain: i32 }
#[inline(never)]
fn score(steps: &[Step], last: u32) -> i64 {
    let mut at = last;
    let mut sum = 0i64;
    while at != 0 {
        let s = &steps[at as usize];
        sum += s.gain as i64;
        at = s.before;
    }
    sum
}
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let n = a[0];
    let mut steps = vec![Step::default(); n];
    #[cfg(new)]
    let mut notes = vec![Notes::default(); n];
    let mut r = 13u64;
    for i in 1..n {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        steps[i].before = ((r >> 20) % i as u64) as u32;
        steps[i].gain = (i % 21) as i32 - 10;
        #[cfg(new)] { notes[i].clock = i as u64; notes[i].text[0] = 1; }
        #[cfg(not(new))] { steps[i].clock = i as u64; steps[i].text[0] = 1; }
    }
    let mut sum = 0i64;
    for k in 0..a[1] * 100000 {
        r ^= r << 13; r ^= r >> 7; r ^= r << 17;
        sum += score(&steps, ((r >> 20) % n as u64) as u32);
        if k % 64 == 0 { sum ^= 1; }
    }
    for i in 0..n {
        #[cfg(new)] { sum += notes[i].clock as i64; }
        #[cfg(not(new))] { sum += steps[i].clock as i64; }
    }
    println!("{}", sum);
}
