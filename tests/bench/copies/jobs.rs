// Jobs that move through a queue: moves of what is not Copy.
pub struct Limits { pub time: u64, pub memory: u64, pub files: u64, pub depth: u64 }
pub struct Job { pub id: u64, pub limits: Limits, pub input: Option<Box<u64>>, pub log: [u64; 5] }

// COPY: jobs::Job
#[inline(never)]
pub fn exchange(a: &mut Job, b: &mut Job) { std::mem::swap(a, b); }
// COPY: jobs::Limits
#[inline(never)]
pub fn limit(to: &mut Job, limits: &Limits) {
	to.limits = Limits { time: limits.time, memory: limits.memory, files: limits.files, depth: limits.depth };
}

#[inline(never)]
fn work(jobs: &mut Vec<Job>, limits: &Limits, rounds: usize) -> u64 {
	let mut sum = 0u64;
	for i in 0..rounds {
		let (low, high) = jobs.split_at_mut(32);
		exchange(&mut low[i & 31], &mut high[i * 5 & 31]);
		limit(&mut low[i & 31], limits);
		for k in 0..16 {
			sum = sum.wrapping_mul(31) ^ jobs[(i + k) & 63].id;
		}
	}
	sum
}

fn main() {
	let rounds = std::env::args().nth(1).map_or(16_000_000, |n| n.parse().unwrap());
	let mut jobs = Vec::new();
	for id in 0..64 {
		jobs.push(Job { id, limits: Limits { time: 1, memory: 2, files: 3, depth: 4 }, input: None, log: [0; 5] });
	}
	let limits = Limits { time: 5, memory: 6, files: 7, depth: 8 };
	std::process::exit((work(&mut jobs, &limits, rounds) == 1) as i32);
}
