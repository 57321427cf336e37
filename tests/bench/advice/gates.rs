// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A circuit that is simulated step by step: each gate reads the outputs of two others.
 *
 * case: gates::Gate split 300000 100
 */
struct Rest {
    name: String,
    x: f64,
    y: f64,
    delay: f64,
    changes: u64,
}

struct Gate {
    left: u32,
    right: u32,
    kind: u8,
    output: bool,
    #[cfg(not(new))]
    rest: Rest,
}

#[inline(never)]
fn step(gates: &mut [Gate]) -> u64 {
    let mut ones = 0;
    for i in 0..gates.len() {
        let a = gates[gates[i].left as usize].output;
        let b = gates[gates[i].right as usize].output;
        let output = match gates[i].kind {
            0 => a & b,
            1 => a | b,
            2 => a ^ b,
            _ => !(a & b),
        };
        gates[i].output = output;
        ones += output as u64;
    }
    ones
}

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mut seed: u64 = 88172645463325252;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut gates = Vec::new();
    let mut rests = Vec::new();
    for i in 0..args[0] {
        let rest = Rest { name: format!("gate {i}"), x: i as f64, y: 0.0, delay: 1.5, changes: 0 };
        #[cfg(new)]
        rests.push(rest);
        gates.push(Gate {
            left: (random() % args[0] as u64) as u32,
            right: (random() % args[0] as u64) as u32,
            kind: (random() % 4) as u8,
            output: random() % 2 == 0,
            #[cfg(not(new))]
            rest,
        });
    }
    let mut ones = 0;
    for _ in 0..args[1] {
        ones += step(&mut gates);
    }
    #[cfg(not(new))]
    rests.extend(gates.into_iter().map(|g| g.rest));
    let sum: f64 = rests.iter().map(|r| r.x + r.y + r.delay + r.changes as f64 + r.name.len() as f64).sum();
    println!("{ones} {sum}");
}
