// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loaded pointer is said to be to another record than the declared one's: the access is through the variable of a cast.
// RUN: gcc
// RUN: gcc -O1
// RULES: unlocated-variable

struct cache {
	long size;
	int flags;
	struct cache *next;
};
struct space {
	long host;
};
struct folio {
	unsigned long flags, head;
	struct folio *lru;
	struct space *mapping;
};
struct slab {
	unsigned long flags, head;
	void *freelist;
	struct cache *cache;
};
struct table {
	unsigned long flags, head;
	void *rows;
	struct cache *cache;
};
struct folio *find(unsigned long address);
void other(struct folio *folio, unsigned long address);
void give(struct cache *cache, unsigned long address, void *from);

static inline _Bool is_slab(struct folio *folio)
{
	return folio->flags & 0x10001;
}

// Nothing is left of `slab` but its type.
void give_back(unsigned long address)
{
	struct folio *folio = find(address);
	struct cache *cache;
	struct slab *slab;

	if (!is_slab(folio)) { // EXPECT: struct folio +0 (flags)
		other(folio, address);
		return;
	}
	if (!folio)
		give(slab->cache, address, slab);
	cache = ((struct slab *)folio)->cache; // EXPECT: struct slab +24 (cache)
	if (cache->flags & 4) // EXPECT: struct cache +8 (flags)
		give(cache, address, 0);
}

// Nothing tells which of two such variables it is.
void give_either(unsigned long address)
{
	struct folio *folio = find(address);
	struct cache *cache;
	struct slab *slab;
	struct table *table;

	if (!is_slab(folio)) { // EXPECT: struct folio +0 (flags)
		other(folio, address);
		return;
	}
	if (!folio)
		give(slab->cache, address, table->rows);
	cache = ((struct slab *)folio)->cache; // EXPECT: struct folio +24 (mapping)
	if (cache->flags & 8) // EXPECT: struct cache +8 (flags)
		give(cache, address, 0);
}

// The declared record has such a pointer.
void give_next(struct cache *first, unsigned long address)
{
	struct cache *cache = first->next; // EXPECT: struct cache +16 (next)

	if (cache->flags & 4) // EXPECT: struct cache +8 (flags)
		give(cache, address, 0);
}
