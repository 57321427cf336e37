// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An object cache as servers have one: a hash table with chained entries, separate objects after them, a
 * list by last use, and an array of clients that is swept for idle ones and summed up. About two seconds;
 * `cache N` makes N requests.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS  (1u << 17)
#define CAPACITY 60000
#define KEYS     200000
#define CLIENTS  (1u << 15)
#define ANSWERS  4096

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

/* An answer that is sent back, in a ring. */
struct answer {
	uint32_t client;
	uint16_t kind;
	uint16_t encoding;
	uint64_t expires;
	size_t length;
	uint64_t words[6];
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
	return &cache->buckets[(key * 0x9e3779b97f4a7c15ULL) >> 47];
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

static __attribute__((noinline)) void object_answer(struct object *object, struct answer *answer)
{
	answer->kind = object->kind;
	answer->encoding = object->encoding;
	answer->expires = object->expires;
	answer->length = object->length;
	for (size_t i = 0; i < 6; i++)
		answer->words[i] = object->words[i];
	if (object->expires < now)
		object->expires = now + 100000;
}

static __attribute__((noinline)) void cache_serve(struct cache *cache, uint64_t key, struct answer *answer)
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
	object_answer(entry->object, answer);
}

static __attribute__((noinline)) uint32_t clients_sweep(struct client *clients, size_t count)
{
	uint32_t idle = 0;

	for (size_t i = 0; i < count; i++) {
		if (clients[i].flags & 1 || now - clients[i].last_seen < 50000)
			continue;
		clients[i].flags |= 1;
		clients[i].count.errors++;
		idle++;
	}
	return idle;
}

static __attribute__((noinline)) uint64_t clients_total(const struct client *clients, size_t count)
{
	uint64_t bytes = 0;
	uint64_t latest = 0;
	uint64_t requests = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += clients[i].bytes;
		latest ^= clients[i].last_seen;
		requests += clients[i].count.requests;
	}
	return bytes ^ latest ^ requests;
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
	struct answer *answers = allocate(ANSWERS * sizeof(*answers));
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

		uint32_t client = random >> 49;
		struct answer *answer = &answers[now % ANSWERS];

		answer->client = client;
		cache_serve(&cache, key, answer);
		client_request(&clients[client], answer->length);
		sum += answer->words[0];
		if (now % 65536 == 0)
			idle += clients_sweep(clients, CLIENTS);
		if (now % 16384 == 0)
			sum += clients_total(clients, CLIENTS);
	}
	printf("%llu hits, %llu misses, %llu idle, checksum %llx\n", (unsigned long long)cache.hits,
	       (unsigned long long)cache.misses, (unsigned long long)idle, (unsigned long long)sum);
	return 0;
}
