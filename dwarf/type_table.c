// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/type_table.h"

#include <string.h>

static uint64_t hash_string(const char *string)
{
	return string ? hash_bytes(string, strlen(string)) : 0;
}

static uint64_t hash_parameters(const struct parameter *parameters, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = hash_combine(hash, (uintptr_t)parameters[i].type);
	return hash;
}

/* Where there are several: that of one is the count. */
static uint32_t several_dimensions(const struct type_key *key)
{
	return key->dimension_count > 1 ? key->dimension_count : 0;
}

static uint64_t key_hash(const struct type_key *key)
{
	uint64_t hash = (uint64_t)key->kind << 32 | (uint64_t)key->qualifier << 16 | key->flags;

	hash = hash_combine(hash, key->size);
	hash = hash_combine(hash, hash_string(key->name));
	hash = hash_combine(hash, key->fingerprint);
	hash = hash_combine(hash, (uintptr_t)key->target);
	hash = hash_combine(hash, key->array_count);
	for (uint32_t i = 0; i < several_dimensions(key); i++)
		hash = hash_combine(hash, key->dimensions[i]);
	return hash_combine(hash, hash_parameters(key->parameters, key->parameter_count));
}

static bool same_parameters(const struct type_node *node, const struct type_key *key)
{
	if (node->parameter_count != key->parameter_count)
		return false;
	/* names of parameters are no part of a type */
	for (size_t i = 0; i < key->parameter_count; i++) {
		if (node->parameters[i].type != key->parameters[i].type)
			return false;
	}
	return true;
}

static bool same_dimensions(const struct type_node *node, const struct type_key *key)
{
	uint32_t count = several_dimensions(key);

	return node->dimension_count == count &&
	       (!count || memcmp(node->dimensions, key->dimensions, count * sizeof(*key->dimensions)) == 0);
}

static bool same_name(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

static bool equals(const struct type_node *node, const struct type_key *key)
{
	const struct type *type = &node->type;

	return type->kind == key->kind && type->qualifier == key->qualifier && type->flags == key->flags &&
	       type->size == key->size && node->fingerprint == key->fingerprint &&
	       node->target == key->target && node->array_count == key->array_count &&
	       same_dimensions(node, key) && same_name(type->name, key->name) && same_parameters(node, key);
}

/* The key of a node that is there already. */
static struct type_key node_key(const struct type_node *node)
{
	return (struct type_key){
		.kind = node->type.kind,
		.qualifier = node->type.qualifier,
		.flags = node->type.flags,
		.size = node->type.size,
		.name = node->type.name,
		.fingerprint = node->fingerprint,
		.target = node->target,
		.array_count = node->array_count,
		.dimensions = node->dimensions,
		.dimension_count = node->dimension_count,
		.parameters = node->parameters,
		.parameter_count = node->parameter_count,
	};
}

static struct type_node **find_slot(struct type_table *table, const struct type_key *key)
{
	size_t mask = table->capacity - 1;
	size_t index = key_hash(key) & mask;

	while (table->slots[index] && !equals(table->slots[index], key))
		index = (index + 1) & mask;
	return &table->slots[index];
}

static void grow(struct type_table *table)
{
	struct type_node **old = table->slots;
	size_t old_capacity = table->capacity;

	table->capacity = old_capacity ? 2 * old_capacity : 256;
	table->slots = xcalloc(table->capacity, sizeof(*table->slots));
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i]) {
			struct type_key key = node_key(old[i]);

			*find_slot(table, &key) = old[i];
		}
	}
	free(old);
}

static struct type_node *create(struct type_table *table, const struct type_key *key, uint16_t depth)
{
	struct type_node *node = arena_alloc(&table->arena, sizeof(*node));

	node->type = (struct type){
		.kind = (uint8_t)key->kind,
		.qualifier = key->qualifier,
		.flags = key->flags,
		.id = (uint32_t)table->count,
		.size = key->size,
		.name = key->name ? string_pool_intern(&table->names, key->name) : NULL,
		.table = table,
		.source = key->source,
	};
	node->type.stripped = key->kind == TYPE_TYPEDEF || key->kind == TYPE_QUALIFIED ? key->target->stripped
										       : &node->type;
	node->fingerprint = key->fingerprint;
	node->target = key->target;
	node->array_count = key->array_count;
	node->dimension_count = several_dimensions(key);
	if (node->dimension_count)
		node->dimensions = arena_copy(&table->arena, key->dimensions,
					      node->dimension_count * sizeof(*key->dimensions));
	node->depth = depth;
	if (key->parameter_count) {
		struct parameter *parameters = arena_copy(&table->arena, key->parameters,
							  key->parameter_count * sizeof(*parameters));

		for (size_t i = 0; i < key->parameter_count; i++) {
			if (parameters[i].name)
				parameters[i].name = string_pool_intern(&table->names, parameters[i].name);
		}
		node->parameters = parameters;
		node->parameter_count = (uint32_t)key->parameter_count;
	}
	return node;
}

const struct type *type_table_intern(struct type_table *table, const struct type_key *key)
{
	uint16_t depth = key->target ? type_node_of(key->target)->depth + 1 : 0;

	if (depth > TYPE_MAXIMUM_DEPTH)
		return table->unknown_type;
	if (2 * (table->count + 1) > table->capacity)
		grow(table);

	struct type_node **slot = find_slot(table, key);

	if (!*slot) {
		*slot = create(table, key, depth);
		table->count++;
	}
	return &(*slot)->type;
}

struct type_table *type_table_create(const struct type_loader *loader, void *loader_data)
{
	struct type_table *table = xcalloc(1, sizeof(*table));
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&table->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	table->loader = loader;
	table->loader_data = loader_data;
	table->void_type = type_table_intern(table, &(struct type_key){ .kind = TYPE_VOID });
	table->unknown_type = type_table_intern(table, &(struct type_key){ .kind = TYPE_UNSPECIFIED });
	return table;
}

void type_table_destroy(struct type_table *table)
{
	if (!table)
		return;
	pthread_mutex_destroy(&table->lock);
	arena_deinit(&table->arena);
	string_pool_deinit(&table->names);
	free(table->slots);
	free(table);
}

/* Tries that take some tens of microseconds: as long as the lock is mostly held, and less than to sleep and
 * be woken. */
#define TRIES 500

void type_table_lock(struct type_table *table)
{
	for (int i = 0; i < TRIES; i++) {
		if (!pthread_mutex_trylock(&table->lock))
			return;
#ifdef __SSE2__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&table->lock);
}

void type_table_unlock(struct type_table *table)
{
	pthread_mutex_unlock(&table->lock);
}
