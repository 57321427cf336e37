// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The functions of the C++ library that throw do not return, also where no declaration says so (-gstrict-dwarf before DWARF 5).
// RUN: g++ clang++
// RUN: g++ -O1 -gdwarf-4 -gstrict-dwarf -fno-guess-branch-probability

struct node {
	struct node *next;
	long key;
	int error;
};

struct list {
	struct node *first;
};

namespace std
{
void __throw_system_error(int error) __attribute__((noreturn));
void __throw_invalid_argument(const char *text) __attribute__((noreturn));
}

extern "C" long first_key(const list *list)
{
	if (list->first->error) // EXPECT: list +0 (first); node +16 (error)
		std::__throw_system_error(list->first->error); // MAY: node +16 (error)
	return list->first->key; // EXPECT: node +8 (key)
}

extern "C" long next_key(const list *list)
{
	if (!list->first->next) // EXPECT: list +0 (first); node +0 (next)
		std::__throw_invalid_argument("no next");
	return list->first->next->key; // EXPECT: node +8 (key)
}
