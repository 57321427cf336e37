// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Glyphs of a page: their widths are summed up in order, all else is rarely asked for.
 *
 * case: glyphs::Glyph split 260000 900
 * case: glyphs::Glyph split 250 900000
 */
use std::env;
#[derive(Clone, Default)]
struct Shape { outline: [u64; 6], font: u32, script: u32, cluster: u64 }
#[cfg(not(new))]
#[derive(Clone, Default)]
struct Glyph { outline: [u64; 6], font: u32, script: u32, cluster: u64, width: f32, kerning: f32 }
#[cfg(new)]
#[derive(Clone, Default)]
struct Glyph { width: f32, kerning: f32 }
#[inline(never)]
fn measure(page: &[Glyph], limit: f32) -> u32 {
    let (mut x, mut lines) = (0.0f32, 0);
    for g in page {
        x += g.width - g.kerning;
        if x > limit { x = 0.0; lines += 1; }
    }
    lines
}
fn main() {
    let a: Vec<usize> = env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let mut page = vec![Glyph::default(); a[0]];
    #[cfg(new)]
    let mut shapes = vec![Shape::default(); a[0]];
    for i in 0..a[0] {
        page[i].width = (i % 11) as f32 + 3.0;
        page[i].kerning = (i % 3) as f32 / 4.0;
        #[cfg(new)]
        { shapes[i].cluster = i as u64; }
        #[cfg(not(new))]
        { page[i].cluster = i as u64; }
    }
    let mut sum = 0u64;
    for k in 0..a[1] { sum += measure(&page, 400.0 + k as f32) as u64; }
    #[cfg(new)]
    { sum += shapes.iter().map(|s| s.cluster).sum::<u64>(); }
    #[cfg(not(new))]
    { sum += page.iter().map(|s| s.cluster).sum::<u64>(); }
    println!("{}", sum);
}
