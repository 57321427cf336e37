// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The names of functions that fetch or set a member begin with the library's name and the object's.
// RUN: gcc clang

struct link_part {
	unsigned char *url, *title;
};

struct custom_part {
	unsigned char *on_enter, *on_exit;
};

struct heading_part {
	int level;
};

struct node {
	int type;
	union {
		struct link_part link;
		struct custom_part custom;
		struct heading_part heading;
		int html_type;
	} as;
};

unsigned char *doc_node_get_title(struct node *node)
{
	return node->as.link.title; // EXPECT: struct node +16 (as.link.title)
}

unsigned char *doc_node_get_on_exit(struct node *node)
{
	if (node->type == 3) // EXPECT: struct node +0 (type)
		return 0;
	return node->as.custom.on_exit; // EXPECT: struct node +16 (as.custom.on_exit)
}

void doc_node_set_heading_level(struct node *node, int value)
{
	node->as.heading.level = value; // EXPECT: struct node +8 (as.heading.level)
}

int doc_node_has_title(struct node *node)
{
	return node->as.link.title != 0; // EXPECT: struct node +16 (as)
}
