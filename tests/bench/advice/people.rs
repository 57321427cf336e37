// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An illness that spreads among people, who each meet some others on a day.
 *
 * case: people::Person split 400000 60
 * case: people::Person split 300 60000
 */
struct Rest {
    name: String,
    street: String,
    age: u32,
    income: f64,
}

struct Person {
    state: u8,
    days: u8,
    met: u32,
    #[cfg(not(new))]
    rest: Rest,
}

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[inline(never)]
fn day(people: &mut [Person], seed: &mut u64) -> u64 {
    let mut ill = 0;
    for i in 0..people.len() {
        if people[i].state != 1 {
            continue;
        }
        ill += 1;
        for _ in 0..6 {
            let other = (random(seed) % people.len() as u64) as usize;
            people[other].met += 1;
            if people[other].state == 0 && random(seed) % 20 == 0 {
                people[other].state = 1;
                people[other].days = 0;
            }
        }
        people[i].days += 1;
        if people[i].days > 9 {
            people[i].state = if random(seed) % 4 == 0 { 2 } else { 0 };
        }
    }
    for person in people.iter_mut() {
        if person.state == 2 && random(seed) % 16 == 0 {
            person.state = 0;
        }
    }
    ill
}

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mut seed = 88172645463325252;
    let mut people = Vec::new();
    let mut rests = Vec::new();
    for i in 0..args[0] {
        let rest = Rest {
            name: format!("name {i}"),
            street: format!("street {}", i / 40),
            age: (i % 90) as u32,
            income: i as f64,
        };
        #[cfg(new)]
        rests.push(rest);
        people.push(Person {
            state: (i % 100 == 0) as u8,
            days: 0,
            met: 0,
            #[cfg(not(new))]
            rest,
        });
    }
    let mut ill = 0;
    for _ in 0..args[1] {
        ill += day(&mut people, &mut seed);
    }
    #[cfg(not(new))]
    rests.extend(people.iter_mut().map(|p| std::mem::replace(&mut p.rest, Rest { name: String::new(), street: String::new(), age: 0, income: 0.0 })));
    let income: f64 = rests.iter().map(|r| r.income + r.age as f64 + r.name.len() as f64 + r.street.len() as f64).sum();
    println!("{ill} {income}");
}
