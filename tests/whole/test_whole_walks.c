// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How dtprof layout says that code goes from one object to the next, on functions that are written
 * down here: searches, trees, heaps and loops that the library has. Each access has a sample.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

static void layout(struct workload *workload, const char *arguments, struct process_result *result)
{
	shell_must(result, "%s layout -q -i %s %s", dtprof_path(), workload->data, arguments);
}

/* Returns the line of the text that has both words. */
static const char *line_with(const char *text, const char *first, const char *second)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		_cleanup_free_ char *copy = xstrndup(line, length);

		if (strstr(copy, first) && strstr(copy, second))
			return line;
		line += length + (line[length] == '\n');
	}
	fail_msg("no line with '%s' and '%s' in:\n%s", first, second, text);
	return NULL;
}

/* Descents from a node to one of its children, by pointers and by indexes in a pool; and a search
 * that needs no load to find the next place. */
static const char descent_source[] =
	"#include <stdatomic.h>\n"
	"struct crossing { char sign[28]; unsigned ways[2]; unsigned place; };\n"
	"struct page { char values[64]; long keys[8]; struct page *child[9]; int count; };\n"
	"struct row { char text[40]; long key; };\n"
	"__attribute__((noinline)) long travel(struct crossing *all, unsigned turns)\n"
	"{ unsigned at = 0, next;\n"
	" while ((next = all[at].ways[turns >> 31])) { at = next; turns <<= 1; }\n"
	" return all[at].place; }\n"
	"__attribute__((noinline)) struct page *descend(struct page *p, long key)\n"
	"{ while (p->child[0]) { int i = 0; while (i < p->count && p->keys[i] < key) i++;\n"
	" p = p->child[i]; } return p; }\n"
	"__attribute__((noinline)) long bisect(struct row *rows, long n, long key)\n"
	"{ long low = 0; while (low < n) { long middle = (low + n) / 2;\n"
	" if (rows[middle].key < key) low = middle + 1; else n = middle; } return low; }\n"
	/* 120 bytes are found by a difference, and 2 * at is no walk in order */
	"struct leaf { double key; int left, right; char name[104]; };\n"
	"struct event { long time; char text[56]; };\n"
	"static inline unsigned mix(unsigned seed)\n"
	"{ return seed * 1664525 +\n"
	" 1013904223; }\n"
	"__attribute__((noinline)) int reach(struct leaf *all, double key)\n"
	"{ int at = 0, last = 0; while (at >= 0) { last = at;\n"
	" at = key < all[at].key ? all[at].left : all[at].right; } return last; }\n"
	"__attribute__((noinline)) long sift(struct event *heap, long count, long time)\n"
	"{ long at = 1; while (at * 2 < count && heap[at * 2].time < time)\n"
	" { heap[at].time = heap[at * 2].time; at *= 2; } return at; }\n"
	"__attribute__((noinline)) long draw(struct event *heap, unsigned seed)\n"
	"{ long sum = 0; for (int i = 0; i < 99; i++) {\n"
	" seed = mix(seed);\n"
	" sum += heap[seed >> 20].time; } return sum; }\n"
	/* compilers choose the address, or an index, without a jump */
	"struct twig { char name[56]; unsigned long key; unsigned less, more; int rest[6]; };\n"
	"__attribute__((noinline)) unsigned long below(struct twig *all, unsigned long key)\n"
	"{ unsigned at = 0; unsigned long best = 0; while (at != ~0U) {\n"
	" struct twig *t = &all[at]; if (t->key <= key) best = t->key;\n"
	" unsigned *next = key < t->key ? &t->less : &t->more; at = *next; } return best; }\n"
	/* one address, which is computed in one block and used in others */
	"struct bead { int size, left, right, rank; char text[88]; };\n"
	"__attribute__((noinline)) int *thread(struct bead *all, int *at, int size, int rank)\n"
	"{ while (*at >= 0 && all[*at].rank >= rank) { struct bead *b = &all[*at];\n"
	" at = size < b->size ? &b->left : &b->right; } return at; }\n"
	/* what follows the loop uses the object that the loop has found by its code */
	"struct sale { long code; char title[56]; long price; struct sale *next; };\n"
	"__attribute__((noinline)) long sell(struct sale **all, long *codes, long n)\n"
	"{ long sum = 0; while (n--) { long code = codes[n]; struct sale *s = all[code & 1023];\n"
	" while (s && s->code != code) s = s->next;\n"
	" if (s) sum += s->price; } return sum; }\n"
	/* each path through the loop adds the step by itself */
	"struct room { char name[72]; char kind; int until, price; long bed; };\n"
	"__attribute__((noinline)) long offers(struct room *all, unsigned n, int day, char kind)\n"
	"{ long sum = 0; for (unsigned i = 0; i < n; i++)\n"
	" if (all[i].kind == kind && all[i].until < day) sum += all[i].price;\n"
	" return sum; }\n"
	/* clang keeps the address of an element only where it is used again */
	"struct stall { char name[64]; int stock, price; };\n"
	"__attribute__((noinline)) long order(struct stall *all, unsigned long seed)\n"
	"{ long sum = 0; for (int i = 0; i < 99; i++) {\n"
	" unsigned long at = (seed = seed * 1664525 + 1013904223) >> 52;\n"
	" struct stall *s = &all[at];\n"
	" if (s->stock > 0) { s->stock--; sum += s->price; } }\n"
	" return sum; }\n"
	/* the way to one child may be a loop in that to the other one */
	"struct bottle { struct bottle *less; char label[72]; long key; long notes[5];"
	" struct bottle *more; };\n"
	"__attribute__((noinline)) struct bottle *taste(struct bottle *at, long key)\n"
	"{ while (at && at->key != key) at = key < at->key ? at->less : at->more;\n"
	" return at; }\n"
	/* whichever element of its array, it is one object */
	"struct coder { char name[64]; unsigned long out; unsigned table[32]; };\n"
	"__attribute__((noinline)) void encode(struct coder *c, const unsigned char *text, long "
	"n)\n"
	"{ while (n--) c->out += c->table[text[n] & 31]; }\n"
	/* a register may have the address of a member */
	"struct ring { _Atomic unsigned long head, tail; unsigned long put, full, taken, empty;"
	" unsigned *slots; };\n"
	"__attribute__((noinline)) unsigned long consume(struct ring *r, unsigned long *items)\n"
	"{ unsigned long sum = 0, i = 0; while (i < *items) {\n"
	" unsigned long tail = atomic_load_explicit(&r->tail, memory_order_relaxed);\n"
	" if (tail == atomic_load_explicit(&r->head, memory_order_acquire))\n"
	" { r->empty++; continue; }\n"
	" sum += r->slots[tail & 4095]; r->taken++; i++;\n"
	" atomic_store_explicit(&r->tail, tail + 1, memory_order_release); }\n"
	" return sum; }\n"
	/* a loop that is entered in two places: the first test of the inner one is known to fail */
	"struct stage { short count, last; int id; struct stage *down[16]; int keys[16]; };\n"
	"__attribute__((noinline)) struct stage *enter(struct stage *s, int key)\n"
	"{ for (;;) { int i = 0; while (i < s->count && s->keys[i] <= key) i++;\n"
	" if (s->last) return i && s->keys[i - 1] == key ? s->down[i - 1] : 0;\n"
	" s = s->down[i ? i - 1 : 0]; } }\n"
	/* a row of a table, whose begin is computed again after each store of a char */
	"struct tile { char kind, note[47]; long heat; };\n"
	"struct map { struct tile *tiles; int width, height; };\n"
	"__attribute__((noinline)) long warm(struct map *m)\n"
	"{ long sum = 0; for (int y = 0; y < m->height; y++) for (int x = 0; x < m->width; x++)\n"
	" { struct tile *t = &m->tiles[y * m->width + x];\n"
	" if (t->kind) { t->kind--; sum += t->heat; } } return sum; }\n"
	/* what a list's objects point to is no list */
	"struct word { long uses; char text[56]; };\n"
	"struct chain_link { struct chain_link *next; struct word *word; };\n"
	"__attribute__((noinline)) long uses(struct chain_link *l)\n"
	"{ long sum = 0; for (; l; l = l->next) sum += l->word->uses; return sum; }\n"
	/* "rep stos" and "rep movs" are uses of all bytes, and of both objects of a copy */
	"#include <string.h>\n"
	"struct block { long id; long words[39]; long last; struct block *next; };\n"
	"__attribute__((noinline)) void wipe(struct block *all, unsigned n, unsigned seed)\n"
	"{ for (unsigned i = 0; i < n; i++) { seed = seed * 1664525 + 1013904223;\n"
	" memset(&all[seed >> 16], 0, sizeof(*all)); } }\n"
	"__attribute__((noinline)) void fill(struct block *all, unsigned n, unsigned seed)\n"
	"{ for (unsigned i = 0; i < n; i++) { seed = seed * 1664525 + 1013904223;\n"
	" all[seed >> 16] = all[i]; } }\n"
	"int main(void) { return 0; }\n";

