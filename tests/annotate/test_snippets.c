// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The type engine on a few lines of source each: a pattern that compilers make, and the types and members
 * that must (and must not) come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/base/memory.h"
#include "tests/support/process.h"
#include "tests/support/snippet.h"
#include "tests/support/unit.h"

#define NODE                                                                                                 \
	"struct node { struct node *next; long key; int value; int flags; };\n"                              \
	"struct pair { struct node *first, *second; };\n"

static void loads_through_typed_pointers(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long walk(struct node *n)"
			     "{ long sum = 0; for (; n; n = n->next) sum += n->key; return sum; }",
			     .function = "walk" },
		.found = { "struct node +0 (next)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static size_t lines_with(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

/* A sample at a jump is of the comparison that the processor joined it with; code alone is not. */
static void jumps_stand_for_comparisons(void **state)
{
	struct snippet snippet = { .source =
					   NODE "int has(struct node *n, long key)"
						"{ while (n && n->key != key) n = n->next; return n != 0; }",
				   .function = "has" };

	(void)state;
	for (int fused = 0; fused < 2; fused++) {
		struct strbuf answers _cleanup_strbuf_ = STRBUF_INIT, code _cleanup_strbuf_ = STRBUF_INIT;

		snippet.fused = fused;
		if (!snippet_answers(&snippet, &answers, &code))
			skip_because("there is no gcc here");

		size_t compared = lines_with(code.data, "cmp");

		assert_true(compared > 0);
		assert_int_equal(lines_with(answers.data, "struct node +8 (key)"), compared * (1 + fused));
	}
}

/* The vector's variable was 16 bytes away; what flow knows of the register holds. */
static void bytes_that_are_copied_by_vectors_stay_bytes(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     "#include <emmintrin.h>\n"
				     "typedef unsigned char byte;\n"
				     "static inline void copy16(void *to, const void *from) { "
				     "_mm_storeu_si128("
				     "(__m128i *)to, _mm_loadu_si128((const __m128i *)from)); }\n"
				     "void copy(void *to, const void *from, long length) {\n"
				     "byte *out = to; const byte *in = from; byte *end = out + length;\n"
				     "copy16(out, in); if (length <= 16) return; out += 16; in += 16;\n"
				     "do { copy16(out, in); out += 16; in += 16; copy16(out, in); out += 16;"
				     " in += 16; } while (out < end); }",
			     .function = "copy" },
		.found = { "byte +" },
		.forbidden = { "(unknown)", "(the offset" } });
}

static void base_is_its_own_destination(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "int third(struct node *n) { return n->next->next->value; }",
			     .function = "third" },
		.code = { "(%rdi), %rax" },
		.found = { "struct node +0 (next)", "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
}

static void pointer_arithmetic_keeps_the_pointee(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "int at(struct node *n, long i) { return n[i].flags; }",
			     .function = "at" },
		.found = { "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "long before(struct node *n, long i) { return n[i - 1].key; }",
			     .function = "before" },
		.found = { "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void loop_over_an_array_of_structs(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long sum(struct node *n, int count)"
			     "{ long s = 0; for (int i = 0; i < count; i++) s += n[i].key + n[i].value;"
			     " return s; }",
			     .function = "sum" },
		.found = { "struct node +8 (key)", "struct node +16 (value)" },
		.forbidden = { "(unknown)", "struct node +0" } });
}

static void value_is_reg_plus_constant(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct __attribute__((packed)) header { unsigned "
				       "char len, alloc, flags; char buf[]; };\n"
				       "int length(const char *s)"
				       "{ const struct header *h = (const void *)(s - 3); "
				       "return h->len + h->alloc; }",
			     .function = "length" },
		.code = { "-3(%rdi)" },
		.found = { "struct header +0 (len)", "struct header +1 (alloc)" },
		.forbidden = { "(unknown)" } });
}

