/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A further unit for units_that_agree.c, which has no code at the lines that have code here. Like
 * every unit that is asked, it has an access without an answer. */
struct text {
	unsigned long length;
	unsigned int uses;
};
struct cell {
	int type;
	void *data;
};
static __attribute__((used)) void put(struct cell *c, struct text *t)
{
	c->data = t;
}
static __attribute__((used)) long middle(struct cell *c)
{
	return *(long *)((char *)c->data + 1);
}
