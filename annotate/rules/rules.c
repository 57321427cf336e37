// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of rules: see rules.h, which says how to add one. */
#include "annotate/rules/rules.h"

#include "annotate/rules/stages.h"
#include "base/text.h"

/* clang-format off */
const struct rule rules[RULE_COUNT] = {

/* ---- the value of a memory operand's registers */

[RULE_DISTANT_ARGUMENT] = {
	.name = "distant-argument", .stage = STAGE_BASE,
	.reason =
		"nothing says what a function gets in a register, but all callers in the object that "
		"know it pass a pointer to the same type",
	.example =
		"static long find(struct bucket *buckets, long key); /* gcc: find.isra.0 gets "
		"cache->buckets */",
},
[RULE_DISTANT_MEMBER] = {
	.name = "distant-member", .stage = STAGE_BASE,
	.reason =
		"a member is a pointer to void or a union of pointers, and the functions of the unit that "
		"store to it or use it as something agree on one type; if none does, one of the records to "
		"which the unit casts has fields for all that they read, and no other one for half of it",
	.example =
		"f->data = p; /* struct private *p */ ... ((struct private *)f->data)->count",
},
/* ---- the declared type of a register meets the tracked one */

[RULE_TRACKED_WHOLE] = {
	.name = "tracked-whole", .stage = STAGE_MEET, .verdict = RULE_KEEPS,
	.applies.meet = rule_tracked_whole,
	.reason =
		"the tracked record has the declared type as a member at that offset: the "
		"outermost type is the answer",
	.example = "struct list_head *h = &task->children; h->next; /* struct task_struct */",
},
[RULE_DECLARED_WHOLE] = {
	.name = "declared-whole", .stage = STAGE_MEET, .verdict = RULE_TAKES,
	.applies.meet = rule_declared_whole,
	.reason =
		"the declared record has the tracked type as a member at that offset: it was "
		"cast down",
	.example =
		"struct text *t = (struct text *)object; t->length; /* struct text begins with "
		"a struct object */",
},
[RULE_MEMBER_OF_TRACKED] = {
	.name = "member-of-tracked", .stage = STAGE_MEET, .verdict = RULE_KEEPS,
	.applies.meet = rule_member_of_tracked,
	.reason =
		"the variable points to a scalar that many bytes into the tracked record, from "
		"which it was computed",
	.example = "uint16_t *half = (uint16_t *)&n->word + 1; *half;",
},
/* ---- the value that a load gives */

[RULE_CLASS_TABLE] = {
	.name = "class-table", .stage = STAGE_LOAD, .verdict = RULE_ANSWERS,
	.applies.load = rule_class_table,
	.reason =
		"the first word of an object of C++ points to its virtual table, which has the functions "
		"that the object's class declares, or functions that override them",
	.example = "shape->area(); /* call *0x8(%rax): vtable for Shape, Shape::area() */",
},
[RULE_RUST_VECTOR] = {
	.name = "rust-vector", .stage = STAGE_LOAD, .verdict = RULE_ANSWERS,
	.applies.load = rule_rust_vector,
	.reason =
		"Rust's vectors declare their buffer as u8*; the element's type is in the name "
		"of RawVec<T>",
	.example = "let v: Vec<Node> = ...; v[i].key /* Rust */",
},
[RULE_INFERRED_LOAD] = {
	.name = "inferred-load", .stage = STAGE_LOAD, .verdict = RULE_ANSWERS,
	.applies.load = rule_inferred_load,
	.reason =
		"the memory is declared as nothing useful, and later uses of the value say what "
		"it points to",
	.example = "void *data = item->data; node_free(data); /* takes a struct node * */",
},
[RULE_PRIVATE_DATA] = {
	.name = "private-data", .stage = STAGE_LOAD, .verdict = RULE_INFERS,
	.applies.load = rule_private_data,
	.reason = "a void * member leads to what the inline function that fetches it returns",
	.example =
		"EXT4_SB(sb)->s_blocks; /* static inline struct ext4_sb_info *EXT4_SB(): "
		"sb->s_fs_info */",
},
[RULE_STORED_FUNCTOR] = {
	.name = "stored-functor", .stage = STAGE_LOAD, .verdict = RULE_INFERS,
	.needs = LOAD_BYTES, .applies.load = rule_stored_functor,
	.reason =
		"the bytes of a std::function are the function object that the code calls, or point to it, "
		"depending on its size",
	.example = "std::function<long(long)> f = [&](long k) { return k + words.size(); }; f(3);",
},
[RULE_CONTAINER_NODE] = {
	.name = "container-node", .stage = STAGE_LOAD, .verdict = RULE_ANSWERS,
	.applies.load = rule_container_node,
	.reason =
		"libstdc++'s containers and iterators lead to a node's base class; the name of their type "
		"says what the node itself is",
	.example = "std::map<long, double> m; sum += m.begin()->second; /* _Rb_tree_node_base, 40 bytes on */",
},
[RULE_COROUTINE_HANDLE] = {
	.name = "coroutine-handle", .stage = STAGE_LOAD, .verdict = RULE_INFERS,
	.applies.load = rule_coroutine_handle,
	.reason =
		"a std::coroutine_handle<P> leads to a coroutine's frame, in which the promise P follows "
		"the addresses of two functions",
	.example = "std::coroutine_handle<promise> h = top; h.promise().value; /* 0x10(%rax) */",
},
/* ---- what values are used as, all over a function */

[RULE_UNION_POINTER] = {
	.name = "union-pointer", .stage = STAGE_USE,
	.reason =
		"all accesses through a pointer out of a union go to whole members of just one "
		"of its pointees",
	.example =
		"page->mapping->host; /* a union of struct address_space *mapping with other "
		"pointers */",
},
[RULE_ONE_WORD_RECORD] = {
	.name = "one-word-record", .stage = STAGE_USE,
	.reason =
		"a record of one integer is a boxed pointer, too: a union of the unit has pointers beside "
		"it, or other functions name records, and the accesses fit one of them",
	.example = "union any { struct value v; struct object *o; }; /* struct value { uintptr_t w; } */",
},
[RULE_MEMBER_TYPES] = {
	.name = "member-types", .stage = STAGE_USE,
	.reason =
		"the functions of the unit name several records to which a pointer to void or a "
		"union in a record points, and all accesses of the function go to whole members "
		"of just one of them",
	.example =
		"cell->data = text; cell->data = list; ... ((struct list *)cell->data)->length",
},
[RULE_SHOWN_RECORD] = {
	.name = "shown-record", .stage = STAGE_USE,
	.reason =
		"the records to which a pointer may be cast begin with the same members: the access is to "
		"one of these, or the value has the type of the one member that agrees with it",
	.example = "#define HEAD int kind\nstruct text { HEAD; char *data; }; print(((struct text *)any)->data);",
},
[RULE_COMPARED_OBJECT] = {
	.name = "compared-object", .stage = STAGE_USE,
	.reason = "a pointer may be equal to the address of a static record: it points to such a record",
	.example = "void *text = cell->ptr; if (text != &empty && --((struct text *)text)->references == 0)",
},
/* ---- an access through a pointer, before its type is looked at */

[RULE_INNER_NODE] = {
	.name = "inner-node", .stage = STAGE_BEFORE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_RECORD, .applies.source = rule_inner_node,
	.reason =
		"Rust's B-trees point to inner nodes as leaves: what follows a leaf is an edge of the inner "
		"node that begins with it",
	.example = "for (name, id) in &map { sum += id } // descends by LeafNode +368",
},
[RULE_MOVED_VALUE] = {
	.name = "moved-value", .stage = STAGE_BEFORE, .verdict = RULE_INFERS,
	.needs = ACCESS_BYTE, .applies.source = rule_moved_value,
	.reason =
		"Rust's allocator gives memory out as u8*, and the inlined function that writes to it or "
		"reads it has the type as its parameter",
	.example = "let cells = vec![Cell::default(); n]; // core::ptr::write<Cell>(dst, src)",
},
[RULE_WORD_OF_BYTES] = {
	.name = "word-of-bytes", .stage = STAGE_BEFORE, .verdict = RULE_INFERS,
	.needs = ACCESS_MAY_INFER | ACCESS_NOT_GLOBAL, .fits = FITS_WHOLE, .applies.source = rule_word_of_bytes,
	.reason =
		"a program without strict aliasing accesses a word where bytes are declared: of "
		"the records that the unit names only in casts, one has a member there, or, in "
		"any program, has nothing but the word",
	.example = "typedef char *page; ((struct page_header *)page)->flags; /* no variable is one */",
},
[RULE_BYTE_OF_PLACE] = {
	.name = "byte-of-place", .stage = STAGE_BEFORE, .verdict = RULE_INFERS, .refusal = REASON_VOID_POINTER,
	.needs = ACCESS_ALIASED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_CONSTANT | ACCESS_NOT_GLOBAL, .fits = 1U << FIT_MEMBER, .applies.source = rule_byte_of_place,
	.reason =
		"a program without strict aliasing casts a record of bytes: a byte is a member "
		"of one of the records that the unit names only in casts; if several differ "
		"there, nothing is known",
	.example = "struct value { char length[4], data[]; }; ((struct short_value *)v)->tag;",
},
[RULE_HEADER_BEFORE] = {
	.name = "header-before", .stage = STAGE_BEFORE, .verdict = RULE_INFERS,
	.needs = ACCESS_CONSTANT | ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD | ACCESS_NOT_GLOBAL | ACCESS_BEFORE,
	.fits = FITS_WHOLE, .applies.source = rule_header_before,
	.reason =
		"the accesses before an object are to no element of an array of such objects: one of the records "
		"that the unit names only in casts ends there, and has a member where the access goes",
	.example = "#define HEAD(v) ((struct head *)(v) - 1)\nif (HEAD(v)->length < HEAD(v)->room) /* struct point *v */",
},
[RULE_FOLDED_ADDRESS] = {
	.name = "folded-address", .stage = STAGE_BEFORE, .verdict = RULE_INFERS,
	.needs = ACCESS_MAY_INFER | ACCESS_NOT_GLOBAL | ACCESS_WORD | ACCESS_ANY_BYTE,
	.fits = FITS_WHOLE, .applies.source = rule_folded_address,
	.reason =
		"a number of bytes is added to a pointer in the instruction itself: the variable that has the "
		"sum is in no known place, and one such variable points to a record with a member there",
	.example = "struct entry *e = (struct entry *)(heap->base + at); e->key; /* 4(%rcx,%rax) */",
},
[RULE_SUM_PAST_BYTES] = {
	.name = "sum-past-bytes", .stage = STAGE_BEFORE, .verdict = RULE_REFUSES, .refusal = REASON_OUTSIDE,
	.needs = ACCESS_MAY_INFER | ACCESS_NOT_GLOBAL | ACCESS_RECORD | ACCESS_ANY_BYTE,
	.applies.access = rule_sum_past_bytes,
	.reason =
		"a number of bytes is added to the address of a record that has an array of bytes: the sum "
		"is no element's address if words beyond the array are accessed through it, or if the record "
		"begins with the bytes and another variable of the function points to one with such a word",
	.example = "struct section *s = (void *)((char *)header + header->start); s->name; /* not magic[] */",
},
[RULE_SCALED_BYTES] = {
	.name = "scaled-bytes", .stage = STAGE_BEFORE, .verdict = RULE_REFUSES, .refusal = REASON_VOID_POINTER,
	.needs = ACCESS_BYTE | ACCESS_NOT_GLOBAL, .applies.access = rule_scaled_bytes,
	.reason =
		"an index of a pointer to bytes counts elements that are larger than the "
		"access: the bytes are an array of records",
	.example = "((struct step *)buffer->bytes)[i].line = line; /* 4 bytes at (%rsi,%rax,8) */",
},
[RULE_CAST_OF_BYTES] = {
	.name = "cast-of-bytes", .stage = STAGE_BEFORE, .verdict = RULE_REFUSES, .refusal = REASON_VOID_POINTER,
	.needs = ACCESS_BYTE, .applies.access = rule_cast_of_bytes,
	.reason =
		"in a kernel, or another program without strict aliasing, a word after a byte pointer is a "
		"member of what lies in the buffer",
	.example = "((struct iphdr *)skb->data)->saddr;",
},

[RULE_BEFORE_ARRAY] = {
	.name = "before-array", .stage = STAGE_BEFORE, .verdict = RULE_REFUSES, .refusal = REASON_OUTSIDE,
	.needs = ACCESS_INFERRED | ACCESS_RECORD, .applies.access = rule_before_array,
	.reason =
		"an array of records is known only from its use, and the access is many elements "
		"before it: something else is there",
	.example = "sort(workspace + 4096); /* takes a struct rank * */ ((struct node *)workspace)[i];",
},

/* ---- the type of the pointer has room for the access */

[RULE_BUFFER_CAST] = {
	.name = "buffer-cast", .stage = STAGE_DECLARED, .verdict = RULE_INFERS,
	.needs = ACCESS_CONSTANT | ACCESS_RECORD | ACCESS_MAY_INFER,
	.applies.source = rule_buffer_cast,
	.reason =
		"a record is a few members and a buffer of bytes: an access to the buffer is to the "
		"record that a variable there says it was cast to",
	.example = "struct io_rw *rw = (struct io_rw *)kiocb; rw->addr; /* kiocb->data */",
},
[RULE_CAST_BYTES] = {
	.name = "cast-bytes", .stage = STAGE_DECLARED, .verdict = RULE_ANSWERS,
	.needs = ACCESS_SCALAR | ACCESS_CONSTANT | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_cast_bytes,
	.reason =
		"a word is accessed through a pointer to bytes, or another word than a pointer to "
		"numbers is to, and the same address is that of a record with such a member there",
	.example =
		"const char *key = (char *)&item->id; sum += hash(key); item->id = sum; /* one register */",
},
[RULE_FREE_LIST] = {
	.name = "free-list", .stage = STAGE_DECLARED, .verdict = RULE_INFERS,
	.needs = ACCESS_CONSTANT | ACCESS_RECORD | ACCESS_MAY_INFER,
	.applies.source = rule_free_list,
	.reason =
		"an object is taken from a chain of free objects, or given back to it: the word "
		"that is accessed is the link in the record to which the chain's head points",
	.example = "n = (struct node *)head; head = ((struct free_item *)n)->next; /* struct free_item *head */",
},
[RULE_MADE_IN_PLACE] = {
	.name = "made-in-place", .stage = STAGE_DECLARED, .verdict = RULE_INFERS,
	.needs = ACCESS_CONSTANT | ACCESS_RECORD | ACCESS_MAY_INFER,
	.applies.source = rule_made_in_place,
	.reason =
		"the instruction is of an inlined constructor or destructor, and the bytes of a buffer have "
		"room for that class: the object is made there",
	.example = "new (pool.allocate()) comment(document); /* union item { item *next; char bytes[N]; } */",
},
[RULE_HEAD_CAST] = {
	.name = "head-cast", .stage = STAGE_DECLARED, .verdict = RULE_ANSWERS,
	.needs = ACCESS_CONSTANT | ACCESS_ALTERNATIVE, .fits = FITS_WHOLE, .applies.source = rule_head_cast,
	.reason =
		"the access would be a part of a pointer, and is a whole member of the "
		"address's second type",
	.example = "struct element *e = (struct element *)&queue->head; e->count;",
},
[RULE_FAR_SCALAR] = {
	.name = "far-scalar", .stage = STAGE_DECLARED, .verdict = RULE_DOUBTS,
	.needs = ACCESS_CONSTANT | ACCESS_SCALAR | ACCESS_NOT_GLOBAL, .applies.access = rule_far_scalar,
	.reason =
		"a constant offset past a scalar is mostly a later member of a record that "
		"begins with that scalar",
	.example = "unsigned long *flags = &inode->i_state; flags[3];",
},
[RULE_UNFOLLOWED_CAST] = {
	.name = "unfollowed-cast", .stage = STAGE_DECLARED, .verdict = RULE_INFERS,
	.needs = ACCESS_SCALAR | ACCESS_NOT_GLOBAL | ACCESS_UNFOLLOWED, .fits = FITS_WHOLE, .applies.source = rule_unfollowed_cast,
	.reason =
		"in code whose variables were not followed, one pointer of the inlined function is to a "
		"record that has a member where the access goes to a part of a number",
	.example = "const uint32_t *table; const struct entry *e = (const void *)table; e->bits;",
},
[RULE_UNFOLLOWED_PART] = {
	.name = "unfollowed-part", .stage = STAGE_DECLARED, .verdict = RULE_DOUBTS,
	.needs = ACCESS_SCALAR | ACCESS_NOT_GLOBAL | ACCESS_UNFOLLOWED, .applies.access = rule_unfollowed_part,
	.reason =
		"in code whose variables were not followed, an access to a part of a number is through "
		"another variable, of the type to which the pointer was cast",
	.example = "static uint8_t bits(const uint32_t *table, int i) { return ((struct entry *)table)[i].bits; }",
},
[RULE_WIDE_BYTE] = {
	.name = "wide-byte", .stage = STAGE_DECLARED, .verdict = RULE_DOUBTS,
	.needs = ACCESS_CONSTANT | ACCESS_BYTE | ACCESS_NOT_GLOBAL, .applies.access = rule_wide_byte,
	.reason =
		"two, four or eight bytes at a fixed distance from a pointer to bytes are a member of "
		"a record to which the pointer was cast",
	.example = "const char *file; ((const struct header *)file)->length; /* mov 0x4(%rdi),%eax */",
},
[RULE_MISFIT] = {
	.name = "misfit", .stage = STAGE_DECLARED, .verdict = RULE_DOUBTS,
	.needs = ACCESS_RECORD, .applies.access = rule_misfit,
	.reason =
		"an access past the end of the record, or to several members of one that was "
		"inferred, or to one byte of an array's numbers of two, is to something else",
	.example = "struct pair { int a, b; } *p; *(long *)&p->b;",
},
[RULE_FAR_POINTER] = {
	.name = "far-pointer", .stage = STAGE_DECLARED, .verdict = RULE_DOUBTS,
	.needs = ACCESS_CONSTANT | ACCESS_ALTERNATIVE | ACCESS_SCALAR,
	.applies.access = rule_far_pointer,
	.reason =
		"past a pointer to a pointer, where the address's second type is a record that "
		"has a member there",
	.example = "struct node **p; ((struct node *)p)->key;",
},
[RULE_TAIL_QUEUE] = {
	.name = "tail-queue", .stage = STAGE_DECLARED, .verdict = RULE_INFERS,
	.needs = ACCESS_CONSTANT | ACCESS_SCALAR | ACCESS_MAY_INFER | ACCESS_ORIGIN,
	.fits = FITS_WHOLE, .applies.source = rule_tail_queue,
	.reason =
		"a queue's head and each of its links are a pointer to the next element and one to the pointer "
		"before: what follows the latter's target is the same again, cast to the head",
	.example = "TAILQ_LAST(&q, head) /* (*(((struct head *)((&q)->tqh_last))->tqh_last)) */",
},
/* ---- the type has no room for the access, and the address has an index in it */

[RULE_UNKNOWN_OFFSET] = {
	.name = "unknown-offset", .stage = STAGE_INDEXED, .verdict = RULE_ANSWERS,
	.needs = ACCESS_WORD | ACCESS_RECORD | ACCESS_INFERRED,
	.fits = FITS_WHOLE, .applies.source = rule_unknown_offset,
	.reason =
		"a number that is known only at run time is added to a pointer to void: the sum points to "
		"what other such sums are used as",
	.example =
		"struct task_smack *t = cred->security + smack_blob_sizes.lbs_cred; "
		"t->smk_task;",
},

[RULE_DESCRIBED_ELEMENT] = {
	.name = "described-element", .stage = STAGE_INDEXED, .verdict = RULE_ANSWERS,
	.needs = ACCESS_ORIGIN, .applies.source = rule_described_element,
	.reason =
		"Fortran has no pointer arithmetic: what is added to the address in an array's descriptor is "
		"a number of elements, even if only the descriptor says how far they are apart",
	.example = "type(particle), pointer :: p(:); p => a(::3); p(i)%mass = 0",
},
[RULE_EITHER_MEMBER] = {
	.name = "either-member", .stage = STAGE_INDEXED, .verdict = RULE_ANSWERS,
	.needs = ACCESS_RECORD, .applies.source = rule_either_member,
	.reason =
		"a condition chooses between two members of one type, side by side: the answer is that "
		"type, because nothing tells which member is meant",
	.example = "n = key < n->key ? n->left : n->right; /* mov 16(%rax,%rcx,8), rcx is 0 or 1 */",
},
[RULE_INDEXED_RECORD] = {
	.name = "indexed-record", .stage = STAGE_INDEXED, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD | ACCESS_NOT_GLOBAL,
	.fits = FITS_WHOLE, .applies.source = rule_indexed_record,
	.reason =
		"an index reaches past the end of a header: just one type in scope, or else one "
		"record of the unit, has the header and an array there",
	.example = "((struct table *)header)->kinds[(unsigned char)c];",
},

/* ---- the type has no room for the access, and the offset is a constant */

[RULE_TEXT_HEADER] = {
	.name = "text-header", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_BEFORE, .applies.source = rule_text_header,
	.reason =
		"before a text is the header of the unit's one record that ends in a "
		"flexible array of bytes; the same before an element of a flexible array, if no "
		"member of the element before is meant",
	.example = "char *s = string->bytes; ((struct string *)(s - 5))->length;",
},
[RULE_BYTE_BEFORE] = {
	.name = "byte-before", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_BYTE | ACCESS_CONSTANT | ACCESS_NOT_GLOBAL | ACCESS_BEFORE, .applies.source = rule_byte_before,
	.reason =
		"the one byte before a text is read as an element of it, where no single header "
		"ends there",
	.example = "const char *s = string->bytes; unsigned char kind = s[-1]; /* which header it is */",
},
[RULE_ALTERNATIVE_TYPE] = {
	.name = "alternative-type", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_ALTERNATIVE, .applies.source = rule_alternative_type,
	.reason = "the same address was said to have another type, too, and that one has room",
	.example =
		"struct text *t = (struct text *)object; ... object->length; /* the compiler "
		"merged both variables */",
},
[RULE_TAG_VALUE] = {
	.name = "tag-value", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_ORIGIN | ACCESS_CONSTANT, .applies.source = rule_tag_value,
	.reason =
		"a member of the object was compared with a constant, and where the unit's other functions "
		"do that, they say what the object is, or what its pointers point to",
	.example = "if (node->tag == NODE_CALL) walk(((struct call *)node)->arguments);",
},
[RULE_SECOND_USE] = {
	.name = "second-use", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_ORIGIN, .applies.source = rule_second_use,
	.reason =
		"the pointer is used as a record elsewhere in the function, and that one has "
		"room",
	.example = "struct object *o = find(); text_print((struct text *)o); o[1].kind;",
},
[RULE_WALKED_ARRAY] = {
	.name = "walked-array", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.applies.source = rule_walked_array,
	.reason = "the function moves over such records by whole ones: a neighbour is meant",
	.example = "for (p = first; p < last; p++) swap += p[-1].key > p->key;",
},
[RULE_ELEMENT_OF_VECTOR] = {
	.name = "element-of-vector", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_ORIGIN, .applies.source = rule_element_of_vector,
	.reason =
		"the pointer is the member of a container that says where its elements begin or end: an "
		"access after the first one, or before the end, is to another one",
	.example = "std::vector<struct group> groups; groups.back().count++;",
},
[RULE_ENCLOSING_RECORD] = {
	.name = "enclosing-record", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_enclosing_record, .contradicted = true,
	.reason =
		"container_of() or a header cast down: the one type in scope that has the "
		"pointee and a member there",
	.example = "container_of(node, struct task_struct, tasks)->pid;",
},
[RULE_UNIT_CAST] = {
	.name = "unit-cast", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_unit_cast, .contradicted = true,
	.reason =
		"no type in scope would do: what the unit's inline functions cast such a "
		"pointer to",
	.example = "EXT4_I(inode)->i_flags; /* nothing but the displacement is left of EXT4_I() */",
},
[RULE_UNIT_RECORD] = {
	.name = "unit-record", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD | ACCESS_NOT_GLOBAL,
	.fits = FITS_WHOLE, .applies.source = rule_unit_record, .contradicted = true,
	.reason =
		"no type in scope fits, and neither does an element of an array of the pointee: "
		"the one record of the unit that has the pointee (in C++: is derived from it) and a "
		"member there is meant",
	.example = "#define VALUE(h) (((struct entry *)(h))->value) /* begins with a struct header */",
},
[RULE_ONE_ELEMENT] = {
	.name = "one-element", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_RECORD | ACCESS_CONSTANT | ACCESS_WORD | ACCESS_NOT_GLOBAL,
	.fits = FITS_WHOLE, .applies.source = rule_one_element, .contradicted = true,
	.reason =
		"no record around the pointee fits, and the pointee ends in an array of one element, as "
		"flexible arrays were written before C99, and as that of the methods of an interface of Go is: "
		"a further element is meant",
	.example = "struct tuple { long length; struct object *items[1]; }; use(tuple->items[2]);",
},
[RULE_FURTHER_ELEMENT] = {
	.name = "further-element", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_WORD | ACCESS_NOT_GLOBAL,
	.applies.source = rule_further_element,
	.reason =
		"no record around the pointee fits, and the unit declares arrays of the pointee, or passes "
		"it by value: the access is to a whole member of a further element",
	.example = "long second(const struct arg *args) { return args[1].value; }",
},
[RULE_CAST_DOWN] = {
	.name = "cast-down", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_CONSTANT | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_cast_down, .contradicted = true,
	.reason =
		"no type in scope fits: of the records that the unit names only in casts, one "
		"begins with the pointee and has a member there",
	.example = "union any { struct head head; struct text text; }; ((union any *)head)->text.length;",
},
[RULE_REPEATED_HEAD] = {
	.name = "repeated-head", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_CONSTANT | ACCESS_WORD | ACCESS_NOT_GLOBAL,
	.fits = FITS_WHOLE, .applies.source = rule_repeated_head, .contradicted = true,
	.reason =
		"one record of the unit, or one to which an unlocated variable points, begins with the members "
		"of the pointee, under the same names, and has a member there",
	.example = "struct text { HEAD; long length; }; ((struct text *)any)->length; /* any: HEAD alone */",
},
[RULE_VALUE_CAST] = {
	.name = "value-cast", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,
	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_CONSTANT | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_value_cast, .contradicted = true,
	.reason =
		"elsewhere in the unit, pointers to such a record and to one larger record are one value, and "
		"that record has a member there",
	.example = "#define INTERNAL(p) ((struct internal *)(p)) /* struct internal *i = p; elsewhere */",
},
[RULE_AFTER_RECORD] = {
	.name = "after-record", .stage = STAGE_OUTSIDE, .verdict = RULE_INFERS,

	.needs = ACCESS_DECLARED | ACCESS_MAY_INFER | ACCESS_RECORD | ACCESS_LAST_RESORT | ACCESS_WORD,
	.fits = FITS_WHOLE, .applies.source = rule_after_record,
	.reason =
		"what is allocated together with a record, right after it, has the type of a "
		"variable in scope, or of one that the function has there elsewhere; a header "
		"right before it is what the one variable without a place points to",
	.example = "struct nic *nic = netdev_priv(dev); nic->queues;",
},
[RULE_SLICE_ELEMENT] = {
	.name = "slice-element", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_RECORD, .applies.source = rule_slice_element,
	.reason =
		"Go has no pointer arithmetic: after a record to which a slice of the function points are its "
		"other elements",
	.example = "f := strings.Fields(line); n, err := strconv.Atoi(f[3])",
},
[RULE_CAPTURED_VARIABLE] = {
	.name = "captured-variable", .stage = STAGE_OUTSIDE, .verdict = RULE_ANSWERS,
	.needs = ACCESS_RECORD | ACCESS_CONSTANT, .applies.source = rule_captured_variable,
	.reason =
		"the variables that a function of Go has captured follow the only word of its closure that "
		"the runtime declares",
	.example = "func() int { n++; return n } // mov 8(%rdx),%rax: the address of n",
},

/* ---- a field was found, but without variables (BTF) something may speak against it */

[RULE_PART_OF_INTEGER] = {
	.name = "part-of-integer", .stage = STAGE_LAST, .verdict = RULE_REFUSES, .refusal = REASON_CAST,
	.needs = ACCESS_UNDECLARED, .applies.access = rule_part_of_integer,
	.reason = "a part of an integer that is pointed to: the pointer was cast",
	.example = "unsigned long *p = arg; *(u16 *)p; /* BTF */",
},
[RULE_OPEN_BUFFER] = {
	.name = "open-buffer", .stage = STAGE_LAST, .verdict = RULE_REFUSES, .refusal = REASON_CAST,
	.needs = ACCESS_UNDECLARED, .applies.access = rule_open_buffer,
	.reason =
		"bytes that a record begins or ends with, read in words: the record is there to "
		"be cast",
	.example = "((struct sockaddr_in *)sockaddr)->sin_addr; /* BTF; char sa_data[14] */",
},

/* ---- the answer for one instruction */

[RULE_STORED_CLASS] = {
	.name = "stored-class", .stage = STAGE_ANSWER, .verdict = RULE_INFERS,
	.needs = ANSWER_ANY, .applies.answer = rule_stored_class,
	.reason =
		"the address of a class's virtual table is stored in memory of no known type: an object of "
		"that class is made or destroyed there",
	.example = "throw std::bad_alloc(); /* its constructor, inlined, in what __cxa_allocate_exception() gives */",
},
[RULE_NAMED_CLASS] = {
	.name = "named-class", .stage = STAGE_ANSWER, .verdict = RULE_ANSWERS,
	.needs = ANSWER_NO_BASE, .applies.answer = rule_named_class,
	.reason = "a C++ class that is only declared here: the type is its name, without a field",
	.example = "class Widget; Widget *w; w->show(); /* loads the virtual table */",
},
[RULE_UNLOCATED_VARIABLE] = {
	.name = "unlocated-variable", .stage = STAGE_ANSWER, .verdict = RULE_INFERS,
	.needs = ANSWER_NO_BASE | ANSWER_DECLARED | ANSWER_REUSED, .fits = FITS_WHOLE, .applies.answer = rule_unlocated_variable,
	.reason =
		"nothing says where one pointer of the inlined function is, and its record has such a "
		"member there",
	.example =
		"struct header *h = page_address(page); h->magic; /* the address is a sum of "
		"numbers */",
},
[RULE_OFFSET_TABLE] = {
	.name = "offset-table", .stage = STAGE_ANSWER, .verdict = RULE_ANSWERS,
	.needs = ANSWER_NO_VARIABLE, .applies.answer = rule_offset_table,
	.reason =
		"the compiler loads an address that the linker or the dynamic linker puts into the global "
		"offset table, which is an array of addresses",
	.example = "call *malloc@GOTPCREL(%rip) /* with -fno-plt, and in Rust */",
},
[RULE_FLOAT_CONSTANT] = {
	.name = "float-constant", .stage = STAGE_ANSWER, .verdict = RULE_INFERS,
	.needs = ANSWER_NO_VARIABLE, .applies.answer = rule_float_constant,
	.reason =
		"the compiler puts floating-point constants into read-only memory without a variable, "
		"and the function has variables of just one such type of that size",
	.example = "double half(double x) { return x * 0.5; }",
},
[RULE_STORED_FUNCTION] = {
	.name = "stored-function", .stage = STAGE_ANSWER, .verdict = RULE_REFUSES, .refusal = REASON_CAST,
	.applies.refuses = rule_stored_function,
	.reason =
		"the address of a function is stored where the record has no room for one: the "
		"memory is in use as another object",
	.example = "struct call *c = (struct call *)free_objects; c->run = run; /* in object.count */",
},
[RULE_LOADED_POINTER] = {
	.name = "loaded-pointer", .stage = STAGE_ANSWER, .verdict = RULE_REFUSES, .refusal = REASON_CAST,
	.applies.refuses = rule_loaded_pointer,
	.reason =
		"a number in a record that was inferred is loaded, and used as a pointer to a record: the "
		"memory has another record",
	.example = "use(word & 1 ? ((struct container *)p)->arena : p); /* takes a struct arena * */",
},
};
/* clang-format on */