static void container_of(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct list { struct list *next, *prev; };\n"
				       "struct task { int id; long runtime; struct list run; long state; };\n"
				       "long total(struct list *head)"
				       "{ long sum = 0; for (struct list *l = head->next; l != head; l = "
				       "l->next)"
				       "{ struct task *t = (struct task *)((char *)l - "
				       "__builtin_offsetof(struct task, run));"
				       " sum += t->runtime + t->state + t->id; } return sum; }",
			     .function = "total" },
		.found = { "struct task +0 (id)", "struct task +8 (runtime)", "struct task +32 (state)" },
		.forbidden = { "(unknown)" } });
}

static void flexible_array(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct table { int count; struct pair slots[]; };\n"
			     "struct node *get(struct table *t, int i) { return t->slots[i].second; }",
			     .function = "get" },
		.found = { "struct table +16 (slots.second)" },
		.forbidden = { "(unknown)" } });
}

#define TUPLE                                                                                                \
	"struct tuple { unsigned minimum, maximum; unsigned short mask; unsigned char offset, bits[]; };\n"

/* Where a record ends in padding, its flexible array begins there. */
static void flexible_array_in_the_padding(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = TUPLE "int get(struct tuple *t) { return t->bits[0]; }",
			     .function = "get" },
		.code = { "0xb(%rdi)" },
		.found = { "struct tuple +11 (bits)" },
		.forbidden = { "(unknown)" } });
	/* within another record */
	snippet_check(&(struct expectation){
		.snippet = { .source = TUPLE
			     "struct page { long number; struct tuple tuple; unsigned items[]; };\n"
			     "int get(struct page *page) { return page->tuple.bits[0]; }",
			     .function = "get" },
		.found = { "struct page +19 (tuple.bits" },
		.forbidden = { "(unknown)" } });
	/* where it was found in a larger one by hand (clang has no register for its address) */
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = TUPLE
			     "struct page { long number; short flags, kind; unsigned items[]; };\n"
			     "int get(struct page *page, int n) { int sum = 0;\n"
			     " for (int i = 0; i < n; i++) {\n"
			     "  struct tuple *t = (struct tuple *)((char *)page + page->items[i]);\n"
			     "  sum += t->bits[0] + t->offset; }\n"
			     " return sum; }",
			     .function = "get" },
		.found = { "struct page +12 (items)", "struct tuple +11 (bits)",
			   "struct tuple +10 (offset)" },
		.forbidden = { "(unknown)", "struct page +11" } });
	/* elements as they are */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct words { long id; int count; short offset, list[]; };\n"
				       "int get(struct words *w) { return w->list[0]; }\n",
			     .function = "get" },
		.code = { "0xe(%rdi)" },
		.found = { "struct words +14 (list)" },
		.forbidden = { "(unknown)" } });
	/* but not in padding that no array begins in */
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     "struct marked { long id; char first, mark[0]; int number; char last; "
				     "};\n"
				     "int get(struct marked *m) { return ((char *)m)[9] + ((char *)m)[17]; }",
			     .function = "get" },
		.found = { "(unknown): the offset is outside the type" },
		.forbidden = { "struct marked" } });
}

static void array_in_a_struct(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "struct heap { long size; struct node *items[16]; };\n"
					    "long key(struct heap *h, int i) { return h->items[i]->key; }",
			     .function = "key" },
		.found = { "struct heap +8 (items)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void bitfields(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct bits { unsigned a : 3, b : 7, c : 6; unsigned short d; };\n"
				       "int read(struct bits *b) { return b->b + b->d; }",
			     .function = "read" },
		.found = { "struct bits +2 (d)" },
		.forbidden = { "(unknown)" } });
}

static void unions_by_size(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct value { int kind; union { struct node *n; double d; int i; } u; };\n"
			     "long key(struct value *v) { return v->kind == 1 ? v->u.n->key : v->u.i; }",
			     .function = "key" },
		.found = { "struct value +0 (kind)", "struct value +8 (u.n)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void globals(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct stats { long hits; struct node *last; } stats;\n"
			     "struct node pool[8]; struct node *shared;\n"
			     "long use(int i, struct node *n) { stats.hits++; stats.last = n; shared = n;"
			     " return pool[i].key; }",
			     .function = "use" },
		.found = { "struct stats +0 (hits)", "struct stats +8 (last)", "struct node* +0",
			   "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void declared_globals(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = NODE
			     "extern struct node *elsewhere; long key(void) { return elsewhere->key; }",
			     .function = "key" },
		.found = { "struct node +8 (key)" } });
}

