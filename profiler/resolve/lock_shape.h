/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks in types: whether an object is one or has one, and the path to it. */
#pragma once

#include "base/strbuf.h"
#include "dwarf/types/type.h"

struct lock_shape {
	const struct type *type; /* NULL: not known */
	const char *pattern;     /* of the names of such types, for fnmatch(3); NULL: none */
	bool numbered;           /* paths to it have the numbers of elements: "by_way[1]" */
};

/* Returns whether an object is a lock: of that type, or of one around it (spinlock_t), which has a
 * name: struct { pthread_mutex_t lock; } is a struct with a lock. */
bool lock_shape_is(const struct type *type, const struct lock_shape *lock);
/* Returns the innermost element of arrays of arrays that has the byte at *offset, and makes the
 * offset one in it. If `path`, appends the numbers of the elements. */
const struct type *lock_shape_element(const struct type *type, int64_t *offset,
				      struct strbuf *path);
/* Appends the path of the lock that has the byte at `offset` of a record, and returns its type;
 * NULL: there is none, and nothing is appended. */
const struct type *lock_shape_find(const struct type *record, int64_t offset,
				   const struct lock_shape *lock, struct strbuf *path);
bool lock_shape_known(const struct lock_shape *lock);
/* Returns whether there is a lock at this place of a type, as far as its type is known. */
bool lock_shape_has(const struct type *type, int64_t offset, const struct lock_shape *lock);
/* Returns whether a type that is only declared is at this place of a type: it may be any lock. */
bool lock_shape_has_declared(const struct type *type, int64_t offset);
/* Returns where the lock begins that has the byte at `offset` of a type; `offset` if none has. */
int64_t lock_shape_start(const struct type *type, int64_t offset, const struct type *lock);
/* Moves from a generic type to the object of one of its arguments that has the lock, such as from
 * the node of a container to its element: that is the program's own type, and no lock itself. */
void lock_shape_own_object(const struct type **type, int64_t *offset,
			   const struct lock_shape *lock);
/* Returns whether the name of a type is an argument of the name of a generic one: rs::Account in
 * alloc::sync::ArcInner<rs::Account>. */
bool lock_shape_is_argument(const struct type *type, const struct type *generic);
/* Moves from the smart pointer to a lock, or the container of locks, at an offset of a record to
 * the library's record behind the pointer, which has the lock (alloc::sync::ArcInner), if there is
 * one. False: there is no such pointer or container. */
bool lock_shape_follow(const struct type **type, int64_t *offset, const struct type *lock);
/* Appends what a type has at `offset`: "[3]", ".inner", "[3].inner"; nothing for all of it. */
void lock_shape_add(struct strbuf *text, const struct type *type, int64_t offset,
		    const struct lock_shape *lock);
/* Returns the only member of a record that is an array of locks; NULL: there are several, or none.
 */
const struct member *lock_shape_array(const struct type *record, const struct lock_shape *lock);
/* Returns the variable that a closure of C++, in a record or by itself, has a reference to at
 * `offset`; NULL: none. gcc writes `__` before its name. */
const char *lock_captured_variable(const struct type *record, int64_t offset);
