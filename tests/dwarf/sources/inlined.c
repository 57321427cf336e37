// SPDX-License-Identifier: GPL-2.0-or-later
#define INLINE      static inline __attribute__((always_inline))
#define LABEL(name) __asm__ volatile(#name ": nop")
INLINE int innermost(int x)
{
	LABEL(in_innermost);
	return x + 1;
}
INLINE int middle(int x)
{
	for (int i = 0; i < 1; i++) {
		x *= innermost(x);
		LABEL(in_middle);
	}
	return x;
}
__attribute__((noinline)) int function(int x)
{
	x += middle(x);
	LABEL(in_function);
	return x;
}
/* its call has no children */
INLINE void bare(void)
{
	LABEL(in_bare);
}
__attribute__((noinline)) int holds_bare(int x)
{
	LABEL(before_bare);
	bare();
	LABEL(after_bare);
	return x;
}
int main(int argc, char **argv)
{
	(void)argv;
	return function(argc) + holds_bare(argc);
}