static void thread_locals(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "static __thread struct node *mine "
			     "__attribute__((tls_model(\"initial-exec\")));\n"
			     "long key(void) { return mine->key; } void set(struct node *n) { mine = n; }",
			     .function = "key" },
		.found = { "struct node* +0", "struct node +8 (key)" } });
}

static void results_of_calls(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct node *find(long); long key(long k) { return find(k)->key; }",
			     .function = "key" },
		.found = { "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "struct ops { int id; struct node *(*find)(long); };\n"
					    "long key(struct ops *o, long k) { return o->find(k)->key; }",
			     .function = "key" },
		.found = { "struct ops +8 (find)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void spills(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "void other(void); long use(struct node *a, struct node *b, struct node *c,"
			     " struct node *d, struct node *e, struct node *f)"
			     "{ struct node *g = a->next, *h = b->next, *i = c->next; other();"
			     " return a->key + b->key + c->key + d->key + e->key + f->key + g->key + h->key"
			     " + i->key; }",
			     .function = "use" },
		.found = { "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void joins(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true, /* others index the two members: which one is not known */
		.snippet = { .source = NODE
			     "long pick(struct pair *p, int c)"
			     "{ struct node *n = c ? p->first : p->second; return n ? n->key : 0; }",
			     .function = "pick" },
		.found = { "struct pair +0 (first)", "struct pair +8 (second)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void paths_that_disagree_give_nothing(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct a { long x, y; }; struct b { int p, q, r, s; };\n"
				       "long get(struct a *a, struct b *b, int c)"
				       "{ char *raw = c ? (char *)a : (char *)b; long v; "
				       "__builtin_memcpy(&v, raw + 8, 8); return v; }",
			     .function = "get",
			     .flags = "-O2" },
		.forbidden = { "struct a +8", "struct b +8" } });
}

static void inferred_from_later_use(void **state)
{
	const struct snippet snippet = {
		.source = NODE "void *allocate(unsigned long); void keep(struct node *);\n"
			       "void *make(long k) { void *p = allocate(24); *(long *)((char *)p + 8) = k; "
			       "keep(p); return p; }",
		.function = "make",
	};
	struct expectation with = { .snippet = snippet, .found = { "struct node +8 (key)\tinferred" } };
	struct expectation without = { .snippet = snippet, .forbidden = { "struct node" } };

	(void)state;
	snippet_check(&with);
	without.snippet.no_infer = true;
	snippet_check(&without);
}

static void stack_variables(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     NODE "void fill(struct node *); long local(void)"
					  "{ struct node n; n.value = 3; fill(&n); return n.key + n.flags; }",
			     .function = "local" },
		.found = { "struct node +16 (value)", "struct node +8 (key)", "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
}

static void realigned_stack(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct __attribute__((aligned(64))) line { long a, b; };\n"
				       "void fill(struct line *); long local(void)"
				       "{ struct line l; l.b = 4; fill(&l); return l.a; }",
			     .function = "local" },
		.code = { "andq" },
		.found = { "struct line +8 (b)", "struct line +0 (a)" },
		.forbidden = { "(unknown)" } });
}

static void unoptimized_code(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long walk(struct node *n)"
			     "{ long sum = 0; for (; n; n = n->next) sum += n->key; return sum; }",
			     .flags = "-O0",
			     .function = "walk" },
		.found = { "struct node* +0", "long", "struct node +0 (next)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void atomics_and_exchange(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct counter { long pad, hits; struct node *head; };\n"
			     "struct node *count(struct counter *c, struct node *n)"
			     "{ __atomic_fetch_add(&c->hits, 1, 5);"
			     " struct node *o = __atomic_exchange_n(&c->head, n, 5); return o->next; }",
			     .function = "count" },
		.code = { "lock", "xchg" },
		.found = { "struct counter +8 (hits)", "struct counter +16 (head)", "struct node +0 (next)" },
		.forbidden = { "(unknown)" } });
}