static void test_descents(void **state)
{
	static const char *const functions[] = { "travel", "descend", "bisect", "reach",   "sift",
						 "draw",   "below",   "thread", "sell",    "offers",
						 "order",  "taste",   "encode", "consume", "enter",
						 "wipe",   "fill",    "uses",   "warm",    NULL };
	_cleanup_process_ struct process_result crossing = { 0 }, page = { 0 }, row = { 0 },
						leaf = { 0 }, event = { 0 }, twig = { 0 },
						bead = { 0 }, sale = { 0 }, room = { 0 },
						stall = { 0 }, bottle = { 0 }, coder = { 0 },
						ring = { 0 }, stage = { 0 }, block = { 0 },
						code = { 0 }, word = { 0 }, link = { 0 },
						tile = { 0 }, searched = { 0 }, passed = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("descent.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, descent_source, strlen(descent_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=crossing", &crossing);
	line_with(crossing.output.data, "travel", "chase");
	line_with(crossing.output.data, "Pointer chase", "travel");
	layout(workload, "--type=page", &page);
	line_with(page.output.data, "descend", "chase");
	layout(workload, "--type=row", &row);
	line_with(row.output.data, "bisect", "scattered");
	layout(workload, "--type=leaf", &leaf);
	line_with(leaf.output.data, "reach", "chase");
	layout(workload, "--type=event", &event);
	line_with(event.output.data, "sift", "scattered");
	/* named by a line of its own, not of what was inlined */
	line_with(event.output.data, "draw descent.c:2", "scattered");
	/* one object has what is compared and both members that lead on */
	layout(workload, "--type=twig", &twig);
	line_with(twig.output.data, "below", "chase");
	assert_non_null(strstr(twig.output.data, "key and less up to 100%"));
	assert_non_null(strstr(twig.output.data, "key and more up to 100%"));
	layout(workload, "--type=bead", &bead);
	line_with(bead.output.data, "size and rank", "100%");
	layout(workload, "--type=sale", &sale);
	line_with(sale.output.data, "sell descent.c", "scattered");
	assert_non_null(strstr(sale.output.data, "code and price"));
	assert_null(strstr(sale.output.data, "price and next"));
	layout(workload, "--type=sale --json", &searched);
	assert_non_null(strstr(searched.output.data, "\"searches\": true"));
	layout(workload, "--type=chain_link --json", &passed);
	assert_null(strstr(passed.output.data, "\"searches\""));
	layout(workload, "--type=room --json", &room);
	assert_non_null(strstr(room.output.data, "\"step\": 96"));
	assert_null(strstr(room.output.data, "\"step\": 192"));
	layout(workload, "--type=stall --json", &stall);
	assert_non_null(strstr(stall.output.data, "\"base\": 0"));
	assert_null(strstr(stall.output.data, "\"base\": 1"));
	layout(workload, "--type=bottle", &bottle);
	line_with(bottle.output.data, "Used together", "less and key up to 100%");
	line_with(bottle.output.data, "less and more up to", "");
	/* the way to the next one is sometimes the one member, sometimes the other */
	line_with(bottle.output.data, "Pointer chase: taste", "");
	assert_null(strstr(bottle.output.data, "through '"));
	layout(workload, "--type=coder", &coder);
	line_with(coder.output.data, "same      encode", "out");
	layout(workload, "--type=ring", &ring);
	line_with(ring.output.data, "head and tail 100%", "");
	layout(workload, "--type=stage", &stage);
	line_with(stage.output.data, "chase     enter", "count");
	/* its visits are whole with what the inner loop uses */
	assert_non_null(strstr(stage.output.data, "count and keys up"));
	layout(workload, "--type=tile", &tile);
	line_with(tile.output.data, "stream    warm", "");
	layout(workload, "--type=chain_link", &link);
	line_with(link.output.data, "chase     uses", "");
	layout(workload, "--type=word", &word);
	line_with(word.output.data, "scattered uses", "");
	assert_null(strstr(word.output.data, "Pointer chase"));
	/* gcc 16 calls memset() and memcpy() */
	shell_must(&code, "objdump -d %s", workload->program);
	if (strstr(code.output.data, "rep stos")) {
		layout(workload, "--type=block", &block);
		line_with(block.output.data, "wipe", "id= words= +2");
		line_with(block.output.data, "fill", "id= words= +2");
		assert_non_null(strstr(block.output.data, "id and next 100%"));
	}
	workload_destroy(workload);
}

