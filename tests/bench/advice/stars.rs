// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A catalogue of stars is searched for those of a field of the sky that are bright enough.
 *
 * case: stars::Star split 300000 180
 */
struct About {
    name: String,
    class: [u8; 12],
    distance: f64,
    speed: f64,
    seen: Vec<u32>,
}
struct Star {
    ra: f32,
    dec: f32,
    magnitude: f32,
    #[cfg(not(new))]
    about: About,
}
#[inline(never)]
fn count(stars: &[Star], ra: f32, dec: f32, least: f32) -> usize {
    let mut n = 0;
    for s in stars {
        if s.magnitude < least && (s.ra - ra).abs() < 20.0 && (s.dec - dec).abs() < 20.0 {
            n += 1;
        }
    }
    n
}
fn main() {
    let a: Vec<usize> = std::env::args()
        .skip(1)
        .map(|x| x.parse().unwrap())
        .collect();
    let mut seed: u64 = 88172645463325252;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % 100000) as f32 / 100000.0
    };
    let mut stars = Vec::new();
    let mut abouts = Vec::new();
    for i in 0..a[0] {
        let about = About {
            name: format!("star {i}"),
            class: [b'a'; 12],
            distance: i as f64,
            speed: 1.0,
            seen: Vec::new(),
        };
        #[cfg(new)]
        abouts.push(about);
        stars.push(Star {
            ra: 360.0 * random(),
            dec: 180.0 * random() - 90.0,
            magnitude: 20.0 * random(),
            #[cfg(not(new))]
            about,
        });
    }
    let mut n = 0;
    for k in 0..a[1] {
        n += count(&stars, (k % 360) as f32, (k % 180) as f32 - 90.0, 6.0);
    }
    #[cfg(not(new))]
    abouts.extend(stars.into_iter().map(|s| s.about));
    let d: f64 = abouts
        .iter()
        .map(|x| {
            x.distance + x.speed + x.class[3] as f64 + x.name.len() as f64 + x.seen.len() as f64
        })
        .sum();
    println!("{n} {d}");
}
