// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A test of low bits is of a pointer with flags in it, and not of a number that functions access as a whole.

typedef struct {
	int counter;
} atomic;
struct space {
	long host;
};
struct page {
	unsigned long flags;
	union {
		struct {
			struct page *lru;
			struct space *mapping;
		};
		struct {
			unsigned long head;
			atomic pins;
			int count;
		};
		struct {
			unsigned long _pad_1, _pad_2;
			void *private;
		};
	};
};
// However well a member fits that only takes up room, it is not meant.
struct saved {
	union {
		struct {
			unsigned long control, features;
		} state;
		unsigned char __padding[512];
	};
};
void seen(void);

void is_anonymous(struct page *page)
{
	if ((unsigned long)page->mapping & 1) // EXPECT: struct page +16 (mapping)
		seen();
}
int pins(struct page *page)
{
	return *(volatile int *)&page->pins.counter; // EXPECT: struct page +16 (pins.counter)
}
void has_features(struct saved *saved)
{
	if (saved->state.features & 192) // EXPECT: struct saved +8 (state.features)
		seen();
}

// Code that takes a tag off a word computes with it, but the word may be a pointer.
struct tree {
	union {
		struct tree *parent;
		unsigned long total;
	};
};
struct tree *above(struct tree *tree)
{
	if ((unsigned long)tree->parent & 1) // EXPECT: struct tree +0
		return 0;
	return (struct tree *)((unsigned long)tree->parent & ~255UL);
}
// A constant that is no address may be a pointer's poison, or a number.
void bury(struct page *page)
{
	page->lru = (struct page *)0xdead000000000100UL; // EXPECT: struct page +8
}
// A function that is named after a member says more than an access to another member does.
static inline __attribute__((always_inline)) void set_head(struct page *page, unsigned long head)
{
	page->head = head; // EXPECT: struct page +8 (head)
}
void split(struct page *page)
{
	struct space *space = page->mapping; // EXPECT: struct page +16 (mapping)

	set_head(page, 0);
	space->host++; // EXPECT: struct space +0 (host)
}
// Compilers test a low bit of an integer in its first byte; a character beside it has no bits, an
// unsigned byte has.
union token {
	void *text;
	int modifiers;
	char letter;
};
union mark {
	unsigned int number;
	unsigned char flags;
};
void modified(union token *token)
{
	if (token->modifiers & 8) // EXPECT: union token +0
		seen();
}
void lettered(union token *token)
{
	if (token->letter == 'x') // EXPECT: union token +0 (letter)
		seen();
}
void marked(union mark *mark)
{
	if (mark->flags & 4) // EXPECT: union mark +0 (flags)
		seen();
}
