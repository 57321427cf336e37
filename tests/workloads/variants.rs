// SPDX-License-Identifier: GPL-2.0-or-later
// A record with an enum whose variants have different sizes, for tests/whole/test_whole_layout.c.
pub enum Value {
    Flag(bool),
    Number(f64),
    Text(String),
}

pub struct Node {
    pub key: u64,
    pub value: Value,
    pub left: usize,
}

#[no_mangle]
#[inline(never)]
pub fn sum_nodes(nodes: &[Node]) -> f64 {
    let mut sum = 0.0;
    for node in nodes {
        sum += node.key as f64;
        sum += match &node.value {
            Value::Flag(flag) => *flag as u64 as f64,
            Value::Number(number) => *number,
            Value::Text(text) => text.len() as f64,
        };
    }
    sum
}

fn main() {
    let nodes: Vec<Node> = (0..9)
        .map(|i| Node {
            key: i,
            value: match i % 3 {
                0 => Value::Flag(true),
                1 => Value::Number(0.5),
                _ => Value::Text(i.to_string()),
            },
            left: 0,
        })
        .collect();
    println!("{} {}", sum_nodes(&nodes), nodes[0].left);
}