/* The loop is in a header of the library, and was inlined into a line of the user's. */
static const char library_source[] =
	"#include <numeric>\n"
	"#include <vector>\n"
	"struct parcel { char street[40]; long weight; };\n"
	"__attribute__((noinline)) long total(std::vector<parcel> &all)\n"
	"{\n"
	"\treturn std::accumulate(all.begin(), all.end(), 0L,\n"
	"\t\t[](long sum, const parcel &p) { return sum + p.weight; });\n"
	"}\n"
	"int main() { std::vector<parcel> none; return total(none) != 0; }\n";

static void test_loops_in_library_code(void **state)
{
	static const char *const functions[] = { "_Z5totalRSt6vectorI6parcelSaIS0_EE", NULL };
	_cleanup_process_ struct process_result parcel = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("total.cc"));
	struct workload *workload;

	(void)state;
	need_compiler("c++");
	file_write(path, library_source, strlen(library_source));
	workload = workload_build("c++ -O2 -g -fno-tree-vectorize", path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=parcel", &parcel);
	line_with(parcel.output.data, "stream", "total.cc:");
	assert_null(strstr(parcel.output.data, "stl_numeric.h"));
	workload_destroy(workload);
}

/* Each loop is named by its head and the function that it is written in, whatever is inlined into
 * it or around it, and padded within; and code outside of loops, by its function. */