static void vectors_carry_pointers(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "void set(struct pair *p, struct node *a, struct node *b)"
					    "{ p->first = a; p->second = b; }\n"
					    "long copy(struct pair *to, struct pair *from)"
					    "{ *to = *from; return to->first->key; }",
			     .function = "copy" },
		.found = { "struct pair +0 (first)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

static void string_instructions(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct big { long a[40]; }; void clear(struct big *b)"
				       "{ __asm__ volatile(\"rep stosq\" : \"+D\"(b) : \"a\"(0), \"c\"(40) : "
				       "\"memory\"); }",
			     .function = "clear" },
		.code = { "stos" },
		.found = { "struct big +0 (a)" },
		.forbidden = { "(unknown)" } });
}

static void members_of_classes(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .language = "c++",
			     .source = "struct base { virtual long get() const; long id; };\n"
				       "namespace shop { struct item : base { long price; long get() const "
				       "override; }; }\n"
				       "long shop::item::get() const { return id + price; }\n"
				       "long total(shop::item *i, int n)"
				       "{ long s = 0; for (; n--; i++) s += i->price; return s; }",
			     .function = "_Z5totalPN4shop4itemEi" },
		.found = { "shop::item +16 (price)" },
		.forbidden = { "(unknown)" } });
}

static void headers_in_front_of_text(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     "#include <stdint.h>\n#define P __attribute__((packed))\n"
				     "struct P h8 { uint8_t len, alloc; unsigned char flags; char buf[]; };\n"
				     "struct P h16 { uint16_t len, alloc; unsigned char flags; char buf[]; "
				     "};\n"
				     "struct P h32 { uint32_t len, alloc; unsigned char flags; char buf[]; "
				     "};\n"
				     "long length(const char *s) { switch (s[-1] & 3) {"
				     " case 0: return ((struct h8 *)(s - sizeof(struct h8)))->len;"
				     " case 1: return ((struct h16 *)(s - sizeof(struct h16)))->len;"
				     " case 2: return ((struct h32 *)(s - sizeof(struct h32)))->len; } "
				     "return 0; }",
			     .function = "length" },
		.found = { "struct h8 +0 (len)\tinferred", "struct h16 +0 (len)\tinferred",
			   "struct h32 +0 (len)\tinferred" } });
	/* a byte in front of a text is no header where nothing else says so */
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct name { unsigned char length; char text[]; };\n"
				       "int ends(const char *s, struct name *n) { return s[-1] == '/' && "
				       "n->length; }",
			     .function = "ends" },
		.found = { "struct name +0 (length)" },
		.forbidden = { "struct name +0 (length)\tinferred" } });
}

static void neighbours_of_what_is_walked(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct value { long number; int kind, pad; };\n"
				       "struct stack { struct value *top; };\n"
				       "void push(struct stack *s, long n)"
				       "{ s->top->number = n; s->top->kind = 1; s->top++; s->top[-1].pad = 2;"
				       " s->top[1].kind = 3; }",
			     .function = "push" },
		.found = { "struct stack +0 (top)", "struct value +0 (number)", "struct value +8 (kind)" },
		.forbidden = { "(unknown)" } });
}

static void a_header_cast_down(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = "struct object { struct object *next; char kind, mark; };\n"
				       "struct text { struct object *next; char kind, mark, extra; int hash; "
				       "long length; };\n"
				       "struct object *make(int); void keep(struct text *);\n"
				       "void text(int h) { struct object *o = make(4); struct text *t = "
				       "(struct text *)o;"
				       " t->hash = h; t->length = 7; keep(t); }",
			     .function = "text" },
		.found = { "struct text +12 (hash)", "struct text +16 (length)" },
		.forbidden = { "struct object +12", "struct object +16", "struct object +0" } });
}

