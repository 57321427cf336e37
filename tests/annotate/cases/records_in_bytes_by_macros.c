// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that a macro has in the bytes of another one is the one to which the unit only casts, or that a variable has there elsewhere.

long use(const void *, long);

struct packet {
	struct packet *next;
	long time;
	_Alignas(8) char control[48];
	char name[16];
	int length;
};

struct control {
	unsigned int first, end;
	unsigned short flags;
	unsigned char last : 1;
	struct packet *following;
};

#define CONTROL(p) ((struct control *)(p)->control)

long next_end(struct packet *p)
{
	if (CONTROL(p)->flags & 4) // EXPECT: struct packet +24 (control.flags)
		return CONTROL(p)->end; // EXPECT: struct packet +20 (control.end)
	if (CONTROL(p)->last) // EXPECT: struct packet +26 (control.last)
		return p->time; // EXPECT: struct packet +8 (time)
	return CONTROL(CONTROL(p)->following)->first; // EXPECT: struct packet +32 (control.following); struct packet +16 (control.first)
}

/* Compilers merge stores to neighbours. */
void begin(struct packet *p, struct packet *next)
{
	CONTROL(p)->first = 0; // MAY: struct packet +16 (control.first); struct packet +16 (control)
	CONTROL(p)->end = 0; // MAY: struct packet +16 (control.first); struct packet +20 (control.end)
	CONTROL(p)->following = next; // EXPECT: struct packet +32 (control.following)
}

/* A text in bytes is no record. */
int is_named(struct packet *p)
{
	return p->name[0] == 'a' && p->control[5]; // EXPECT: struct packet +64 (name); struct packet +21 (control)
}

/* A union declares what its bytes are: a member of one byte, or an element of the array. */
struct request {
	long head;

	union {
		struct {
			unsigned char magic, code;
			unsigned short key;
			unsigned char extra, type;
		} request;

		unsigned char bytes[24];
	} header;
};

int of_request(struct request *r)
{
	return r->header.request.extra * 2; // EXPECT: struct request +12 (header)
}

struct queue {
	long head;
	_Alignas(8) unsigned char area[40];
	int length;
};

struct entry {
	long key;
	unsigned int count;
	struct entry *next;
};

/* A variable, in another function of the unit. */
#define ENTRY(q) ((struct entry *)(q)->area)

long of_key(struct queue *q)
{
	return use(q, ENTRY(q)->key) + ENTRY(q)->count;
	// EXPECT gcc: struct queue +8 (area.key); struct queue +16 (area.count)
	// EXPECT clang: struct queue +8 (area...; struct queue +16 (area...
}

void count(struct queue *q)
{
	struct entry *entry = ENTRY(q);

	q->length++;
	entry->count++;
	entry->key *= q->length;
}