static const char named_source[] =
	"struct guest { long id; char text[80]; long until; int next; };\n"
	"static inline unsigned long turn(unsigned long seed)\n"
	"{\n"
	"\tseed ^= seed << 13;\n"
	"\treturn seed ^ seed >> 7;\n"
	"}\n"
	"static inline struct guest *meet(struct guest *all, int *heads, long id)\n"
	"{\n"
	"\tint at = heads[id & 1023];\n"
	"\twhile (at >= 0) {\n" /* line 10 */
	"\t\tstruct guest *g = &all[at];\n"
	"\t\tif (g->id == id)\n"
	"\t\t\treturn g;\n"
	"\t\tat = g->next;\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n"
	"__attribute__((noinline)) void invite(struct guest *g, long id)\n"
	"{\n"
	"\tg->id = turn(id);\n"
	"\tg->until = id;\n"
	"}\n"
	"static inline long greet(struct guest *all, int *heads, long n)\n"
	"{\n"
	"\tlong sum = 0;\n"
	"\tunsigned long seed = 1;\n"
	"\tfor (long now = 0; now < n; now++) {\n" /* line 27 */
	"\t\tseed = turn(seed);\n"
	"\t\tstruct guest *g = meet(all, heads, seed >> 20);\n"
	"\t\tif (!g) {\n"
	"\t\t\tif ((seed & 31) == 0)\n"
	"\t\t\t\tinvite(&all[now], now);\n"
	"\t\t\tcontinue;\n"
	"\t\t}\n"
	"\t\tif (g->until < now)\n"
	"\t\t\tg->until = now + 300000;\n"
	"\t}\n"
	"\treturn sum;\n"
	"}\n"
	"static struct guest guests[9999];\n"
	"static int heads[1024];\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"\treturn greet(guests, heads, argc) != 0;\n"
	"}\n";

