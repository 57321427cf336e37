// Enums with large variants, arrays in boxes, options and results that are moved.
#[derive(Clone, Copy)]
pub struct Point { pub x: f64, pub y: f64, pub z: f64 }
pub enum Node { Leaf { points: [Point; 4], count: usize }, Branch([usize; 9]), Empty }
#[derive(Clone, Copy)]
pub struct Page { pub words: [u64; 20] }
pub struct Store { pub page: Page, pub last: Option<Point>, pub result: Result<[u64; 6], u32> }

// COPY: nodes::Page CALL
#[inline(never)]
pub fn take_page(to: &mut Store, from: &Box<[Page; 8]>, i: usize) { to.page = from[i & 7]; }
// COPY: nodes::Point[]
#[inline(never)]
pub fn take_points(to: &mut [Point; 4], from: &Node) {
	if let Node::Leaf { points, .. } = from { *to = *points; }
}
// COPY: core::option::Option<nodes::Point>
#[inline(never)]
pub fn take_last(to: &mut Store, from: &Store) { to.last = from.last; }
// COPY: nodes::Node
#[inline(never)]
pub fn put_node(to: &mut Node, from: Node) { *to = from; }

#[inline(never)]
fn work(stores: &mut [Store], pages: &Box<[Page; 8]>, nodes: &mut [Node], rounds: usize) -> u64 {
	let mut sum = 0u64;
	let mut points = [Point { x: 0.0, y: 0.0, z: 0.0 }; 4];
	for i in 0..rounds {
		let (low, high) = stores.split_at_mut(8);
		take_page(&mut low[i & 7], pages, i);
		take_points(&mut points, &nodes[i * 3 & 7]);
		take_last(&mut low[i & 7], &high[i * 5 & 7]);
		put_node(&mut nodes[i & 7], Node::Leaf { points, count: i });
		sum = sum.wrapping_mul(31) ^ low[(i + 3) & 7].page.words[i & 7];
	}
	sum ^ points[0].x as u64
}

fn main() {
	let rounds = std::env::args().nth(1).map_or(16_000_000, |n| n.parse().unwrap());
	let page = Page { words: [1; 20] };
	let mut stores: Vec<Store> = (0..16).map(|_| Store { page, last: None, result: Err(1) }).collect();
	let mut nodes: Vec<Node> = (0..8).map(|_| Node::Branch([0; 9])).collect();
	let boxed = Box::new([page; 8]);
	std::process::exit((work(&mut stores, &boxed, &mut nodes, rounds) == 1) as i32);
}
