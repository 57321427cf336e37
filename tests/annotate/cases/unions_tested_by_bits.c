// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A test of low bits is of a pointer with flags in it, and not of a part of a counter that functions access as a whole.

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