static void test_names_of_loops(void **state)
{
	static const char *const functions[] = { "main", "invite", NULL };
	_cleanup_process_ struct process_result guest = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("named.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, named_source, strlen(named_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=guest", &guest);
	line_with(guest.output.data, "chase     meet named.c:10 ", "id");
	line_with(guest.output.data, "scattered greet named.c:27 ", "until=");
	line_with(guest.output.data, "no loop   invite named.c:", "id= until=");
	assert_null(strstr(guest.output.data, "named.c:4 "));
	/* the search ends at an object whose `next` it does not read */
	assert_non_null(strstr(guest.output.data, "id and next up to "));
	workload_destroy(workload);
}

/* The pointer that leads to the object is in one register for the first access, and the sum of two
 * for those after it. */
static const char lorry_source[] =
	"pub struct Order { id: u64, due: u64, note: [u8; 40], weight: u32, lorry: u32 }\n"
	"#[inline(never)]\n"
	"#[no_mangle]\n"
	"pub fn assign(lorries: &mut [u64], orders: &mut [Order], mut seed: u64) -> u64 {\n"
	" let mut sum = 0; for _ in 0..100 { let n = orders.len(); seed = seed * 25214903917 + "
	"11;\n"
	" let o = &mut orders[(seed >> 33) as usize % n]; let l = &mut lorries[o.lorry as usize];\n"
	" if *l < 9 { *l += o.weight as u64; } else { *l = 0; o.lorry = seed as u32; }\n"
	" sum += o.id; } sum }\n"
	"fn main() { let mut l = [1u64; 9]; let mut all = Vec::new();\n"
	" for i in 0..9 { all.push(Order { id: i, due: i, note: [0; 40], weight: 1, lorry: 2 }); "
	"}\n"
	" println!(\"{} {}\", assign(&mut l, &mut all, 1), all[3].due + all[2].note[1] as u64); "
	"}\n";

static void test_sums_that_are_added_later(void **state)
{
	static const char *const functions[] = { "assign", NULL };
	_cleanup_process_ struct process_result order = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("lorry.rs"));
	struct workload *workload;

	(void)state;
	need_compiler("rustc");
	file_write(path, lorry_source, strlen(lorry_source));
	workload = workload_build("rustc -C debuginfo=2 -C opt-level=3", path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=*Order --json", &order);
	assert_non_null(strstr(order.output.data, "\"base\": 0"));
	assert_null(strstr(order.output.data, "\"base\": 1"));
	workload_destroy(workload);
}

/* A search goes through slots in their order, but from another one each time, and perhaps on at the
 * first one; rows of a grid, and passes through all, begin at one place or go on. */
static const char slots_source[] =
	"struct slot { long key; char text[56]; int state; };\n"
	"__attribute__((noinline)) long probe(struct slot *all, unsigned long seed, long n)\n"
	"{ long found = 0; while (n--) { seed = seed * 6364136223846793005 + 1442695040888963407;\n"
	" unsigned at = seed >> 52; while (all[at].state && all[at].key != (long)seed)\n"
	" if (++at == 4096) at = 0;\n"
	" found += all[at].state; } return found; }\n"
	"__attribute__((noinline)) long chapters(struct slot **begins, int *counts, long n)\n"
	"{ long sum = 0; while (n--) { struct slot *at = begins[n];\n"
	" for (int k = 0; k < counts[n]; k++)\n"
	" sum += at[k].key; } return sum; }\n"
	"__attribute__((noinline)) long grid(struct slot *all, long wide, long high)\n"
	"{ long most = 0; for (long y = 0; y < high; y++) for (long x = 0; x < wide; x++)\n"
	" if (all[y * wide + x].state > most) most = all[y * wide + x].state; return most; }\n"
	"__attribute__((noinline)) void age(struct slot *all, long n, long rounds)\n"
	"{ while (rounds--) for (long i = 0; i < n; i++)\n"
	" if (all[i].state > rounds) all[i].state--; }\n"
	"int main(void) { return 0; }\n";

