/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `this` and references of C++, of the function and of what is inlined into it: which objects they
 * point to, and which code belongs to which class. struct selves is a part of struct facts
 * (facts.h), and borrows from struct function.
 */
#pragma once

#include "annotate/facts/facts.h"

void selves_build(struct selves *selves, const struct arch *arch, const struct function *function);
void selves_deinit(struct selves *selves);

/* True if a member function of this name is a constructor: it is named like its class. */
bool selves_is_constructor(const char *name, const struct type *class);
bool selves_is_this(const struct variable *variable);
/* True for `this` and references of C++. */
bool selves_is_self(const struct function *function, const struct variable *variable);

/* Walks the facts of a list that is sorted by `low` and whose ranges hold `address`: begin with
 * selves_begin(), and call selves_next() until it returns NULL. */
size_t selves_begin(const struct stack_fact_list *list, uint64_t address);
const struct stack_fact *selves_next(const struct stack_fact_list *list, uint64_t address,
				     size_t *at);

/* Returns the innermost member function that is inlined at `address`, if it is deeper than `above`
 * and less deep than `below`; NULL: there is none. */
const struct stack_fact *selves_method(const struct selves *selves, uint64_t address,
				       uint32_t above, uint32_t below);

/* Returns the depth of the innermost inlined function at `address`; 0: there is none. */
uint32_t selves_inlined_depth(const struct function *function, uint64_t address);
/* True if the innermost function at `address`, inlined or not, is a member function. */
bool selves_is_in_method(const struct selves *selves, const struct function *function,
			 uint64_t address);

/* True if pointers to these two classes have the same value somewhere in the function. One class is
 * then the other's first base, which matters if only their names are known. */
bool selves_share_address(const struct selves *selves, const struct type *a, const struct type *b);
