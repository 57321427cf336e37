// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A register that points before a number points to an object that has the number as a member: what is at the register is not such a number.
// RUN: g++
// RULES: far-scalar

extern "C" void use(void *at);

// libstdc++ looks at both counts of a shared_ptr at once.
extern "C" void release(void *memory)
{
	long long *both = reinterpret_cast<long long *>(static_cast<char *>(memory) + 8);

	if (__atomic_load_n(both, __ATOMIC_ACQUIRE) == 0x100000001LL) { // EXPECT: long long int +0
		*both = 0; // EXPECT: long long int +0
		use(*static_cast<void **>(memory)); // EXPECT: none
	}
	use(memory); // MAY: void* +0
}
