// SPDX-License-Identifier: GPL-2.0-or-later
struct opaque;
struct twofold;
struct twofold *either;
union value {
	int a;
	double d;
};
struct node {
	struct node *next;
	long key;
	union value u;
	unsigned f1 : 3, f2 : 7;
	struct {
		short x, y;
	};
	char name[8];
	int m[3][4];
};
typedef struct {
	int p, q;
} pair;
typedef pair twin;
typedef struct node node_t;
typedef node_t *node_ref;
typedef unsigned int u32;
typedef u32 id_t_;
enum color { RED, GREEN };
struct flex {
	int n;
	struct node *items[];
};
struct empty {
};
struct holder {
	const volatile node_t *cv;
	node_ref ref;
	pair pair;
	twin twin;
	enum color color;
	id_t_ id;
	int (*call)(struct node *, u32, ...);
	const char *const names[4];
	struct opaque *opaque;
	void *anything;
	_Bool flag;
	struct empty none;
	struct empty many[3];
	float f;
	struct holder **self;
	long double ld;
};
struct holder holder;
struct flex flex;
extern struct shared shared_;
node_t first;
struct shared {
	int one;
} shared_;
int main(void)
{
	return holder.flag + flex.n + shared_.one + (int)first.key;
}
