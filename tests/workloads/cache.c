// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An object cache as servers have one: a hash table with chained entries, objects of their own behind them, a
 * list by last use, and an array of clients that is swept for idle ones. About two seconds; `cache N` makes N
 * requests.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS  (1u << 14)
#define CAPACITY 60000
#define KEYS     200000
#define CLIENTS  2048

struct list {
	struct list *next;
	struct list *previous;
};

struct object {
	uint32_t references;
	uint16_t kind;
	uint16_t encoding;
	uint64_t expires;
	size_t length;
	uint64_t words[6];
};

struct entry {
	struct entry *chain; /* next in the bucket */
	uint64_t key;
	struct object *object;
	uint32_t hits;
	struct list use;
};

struct bucket {
	struct entry *first;
	uint32_t length;
};

struct client {
	uint32_t id;
	uint32_t flags;
	uint64_t last_seen;
	uint64_t bytes;
	struct {
		uint32_t requests;
		uint32_t errors;
	} count;
	char name[24];
};

struct cache {
	struct bucket *buckets;
	struct list use; /* most recent first */
	uint32_t entries;
	uint64_t hits;
	uint64_t misses;
};

static uint64_t now;

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory) {
		perror("cache");
		exit(1);
	}
	return memory;
}

static void list_remove(struct list *item)
{
	item->previous->next = item->next;
	item->next->previous = item->previous;
}

static void list_push(struct list *head, struct list *item)
{
	item->next = head->next;
	item->previous = head;
	head->next->previous = item;
	head->next = item;
}

static struct bucket *bucket_of(const struct cache *cache, uint64_t key)
{
	return &cache->buckets[(key * 0x9e3779b97f4a7c15ULL) >> 50];
}

static __attribute__((noinline)) struct entry *cache_find(struct cache *cache, uint64_t key)
{
	for (struct entry *entry = bucket_of(cache, key)->first; entry; entry = entry->chain) {
		if (entry->key == key)
			return entry;
	}
	return NULL;
}

static __attribute__((noinline)) struct object *object_create(uint64_t key)
{
	struct object *object = allocate(sizeof(*object));

	object->references = 1;
	object->kind = key % 5;
	object->length = 1 + key % 6;
	object->expires = now + 100000;
	for (size_t i = 0; i < object->length; i++)
		object->words[i] = key + i;
	return object;
}

static void object_release(struct object *object)
{
	if (--object->references == 0)
		free(object);
}

static __attribute__((noinline)) void cache_evict(struct cache *cache)
{
	struct list *last = cache->use.previous;
	struct entry *victim = (struct entry *)((char *)last - offsetof(struct entry, use));
	struct bucket *bucket = bucket_of(cache, victim->key);
	struct entry **link = &bucket->first;

	while (*link != victim)
		link = &(*link)->chain;
	*link = victim->chain;
	bucket->length--;
	list_remove(last);
	cache->entries--;
	object_release(victim->object);
	free(victim);
}

static __attribute__((noinline)) struct entry *cache_insert(struct cache *cache, uint64_t key)
{
	struct bucket *bucket = bucket_of(cache, key);
	struct entry *entry = allocate(sizeof(*entry));

	if (cache->entries >= CAPACITY)
		cache_evict(cache);
	entry->key = key;
	entry->object = object_create(key);
	entry->chain = bucket->first;
	bucket->first = entry;
	bucket->length++;
	list_push(&cache->use, &entry->use);
	cache->entries++;
	return entry;
}

static __attribute__((noinline)) uint64_t object_read(struct object *object)
{
	uint64_t sum = object->kind;

	if (object->expires < now)
		object->expires = now + 100000;
	for (size_t i = 0; i < object->length; i++)
		sum += object->words[i];
	return sum;
}

static __attribute__((noinline)) uint64_t cache_serve(struct cache *cache, uint64_t key)
{
	struct entry *entry = cache_find(cache, key);

	if (entry) {
		cache->hits++;
		list_remove(&entry->use);
		list_push(&cache->use, &entry->use);
	} else {
		cache->misses++;
		entry = cache_insert(cache, key);
	}
	entry->hits++;
	return object_read(entry->object);
}

static __attribute__((noinline)) uint32_t clients_sweep(struct client *clients, size_t count)
{
	uint32_t idle = 0;

	for (size_t i = 0; i < count; i++) {
		if (clients[i].flags & 1 || now - clients[i].last_seen < 5000)
			continue;
		clients[i].flags |= 1;
		clients[i].count.errors++;
		idle++;
	}
	return idle;
}

static __attribute__((noinline)) void client_request(struct client *client, uint64_t bytes)
{
	client->flags &= ~1u;
	client->last_seen = now;
	client->bytes += bytes;
	client->count.requests++;
}

int main(int argc, char **argv)
{
	uint64_t requests = argc > 1 ? strtoull(argv[1], NULL, 10) : 30000000;
	struct cache cache = { .buckets = allocate(BUCKETS * sizeof(struct bucket)) };
	struct client *clients = allocate(CLIENTS * sizeof(*clients));
	uint64_t state = 88172645463325252ULL;
	uint64_t sum = 0;
	uint64_t idle = 0;

	cache.use.next = &cache.use;
	cache.use.previous = &cache.use;
	for (uint32_t i = 0; i < CLIENTS; i++)
		clients[i].id = i;
	for (now = 0; now < requests; now++) {
		uint64_t random = random_next(&state);
		/* some keys are asked for more often than others */
		uint64_t key = random & 1 ? random % KEYS : random % (KEYS / 8);

		sum += cache_serve(&cache, key);
		client_request(&clients[random >> 53], key);
		if (now % 2048 == 0)
			idle += clients_sweep(clients, CLIENTS);
	}
	printf("%llu hits, %llu misses, %llu idle, checksum %llx\n", (unsigned long long)cache.hits,
	       (unsigned long long)cache.misses, (unsigned long long)idle, (unsigned long long)sum);
	return 0;
}
