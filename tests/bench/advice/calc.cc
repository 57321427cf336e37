// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree of an expression, which is computed for many values: its nodes know their place in the text.
 *
 * case: Node reorder 400 600000
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
enum class Kind : char { number, variable, add, multiply, root };
struct Node {
#ifdef NEW
	std::unique_ptr<Node> left, right;
	double value = 0;
	Kind kind = Kind::number;
	int line = 0, column = 0;
	std::string text;
#else
	Kind kind = Kind::number;
	int line = 0, column = 0;
	std::string text;
	std::unique_ptr<Node> left;
	double value = 0;
	std::unique_ptr<Node> right;
#endif
};

static double compute(const Node &n, double x)
{
	switch (n.kind) {
	case Kind::number: return n.value;
	case Kind::variable: return x;
	case Kind::add: return compute(*n.left, x) + compute(*n.right, x);
	case Kind::multiply: return compute(*n.left, x) * compute(*n.right, x);
	default: return std::sqrt(std::fabs(compute(*n.left, x)));
	}
}

static std::unique_ptr<Node> grow(int nodes, int column)
{
	auto n = std::make_unique<Node>();
	n->line = 1, n->column = column;
	n->text = std::to_string(column);
	if (nodes < 3) {
		n->kind = rand() % 2 ? Kind::number : Kind::variable;
		n->value = rand() % 100 / 50.0;
		return n;
	}
	n->kind = rand() % 5 == 0 ? Kind::root : rand() % 2 ? Kind::add : Kind::multiply;
	int part = n->kind == Kind::root ? nodes - 1 : 1 + rand() % (nodes - 2);
	n->left = grow(part, column + 1);
	if (n->kind != Kind::root)
		n->right = grow(nodes - 1 - part, column + part);
	return n;
}

int main(int, char **argv)
{
	auto tree = grow(atoi(argv[1]), 0);
	double sum = 0;
	for (long i = 0; i < atol(argv[2]); i++)
		sum += std::fmod(compute(*tree, i * 0.001), 10);
	printf("%g\n", sum);
}
