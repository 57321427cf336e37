// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps find the keys that were inserted and no others. Equal interned strings are one pointer. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MANY 10000

/* Typical keys: addresses that are a page apart. */
static uint64_t key_of(uint32_t i)
{
	return UINT64_C(0x7f0000000000) + UINT64_C(4096) * i;
}

static void test_map_keeps_many(void **state)
{
	struct hash_map map = { 0 };
	bool created;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t *value = hash_map_insert(&map, key_of(i), &created);

		assert_true(created);
		assert_int_equal(*value, 0);
		*value = i;
	}
	assert_int_equal(map.count, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(*hash_map_find(&map, key_of(i)), i);
		assert_int_equal(*hash_map_insert(&map, key_of(i), &created), i);
		assert_false(created);
	}
	assert_null(hash_map_find(&map, key_of(MANY)));
	assert_null(hash_map_find(&map, key_of(0) + 1));
	hash_map_deinit(&map);
	assert_null(hash_map_find(&map, key_of(0)));
}

static void test_map_takes_any_key(void **state)
{
	static const uint64_t keys[] = { 0, UINT64_MAX, 1, UINT64_C(1) << 63 };
	struct hash_map map = { 0 };
	bool created;

	(void)state;
	assert_null(hash_map_find(&map, 0));
	for (uint32_t i = 0; i < 4; i++)
		*hash_map_insert(&map, keys[i], &created) = i + 1;
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(*hash_map_find(&map, keys[i]), i + 1);
	hash_map_deinit(&map);
}

static void test_bytes_of_any_length(void **state)
{
	/* short texts, and those that are hashed in parts */
	static const size_t lengths[][2] = { { 0, 20 }, { 250, 330 } };
	char text[400], copy[sizeof(text)];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + i / 3);
	memcpy(copy, text, sizeof(text));
	for (size_t length = 0; length < lengths[1][1]; length++) {
		if (length == lengths[0][1])
			length = lengths[1][0];

		uint64_t hash = hash_bytes(text, length);

		assert_int_equal(hash, hash_bytes(copy, length));
		/* A change of any byte or of the length changes the hash. */
		for (size_t i = 0; i < length; i++) {
			copy[i] ^= 1;
			assert_int_not_equal(hash, hash_bytes(copy, length));
			copy[i] ^= 1;
		}
		assert_int_not_equal(hash, hash_bytes(text, length + 1));
	}
	/* Zero bytes change the hash, too. */
	assert_int_not_equal(hash_bytes("\0", 1), hash_bytes("\0\0", 2));
}

static int compare_words(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Pairs of an address and a small number are keys of maps: no two may have one hash. */
static void test_pairs_differ(void **state)
{
	enum { ADDRESSES = 300, NUMBERS = 1000 };
	uint64_t *hashes = malloc(sizeof(*hashes) * ADDRESSES * NUMBERS);
	size_t count = 0;

	(void)state;
	assert_non_null(hashes);
	for (uint32_t i = 0; i < ADDRESSES; i++)
		for (uint32_t k = 0; k < NUMBERS; k++)
			hashes[count++] = hash_combine(UINT64_C(0x7f0000000000) + 7 * i, k);
	qsort(hashes, count, sizeof(*hashes), compare_words);
	for (size_t i = 1; i < count; i++)
		assert_int_not_equal(hashes[i - 1], hashes[i]);
	free(hashes);
}

static void test_strings_are_interned(void **state)
{
	struct string_pool pool = { 0 };
	const char *first[MANY / 10];
	char text[32];

	(void)state;
	for (unsigned int i = 0; i < MANY / 10; i++) {
		snprintf(text, sizeof(text), "struct node%u", i);
		first[i] = string_pool_intern(&pool, text);
		assert_string_equal(first[i], text);
		assert_ptr_not_equal(first[i], text);
	}
	for (unsigned int i = 0; i < MANY / 10; i++) {
		snprintf(text, sizeof(text), "struct node%u", i);
		assert_ptr_equal(string_pool_intern(&pool, text), first[i]);
	}
	assert_string_equal(string_pool_intern(&pool, ""), "");
	assert_int_equal(pool.count, MANY / 10 + 1);
	string_pool_deinit(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map_keeps_many),
		cmocka_unit_test(test_map_takes_any_key),
		cmocka_unit_test(test_bytes_of_any_length),
		cmocka_unit_test(test_pairs_differ),
		cmocka_unit_test(test_strings_are_interned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