static void records_returned_in_memory(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct big { long a, b, c, d; }; struct big make(long x)"
				       "{ struct big r = { x, x + 1, x * 3, 4 }; return r; }\n"
				       "long use(long x) { struct big b = make(x); return b.c; }",
			     .function = "make" },
		.found = { "struct big +" },
		.forbidden = { "(unknown)" } });
}

static void flexible_array_from_one(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "struct levels { double score; struct pair level[]; };\n"
			     "struct node *above(struct levels *l, long i) { return l->level[i + 1].second"
			     " ? l->level[i - 1].first : 0; }",
			     .function = "above" },
		.found = { "struct levels +8 (level.first)", "struct levels +16 (level.second)" },
		.forbidden = { "(unknown)", "struct levels +0" } });
}

/* The index starts 97 elements in front of the record. */
static void arrays_indexed_by_characters(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct trie { struct trie *child[26]; int words; };\n"
				       "int find(struct trie *n, const char *w)"
				       "{ for (; *w && n; w++) n = n->child[*w - 'a']; return n ? n->words : "
				       "0; }",
			     .function = "find" },
		.found = { "struct trie +0 (child)", "struct trie +208 (words)" },
		.forbidden = { "(unknown)" } });
}

static void arrays_indexed_by_characters_of_two(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct two { long key; long low[26], high[26]; };\n"
				       "long get(struct two *n, const char *w) { return n->high[*w - 'a']; }",
			     .function = "get" },
		.found = { "(unknown)" },
		.forbidden = { "struct two +8 (low)" } });
}

/* *p++ tests p[-1] behind the increment. */
static void bytes_that_were_passed(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     "typedef unsigned char u8; struct page { u8 *data, *end; int leaf; };\n"
				     "u8 *skip(struct page *g, long at) { u8 *p = g->data + at; if (g->leaf)"
				     " while (*p++ >= 0x80) if (p >= g->end) return 0; return p; }",
			     .function = "skip" },
		.found = { "u8 +0", "struct page +8 (end)" },
		.forbidden = { "(unknown)" } });
}

static void padding_in_front_of_loops_carries_nothing(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long pick(struct pair *p, int i) { if (i > 0) return p->first->key;"
			     " if (i < -100) return p->second->key + p->first->value;"
			     " for (struct node *n = p->first; n; n = n->next) i += n->flags; return i; }",
			     .flags = "-O2 -falign-labels=32",
			     .function = "pick" },
		.found = { "struct pair +0 (first)", "struct pair +8 (second)", "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
}

static void stack_arrays_by_index(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "void fill(struct node *); long use(int i) { struct node pool[8]; fill(pool);"
			     " return pool[i].key + pool[3].value; }",
			     .function = "use" },
		.found = { "struct node +8 (key)", "struct node[] +88 (value)" },
		.forbidden = { "(unknown)" } });
}

static void text_is_read_in_words(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "unsigned long read8(const unsigned char *p, long i)"
				       "{ unsigned long v; __builtin_memcpy(&v, p + i, 8); return v; }",
			     .function = "read8" },
		.found = { "unsigned char +0" },
		.forbidden = { "(unknown)" } });
}

/* A struct that is passed by value in memory, and of which the debug information has the members alone. */
static void structs_passed_in_memory(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct list { struct list *next; long x; };\n"
				       "struct mem { void *(*alloc)(void *, long); void (*release)(void *, "
				       "void *); struct list *opaque; };\n"
				       "static inline void *take(long n, struct mem m)\n"
				       "{ return m.alloc ? m.alloc(m.opaque, n) : (void *)m.opaque->x; }\n"
				       "void *create(long n, struct mem m) { void *p; if ((!m.alloc) ^ "
				       "(!m.release)) return 0;\n"
				       " p = take(n, m); if (p) { struct mem *copy = p; *copy = m; } return "
				       "p; }",
			     .function = "create" },
		.found = { "struct mem +0 (alloc)", "struct mem +8 (release)", "struct mem +16 (opaque)",
			   "struct list +8 (x)" },
		.forbidden = { "(unknown)", "(stack spill)" } });
}

