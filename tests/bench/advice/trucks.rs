// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fleet of trucks: each tick moves all of them, and each tenth one looks for those that are late.
 *
 * case: trucks::Truck split 200000 500
 * case: trucks::Truck split 250 400000
 */
struct Rest {
    plate: String,
    driver: String,
    load: [f64; 4],
    built: u32,
}

struct Truck {
    x: f32,
    y: f32,
    heading: f32,
    speed: f32,
    late: bool,
    #[cfg(not(new))]
    rest: Rest,
}

#[inline(never)]
fn tick(trucks: &mut [Truck], dt: f32) {
    for truck in trucks {
        truck.x += truck.speed * dt;
        truck.y += truck.heading * truck.speed * dt;
        if truck.x > 1000.0 {
            truck.x -= 1000.0;
            truck.late = true;
        }
    }
}

#[inline(never)]
fn late(trucks: &mut [Truck]) -> usize {
    let mut count = 0;
    for truck in trucks {
        count += truck.late as usize;
        truck.late = false;
    }
    count
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let rest = |i: usize| Rest { plate: i.to_string(), driver: String::new(), load: [i as f64; 4], built: 2000 };
    let mut trucks: Vec<Truck> = (0..arguments[0])
        .map(|i| Truck {
            x: (i % 1000) as f32,
            y: 0.0,
            heading: (i % 7) as f32 / 7.0,
            speed: 1.0 + (i % 13) as f32,
            late: false,
            #[cfg(not(new))]
            rest: rest(i),
        })
        .collect();
    #[cfg(new)]
    let rests: Vec<Rest> = (0..arguments[0]).map(rest).collect();
    #[cfg(not(new))]
    let rests: Vec<&Rest> = trucks.iter().map(|truck| &truck.rest).collect();
    let built: f64 = rests.iter().map(|r| r.built as f64 + r.load[0] + (r.plate.len() + r.driver.len()) as f64).sum();
    let mut count = 0;
    for k in 0..arguments[1] {
        tick(&mut trucks, 0.1);
        if k % 10 == 0 {
            count += late(&mut trucks);
        }
    }
    println!("{} {} {}", count, built, trucks[arguments[0] / 2].y);
}
