// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Orders of an exchange, of which one loop adds up the open ones.
 *
 * case: Order split 400000 150
 */
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef NEW
struct Order {
	double price;
	int quantity;
	bool buy;
};
struct OrderCold {
	long id;
	char symbol[16];
	char account[32];
	long placed;
	long changed;
};
static std::vector<OrderCold> cold;
#else
struct Order {
	long id;
	char symbol[16];
	double price;
	char account[32];
	int quantity;
	bool buy;
	long placed;
	long changed;
};
#endif
__attribute__((noinline)) static double depth(const std::vector<Order> &orders)
{
	double sum = 0;
	for (const Order &o : orders)
		sum += o.buy ? o.price * o.quantity : 0;
	return sum;
}
int main(int, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	std::vector<Order> orders(n);
#ifdef NEW
	cold.resize(n);
#endif
	for (long i = 0; i < n; i++)
		orders[i].price = i % 100, orders[i].quantity = (int)(i % 7), orders[i].buy = i & 1;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += depth(orders);
	printf("%g\n", sum);
}