/* A struct that a call returns in memory, with no variable for it. */
static void structs_returned_in_memory(void **state)
{
	(void)state;
	snippet_check(
		&(struct expectation){ .snippet = { .source = "struct list { struct list *next; long x; };\n"
							      "struct big { long a, b, c, d; struct list "
							      "*next; }; struct big make(int);\n"
							      "long first(int n) { return make(n).next->x; }",
						    .function = "first" },
				       .found = { "struct big +32 (next)", "struct list +8 (x)" },
				       .forbidden = { "(unknown)", "(stack spill)" } });
}

/* A frame base that DWARF 2 spells out as a list: %rsp + 8, %rsp + 16, %rbp + 16. */
static void frame_bases_that_are_lists(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct node { struct node *next; long key; }; void use(void *);\n"
				       "long take(struct node *list, int by) { struct node local = { list, "
				       "by };\n"
				       " use(&local); return local.key + local.next->key + by; }",
			     .compiler = "gcc",
			     .flags = "-gdwarf-2 -gstrict-dwarf -O0",
			     .function = "take" },
		.found = { "struct node +8 (key)", "struct node +0 (next)", "struct node* +0", "int +0" },
		.forbidden = { "(unknown)", "(stack spill)" } });
}

/* What is stored into a variable whose address is passed on, which is in memory throughout, is of its type.
 */
static void stores_to_variables_in_memory(void **state)
{
	(void)state;
	snippet_check(
		&(struct expectation){ .snippet = { .source = "struct node { struct node *next; long key; }; "
							      "void *get(int); void use(struct node **);\n"
							      "long take(int i) { struct node *n = get(i); "
							      "long k = n->key; use(&n); return k; }",
						    .function = "take" },
				       .found = { "struct node* +0", "struct node +8 (key)" },
				       .forbidden = { "(unknown)" } });
}

/* A switch's table is no variable, and known for what it is: absolute entries that the jump reads itself, and
 * offsets that are loaded before it. */
static void jump_tables_of_switches(void **state)
{
	static const char *const ways[][3] = { { "gcc", "-O2 -fno-pic", "jmpq *" },
					       { "gcc", "-O2 -fPIC", "movs" },
					       { "clang", "-O2 -fPIC", "movs" } };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		snippet_check(&(struct expectation){
			.snippet = { .source = "struct node { int kind; long key; };\n"
					       "#define MAKE(f) void __attribute__((noinline)) f(void) { "
					       "__asm__ volatile(\"# \" #f); }\n"
					       "MAKE(a) MAKE(b) MAKE(c) MAKE(d) MAKE(e)\n"
					       "long take(struct node *n) { switch (n->kind) { case 0: a(); "
					       "break; case 1: b(); break;\n"
					       " case 2: c(); break; case 3: d(); break; case 4: e(); break; "
					       "case 5: a(); b(); break;\n"
					       " case 6: b(); c(); break; } return n->key; }",
				     .compiler = ways[i][0],
				     .flags = ways[i][1],
				     .kernel = i == 0, /* at a fixed address */
				     .function = "take" },
			.code = { ways[i][2] },
			.found = { "(jump table)", "struct node +0 (kind)", "struct node +8 (key)" },
			.forbidden = { "(unknown)" } });
}

#define CELLS                                                                                                \
	"struct text { long length; int references; char bytes[4]; };\n"                                     \
	"struct cell { short type, count; struct text *text; double number; };\n"                            \
	"int scan(const char *, ...); double number(struct text *);\n"

/*
 * A variable that was not followed is said to be in its register from the entry on, where the caller's
 * argument still is.
 */
