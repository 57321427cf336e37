// Tokens that are moved and copied between vectors.
#[derive(Clone, Copy, Default)]
pub struct Span { pub low: u64, pub high: u64, pub file: u64 }
#[derive(Clone, Copy, Default)]
pub struct Token { pub span: Span, pub kind: u64, pub text: [u64; 6] }
#[derive(Clone, Copy)]
pub struct Page { pub tokens: [Token; 12], pub count: u64 }

// COPY: tokens::Token
#[inline(never)]
pub fn take_token(to: &mut Token, from: &Token) { *to = *from; }
// COPY: tokens::Span
#[inline(never)]
pub fn take_span(to: &mut Token, from: &Token) { to.span = from.span; }
// COPY: tokens::Page CALL
#[inline(never)]
pub fn take_page(to: &mut Page, from: &Page) { *to = *from; }

#[inline(never)]
fn work(tokens: &mut Vec<Token>, pages: &mut Vec<Page>, rounds: usize) -> u64 {
	let mut sum = 0u64;
	for i in 0..rounds {
		let (low, high) = tokens.split_at_mut(128);
		take_token(&mut low[i & 127], &high[i & 127]);
		take_span(&mut high[i * 3 & 127], &low[i & 127]);
		let (a, b) = pages.split_at_mut(4);
		take_page(&mut a[i & 3], &b[i & 3]);
		for k in 0..30 {
			sum = sum.wrapping_mul(31) ^ tokens[(i + k) & 255].kind;
		}
	}
	sum
}

fn main() {
	let rounds = std::env::args().nth(1).map_or(8_000_000, |n| n.parse().unwrap());
	let mut tokens = vec![Token::default(); 256];
	let mut pages = vec![Page { tokens: [Token::default(); 12], count: 0 }; 8];
	std::process::exit((work(&mut tokens, &mut pages, rounds) == 1) as i32);
}
