// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The search of a tree ends at a node, or at the tree's own end, which is a base class of the nodes: what lies beyond it is the node's.
// RULES: container-node
// RUN: g++

namespace std
{
struct _Rb_tree_node_base {
	int color;
	_Rb_tree_node_base *parent, *left, *right;
};

template <class V> struct _Rb_tree_node : _Rb_tree_node_base {
	V value;
};

template <class V> struct _Rb_tree_iterator {
	_Rb_tree_node_base *node;
};

template <class K, class V> struct _Rb_tree {
	long compare;
	_Rb_tree_node_base header;
	unsigned long count, room;

	static long &key(_Rb_tree_node_base *node)
	{
		return static_cast<_Rb_tree_node<V> *>(node)->value.id;
	}

	_Rb_tree_iterator<V> lower(long id)
	{
		_Rb_tree_node_base *x = header.parent, *y = &header; // MAY: std::_Rb_tree<long int, account> +16 (header.parent); std::_Rb_tree<long, account> +16 (header.parent)

		while (x) {
			if (key(x) < id) { // EXPECT: std::_Rb_tree_node<account> +32 (value.id)
				x = x->right; // MAY: std::_Rb_tree_node_base +24 (right)
			} else {
				y = x;
				x = x->left; // MAY: std::_Rb_tree_node_base +16 (left)
			}
		}
		return { y };
	}

	_Rb_tree_iterator<V> find(long id)
	{
		_Rb_tree_iterator<V> i = lower(id);

		return i.node == &header || id < key(i.node) ? _Rb_tree_iterator<V>{ &header } : i; // EXPECT: std::_Rb_tree_node<account> +32 (value.id)
	}
};
}

struct account {
	long id, balance;
};

using tree = std::_Rb_tree<long, account>;

extern "C" long balance_of(tree *accounts, long id)
{
	std::_Rb_tree_iterator<account> i = accounts->find(id);

	if (i.node == &accounts->header)
		return 0;
	return static_cast<std::_Rb_tree_node<account> *>(i.node)->value.balance; // EXPECT: std::_Rb_tree_node<account> +40 (value.balance)
}

std::_Rb_tree_node<account> kept;