static void test_streams_that_begin_elsewhere(void **state)
{
	static const char *const functions[] = { "probe", "chapters", "grid", "age", NULL };
	_cleanup_process_ struct process_result slot = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("slots.c"));
	_cleanup_free_ char *compiler =
		xasprintf("%s -O2 -g -fno-tree-vectorize", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, slots_source, strlen(slots_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=slot", &slot);
	line_with(slot.output.data, "runs      probe slots.c:", "key");
	line_with(slot.output.data, "runs      chapters slots.c:", "key");
	line_with(slot.output.data, "stream    grid slots.c:", "state");
	line_with(slot.output.data, "stream    age slots.c:1", "state=");
	workload_destroy(workload);
}

/* A loop takes the first job of a queue until none is left: the function that takes it out writes
 * the same head through another pointer. */
static const char queue_source[] =
	"struct job { struct job *next, *before; struct queue *in; long cost; char text[88]; };\n"
	"struct queue { struct job *first, *last; long cost; };\n"
	"static inline void take(struct job *j)\n"
	"{ struct queue *q = j->in;\n"
	" if (j->before) j->before->next = j->next; else q->first = j->next;\n"
	" if (j->next) j->next->before = j->before; else q->last = j->before; }\n"
	"__attribute__((noinline)) long drain(struct queue *q, long most)\n"
	"{ long sum = 0; while (sum < most && q->first) { struct job *j = q->first;\n"
	" sum += j->cost; if (j->cost) take(j); } return sum; }\n"
	/* the head is a member of the same kind in another record */
	"struct link { struct link *next, *prev; };\n"
	"struct task { long wake; char name[72]; struct link run; long state; };\n"
	"struct board { long clock; struct link sleepers, ready; } board;\n"
	"static inline void link_before(struct link *a, struct link *at)\n"
	"{ a->prev = at->prev; a->next = at; at->prev->next = a; at->prev = a; }\n"
	"static inline void unlink_one(struct link *a)\n"
	"{ a->prev->next = a->next; a->next->prev = a->prev; }\n"
	"__attribute__((noinline)) void wake(void)\n"
	"{ while (board.sleepers.next != &board.sleepers) {\n"
	" struct task *t = (struct task *)((char *)board.sleepers.next -"
	" __builtin_offsetof(struct task, run));\n"
	" if (t->wake > board.clock) break;\n"
	" unlink_one(&t->run); link_before(&t->run, &board.ready); t->state = 1; } }\n"
	/* or an element of the array that the loop writes to */
	"struct entry { unsigned due, place; };\n"
	"struct spot { char name[88]; long closed; };\n"
	"__attribute__((noinline)) long settle(struct entry *all, struct spot *spots, long n)\n"
	"{ long sum = 0; while (n > 0) {\n"
	" struct spot *s = &spots[all[0].place]; struct entry last = all[--n]; long i = 0;\n"
	" while (2 * i + 1 < n && all[2 * i + 1].due < last.due)\n"
	" { all[i] = all[2 * i + 1]; i = 2 * i + 1; }\n"
	" all[i] = last; sum += s->closed; s->closed = 1; } return sum; }\n"
	"int main(void) { return 0; }\n";

static void test_heads_that_are_unlinked(void **state)
{
	static const char *const functions[] = { "drain", "wake", "settle", NULL };
	_cleanup_process_ struct process_result job = { 0 }, task = { 0 }, spot = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("queue.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, queue_source, strlen(queue_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=job", &job);
	line_with(job.output.data, "chase     drain queue.c:8 ", "next=");
	line_with(job.output.data, "Pointer chase", "through 'next'");
	layout(workload, "--type=task", &task);
	line_with(task.output.data, "chase     wake queue.c", "wake");
	layout(workload, "--type=spot", &spot);
	line_with(spot.output.data, "scattered settle queue.c", "closed=");
	workload_destroy(workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descents),
		cmocka_unit_test(test_loops_in_library_code),
		cmocka_unit_test(test_names_of_loops),
		cmocka_unit_test(test_sums_that_are_added_later),
		cmocka_unit_test(test_streams_that_begin_elsewhere),
		cmocka_unit_test(test_heads_that_are_unlinked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
