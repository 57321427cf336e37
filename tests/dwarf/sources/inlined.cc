// SPDX-License-Identifier: GPL-2.0-or-later
namespace space
{
struct Thing {
	int value;
	__attribute__((always_inline)) int method(int x)
	{
		__asm__ volatile("in_method: nop");
		return x + value;
	}
};
} // namespace space
__attribute__((noinline)) int function(space::Thing *thing, int x)
{
	return thing->method(x) * 3;
}
int main(int argc, char **)
{
	space::Thing thing = { argc };
	return function(&thing, argc);
}