static void variables_that_were_not_followed(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = CELLS
			     "struct cell *get(struct cell *cell) {\n"
			     " int a, b, c, d, e; struct text *text = cell->text; if (!text) goto bad;\n"
			     " if (scan(text->bytes, &a, &b, &c, &d, &e) < 5) { bad: a = -1; }\n"
			     " cell->type = 1; cell->count = a; if (cell->text) cell->text->references--;\n"
			     " return cell; }",
			     .function = "get",
			     .flags = "-O2 -fno-var-tracking" },
		.code = { "8(%rdi), %rdi", "8(%rbx)" },
		.found = { "struct cell +8 (text)", "struct cell +0 (type)", "struct cell +2 (count)",
			   "struct text +8 (references)" },
		.forbidden = { "(unknown)", "struct text +0" } });
	/* what is a void pointer at the entry is cast; the other parameter stays where it came */
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = CELLS
			     "double get(void *v, struct text *other) { struct cell *cell = v;\n"
			     " long length = other->length; double sum = number(cell->text);\n"
			     " cell->count++; return sum + cell->number + length; }",
			     .function = "get",
			     .flags = "-O2 -fno-var-tracking" },
		.found = { "struct text +0 (length)", "struct cell +8 (text)", "struct cell +2 (count)",
			   "struct cell +16 (number)" },
		.forbidden = { "(unknown)", "struct cell +0", "struct text +8" } });
	/* without calls each stays where it came: then it is said right, and believed */
	snippet_check(&(struct expectation){
		.snippet = { .source = CELLS "double get(void *v) { struct cell *cell = v; return "
					     "cell->number + cell->type; }",
			     .function = "get",
			     .flags = "-O1" },
		.found = { "struct cell +16 (number)", "struct cell +0 (type)" },
		.forbidden = { "(unknown)" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_through_typed_pointers),
		cmocka_unit_test(jumps_stand_for_comparisons),
		cmocka_unit_test(bytes_that_are_copied_by_vectors_stay_bytes),
		cmocka_unit_test(base_is_its_own_destination),
		cmocka_unit_test(pointer_arithmetic_keeps_the_pointee),
		cmocka_unit_test(loop_over_an_array_of_structs),
		cmocka_unit_test(value_is_reg_plus_constant),
		cmocka_unit_test(container_of),
		cmocka_unit_test(flexible_array),
		cmocka_unit_test(flexible_array_in_the_padding),
		cmocka_unit_test(array_in_a_struct),
		cmocka_unit_test(bitfields),
		cmocka_unit_test(unions_by_size),
		cmocka_unit_test(globals),
		cmocka_unit_test(declared_globals),
		cmocka_unit_test(thread_locals),
		cmocka_unit_test(results_of_calls),
		cmocka_unit_test(spills),
		cmocka_unit_test(joins),
		cmocka_unit_test(paths_that_disagree_give_nothing),
		cmocka_unit_test(inferred_from_later_use),
		cmocka_unit_test(stack_variables),
		cmocka_unit_test(realigned_stack),
		cmocka_unit_test(unoptimized_code),
		cmocka_unit_test(atomics_and_exchange),
		cmocka_unit_test(vectors_carry_pointers),
		cmocka_unit_test(string_instructions),
		cmocka_unit_test(members_of_classes),
		cmocka_unit_test(headers_in_front_of_text),
		cmocka_unit_test(neighbours_of_what_is_walked),
		cmocka_unit_test(a_header_cast_down),
		cmocka_unit_test(records_returned_in_memory),
		cmocka_unit_test(flexible_array_from_one),
		cmocka_unit_test(bytes_that_were_passed),
		cmocka_unit_test(arrays_indexed_by_characters),
		cmocka_unit_test(arrays_indexed_by_characters_of_two),
		cmocka_unit_test(variables_that_were_not_followed),
		cmocka_unit_test(padding_in_front_of_loops_carries_nothing),
		cmocka_unit_test(stack_arrays_by_index),
		cmocka_unit_test(text_is_read_in_words),
		cmocka_unit_test(structs_passed_in_memory),
		cmocka_unit_test(structs_returned_in_memory),
		cmocka_unit_test(frame_bases_that_are_lists),
		cmocka_unit_test(stores_to_variables_in_memory),
		cmocka_unit_test(jump_tables_of_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
