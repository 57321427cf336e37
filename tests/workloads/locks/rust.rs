// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of the standard library of Rust. Prints the
 * truth: address, size, and the names that are right.
 */
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread; use std::time::Duration;
fn hold(us: u64) { thread::sleep(Duration::from_micros(us)); }
struct Account { id: u64, name: String, balance: Mutex<u64>, history: RwLock<Vec<u64>> }
struct Gate { open: Mutex<u64>, changed: Condvar, waits: u64 }
struct Shard { hits: u64, slot: Mutex<Vec<u32>> }
struct Shared { uses: u64, one: Option<Arc<Mutex<u32>>>, many: Vec<Mutex<u16>>, small: [Mutex<u16>; 3] }
struct Table { name: String, shards: Vec<Shard>, fixed: [Mutex<u64>; 4] }
static REGISTRY: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static CONFIG: RwLock<u64> = RwLock::new(0);
static START: Once = Once::new();
static CELL: OnceLock<u64> = OnceLock::new();
static LATE: OnceLock<Mutex<Vec<u8>>> = OnceLock::new();
fn truth<T>(t: &T, names: &str) { println!("{:p} {} {}", t, std::mem::size_of::<T>(), names); }
#[inline(never)] fn deposit(a: &Account, n: u64) { let mut b = a.balance.lock().unwrap(); *b += n; hold(100); }
#[inline(never)] fn record(a: &Account, n: u64) { let mut h = a.history.write().unwrap(); if h.len() > 50 { h.clear(); } h.push(n); hold(60); }
#[inline(never)] fn total(a: &Account) -> usize { let h = a.history.read().unwrap(); hold(60); h.len() }
#[inline(never)] fn wait_open(g: &Gate) { let mut o = g.open.lock().unwrap(); while *o == 0 { o = g.changed.wait(o).unwrap(); } *o -= 1; }
#[inline(never)] fn wait_timed(g: &Gate) { let o = g.open.lock().unwrap(); let _ = g.changed.wait_timeout(o, Duration::from_millis(1)).unwrap(); }
#[inline(never)] fn open(g: &Gate) { *g.open.lock().unwrap() += 1; g.changed.notify_one(); }
#[inline(never)] fn shard(t: &Table, i: usize) { let mut s = t.shards[i].slot.lock().unwrap(); if s.len() > 9 { s.clear(); } s.push(1); hold(80); }
#[inline(never)] fn fixed(t: &Table, i: usize) { *t.fixed[i].lock().unwrap() += 1; hold(1); let g = t.fixed[i].lock().unwrap(); hold(60 + *g % 3); }
// Locks behind smart pointers, and in arrays and containers, of a record.
#[inline(never)] fn shared(s: &Shared, i: usize) {
    if let Some(one) = &s.one { let mut g = one.lock().unwrap(); *g += 1; hold(150); }
    { let mut g = s.many[i & 1].lock().unwrap(); *g += 1; hold(150); }
    { let mut g = s.small[i & 1].lock().unwrap(); *g += s.uses as u16; hold(150); }
    { let mut g = LATE.get().unwrap().lock().unwrap(); if g.len() > 9 { g.clear(); } g.push(1); hold(100); }
}
fn main() {
    let a = Arc::new(Account { id: 1, name: String::from("x"), balance: Mutex::new(0), history: RwLock::new(vec![]) });
    let g = Arc::new(Gate { open: Mutex::new(0), changed: Condvar::new(), waits: 0 });
    let t = Arc::new(Table { name: String::new(), shards: (0..2).map(|i| Shard { hits: i, slot: Mutex::new(vec![]) }).collect(), fixed: Default::default() });
    truth(&a.balance, "Account (balance)"); truth(&a.history, "Account (history)"); truth(&g.open, "Gate (open)"); truth(&g.changed, "Gate (changed)");
    for s in &t.shards { truth(&s.slot, "Shard (slot)"); } for f in &t.fixed { truth(f, "Table (fixed)"); }
    truth(&REGISTRY, "REGISTRY"); truth(&CONFIG, "CONFIG"); truth(&START, "START"); truth(&CELL, "CELL");
    let barrier = Arc::new(Barrier::new(4)); truth(&*barrier, "Barrier|Barrier (lock)|Barrier (cvar)");
    let (tx, rx) = mpsc::channel::<u64>(); let rx = Arc::new(Mutex::new(rx)); truth(&*rx, "rx|ArcInner (data)");
    let s = Arc::new(Shared { uses: 1, one: Some(Arc::new(Mutex::new(0))), many: (0..2).map(Mutex::new).collect(), small: Default::default() });
    truth(&**s.one.as_ref().unwrap(), "ArcInner (data)|Shared (*one)"); for m in &s.many { truth(m, "Shared (*many)|Shared (many)"); } for m in &s.small { truth(m, "Shared (small)"); }
    LATE.set(Mutex::new(vec![])).unwrap(); truth(LATE.get().unwrap(), "LATE");
    let local = Arc::new(Mutex::new(0u8)); truth(&*local, "local|ArcInner (data)");
    let mut v = vec![];
    for n in 0..4u64 {
        let (a, g, t, barrier, tx, rx, s, local) = (a.clone(), g.clone(), t.clone(), barrier.clone(), tx.clone(), rx.clone(), s.clone(), local.clone());
        v.push(thread::spawn(move || {
            START.call_once(|| hold(20000)); CELL.get_or_init(|| { hold(20000); 5 });
            for i in 0..100u64 {
                deposit(&a, i); record(&a, i); total(&a); shard(&t, (i & 1) as usize); fixed(&t, ((n & 1) + 1) as usize);
                if n == 0 { wait_open(&g); } else { open(&g); } wait_timed(&g);
                { let mut r = REGISTRY.lock().unwrap(); if r.len() > 20 { r.clear(); } r.push(i); hold(50); }
                { if i % 4 == 0 { *CONFIG.write().unwrap() += 1; } else { let _c = CONFIG.read().unwrap(); hold(30); } }
                shared(&s, i as usize);
                { let mut g = local.lock().unwrap(); *g = i as u8; hold(200); }
                if i % 20 == 0 { barrier.wait(); }
                tx.send(i).unwrap(); let _ = rx.lock().unwrap().recv().unwrap();
            }
        }));
    }
    for j in v { j.join().unwrap(); }
}
