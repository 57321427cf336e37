// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary tree in a vector whose nodes name their children by index.
 *
 * case: library::Node split 300000 4000000
 */
use std::hint::black_box;

struct Rest {
    title: String,
    author: [u8; 32],
    year: u32,
    loans: u64,
}

struct Node {
    key: u64,
    left: u32,
    right: u32,
    #[cfg(not(new))]
    rest: Rest,
}

struct Tree {
    nodes: Vec<Node>,
    #[cfg(new)]
    rests: Vec<Rest>,
}

const NONE: u32 = u32::MAX;

impl Tree {
    fn insert(&mut self, key: u64, year: u32) {
        let new = self.nodes.len() as u32;
        let rest = Rest { title: String::new(), author: [0; 32], year, loans: 0 };
        #[cfg(new)]
        self.rests.push(rest);
        self.nodes.push(Node {
            key,
            left: NONE,
            right: NONE,
            #[cfg(not(new))]
            rest,
        });
        if new == 0 {
            return;
        }
        let mut at = 0usize;
        loop {
            let node = &mut self.nodes[at];
            let next = if key < node.key { &mut node.left } else { &mut node.right };
            if *next == NONE {
                *next = new;
                return;
            }
            at = *next as usize;
        }
    }

    #[inline(never)]
    fn floor(&self, key: u64) -> u64 {
        let mut at = 0u32;
        let mut best = 0;
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.key <= key {
                best = node.key;
            }
            at = if key < node.key { node.left } else { node.right };
        }
        best
    }

    fn year(&self, at: usize) -> u64 {
        #[cfg(new)]
        let rest = &self.rests[at];
        #[cfg(not(new))]
        let rest = &self.nodes[at].rest;
        rest.year as u64 + rest.loans + rest.title.len() as u64 + rest.author[0] as u64
    }
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mut tree = Tree {
        nodes: Vec::with_capacity(arguments[0]),
        #[cfg(new)]
        rests: Vec::with_capacity(arguments[0]),
    };
    let mut seed = 3u64;
    let mut draw = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        seed >> 20
    };
    for i in 0..arguments[0] {
        tree.insert(draw(), i as u32);
    }
    let mut sum = 0u64;
    for _ in 0..arguments[1] {
        sum = sum.wrapping_add(tree.floor(black_box(draw())));
    }
    println!("{} {}", sum, tree.year(arguments[0] / 2));
}
