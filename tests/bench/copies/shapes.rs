// Enums with data, boxes and what has them, by move.
pub enum Shape { Circle { x: f64, y: f64, r: f64 }, Path(Box<[f64; 8]>, u64), Point(f64, f64) }
pub struct Layer { pub shape: Shape, pub name: [u8; 24], pub next: Option<Box<u64>> }

// COPY: core::mem::maybe_uninit::MaybeUninit<shapes::Layer>
#[inline(never)]
pub fn take_layer(to: &mut std::mem::MaybeUninit<Layer>, from: &std::mem::MaybeUninit<Layer>) {
	unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), 1) }
}
// COPY: shapes::Shape
#[inline(never)]
pub fn take_shape(to: &mut Layer, from: Shape) { std::mem::forget(std::mem::replace(&mut to.shape, from)); }

#[inline(never)]
fn work(layers: &mut Vec<std::mem::MaybeUninit<Layer>>, rounds: usize) -> f64 {
	let mut sum = 0.0;
	for i in 0..rounds {
		let (low, high) = layers.split_at_mut(32);
		take_layer(&mut low[i & 31], &high[i * 5 & 31]);
		let layer = unsafe { low[i & 31].assume_init_mut() };
		take_shape(layer, if i & 1 == 0 { Shape::Circle { x: i as f64, y: 2.0, r: 3.0 } } else { Shape::Point(1.0, i as f64) });
		if let Shape::Circle { x, .. } = layer.shape { sum += x }
	}
	sum
}

fn main() {
	let rounds = std::env::args().nth(1).map_or(16_000_000, |n| n.parse().unwrap());
	let mut layers = Vec::new();
	for _ in 0..64 {
		layers.push(std::mem::MaybeUninit::new(Layer { shape: Shape::Point(1.0, 2.0), name: [0; 24], next: None }));
	}
	std::process::exit((work(&mut layers, rounds) == 1.0) as i32);
}
