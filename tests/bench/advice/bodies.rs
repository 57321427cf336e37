// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bodies that attract each other: roots and divisions take the time.
 *
 * case: bodies::Body split 1500 60
 */
struct Body {
    at: [f64; 3],
    speed: [f64; 3],
    mass: f64,
    #[cfg(not(new))]
    rest: Rest,
}

#[derive(Clone, Default)]
struct Rest {
    name: String,
    found: u32,
    colour: [f32; 4],
    radius: f64,
}

#[inline(never)]
fn step(bodies: &mut [Body], dt: f64) {
    for i in 0..bodies.len() {
        let mut pull = [0.0; 3];
        for j in 0..bodies.len() {
            let d = [
                bodies[j].at[0] - bodies[i].at[0],
                bodies[j].at[1] - bodies[i].at[1],
                bodies[j].at[2] - bodies[i].at[2],
            ];
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
            let f = bodies[j].mass / (square * square.sqrt());
            for k in 0..3 {
                pull[k] += d[k] * f;
            }
        }
        for k in 0..3 {
            bodies[i].speed[k] += pull[k] * dt;
        }
    }
    for body in bodies {
        for k in 0..3 {
            body.at[k] += body.speed[k] * dt;
        }
    }
}

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mut bodies = Vec::new();
    let mut rests = Vec::new();
    for i in 0..args[0] {
        let rest = Rest { name: format!("body {i}"), found: 1900, colour: [1.0; 4], radius: i as f64 };
        rests.push(rest.clone());
        bodies.push(Body {
            at: [i as f64 * 1.7 % 31.0, i as f64 * 2.3 % 37.0, i as f64 * 3.1 % 41.0],
            speed: [0.0; 3],
            mass: 1.0 + (i % 7) as f64,
            #[cfg(not(new))]
            rest,
        });
    }
    for _ in 0..args[1] {
        step(&mut bodies, 0.01);
    }
    let sum: f64 = bodies.iter().map(|b| b.at[0] + b.speed[1]).sum();
    #[cfg(not(new))]
    let radius: f64 = bodies.iter().map(|b| b.rest.radius + b.rest.found as f64 + b.rest.colour[1] as f64 + b.rest.name.len() as f64).sum();
    #[cfg(new)]
    let radius: f64 = rests.iter().map(|r| r.radius + r.found as f64 + r.colour[1] as f64 + r.name.len() as f64).sum();
    println!("{sum} {radius} {}", rests.len());
}