enum rule_id rules_first(enum rule_stage stage)
{
	static const uint8_t first[STAGE_COUNT + 1] = {
		[STAGE_BASE] = RULE_DISTANT_ARGUMENT,
		[STAGE_MEET] = RULE_TRACKED_WHOLE,
		[STAGE_LOAD] = RULE_CLASS_TABLE,
		[STAGE_USE] = RULE_UNION_POINTER,
		[STAGE_BEFORE] = RULE_INNER_NODE,
		[STAGE_DECLARED] = RULE_BUFFER_CAST,
		[STAGE_INDEXED] = RULE_UNKNOWN_OFFSET,
		[STAGE_OUTSIDE] = RULE_TEXT_HEADER,
		[STAGE_LAST] = RULE_PART_OF_INTEGER,
		[STAGE_ANSWER] = RULE_STORED_CLASS,
		[STAGE_COUNT] = RULE_COUNT,
	};

	return first[stage];
}

const char *rule_stage_name(enum rule_stage stage)
{
	static const char *const names[STAGE_COUNT] = {
		[STAGE_BASE] = "the base register of an access",
		[STAGE_MEET] = "a declared type meets a tracked one",
		[STAGE_LOAD] = "a value is loaded",
		[STAGE_USE] = "what values are used as",
		[STAGE_BEFORE] = "an access through a pointer, first of all",
		[STAGE_DECLARED] = "an access that fits the pointer's type",
		[STAGE_INDEXED] = "an access with an index, outside the type",
		[STAGE_OUTSIDE] = "an access outside the type",
		[STAGE_LAST] = "an access with an answer, without variables",
		[STAGE_ANSWER] = "the answer for an instruction",
	};

	return stage < STAGE_COUNT ? names[stage] : "";
}

const char *rule_name(enum rule_id rule)
{
	return rule < RULE_COUNT ? rules[rule].name : NULL;
}

static enum rule_id find(const char *name, size_t length)
{
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++)
		if (text_is(name, length, rules[i].name))
			return i;
	return RULE_NONE;
}

struct error *rules_switch_off(const char *names)
{
	for (const char *name = names;; name++) {
		size_t length = strcspn(name, ",");
		enum rule_id rule = find(name, length);

		if (!rule)
			return error_create(ERROR_NOT_FOUND, "no rule '%.*s' (dtprof list rules)",
					    (int)length, name);
		rules_off[rule] = true;
		name += length;
		if (!*name)
			return NULL;
	}
}
