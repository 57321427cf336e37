/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type graph, from DWARF or BTF alike.
 *
 * Types are interned: within one type table equal types are one node, whichever unit or file they
 * were read from. Types are equal if they agree in kind, qualified name, size, and in their members
 * by name and offset. (In C and C++ a name has, in practice, one definition. Different definitions
 * of one name in several units are told apart by their members.) Unnamed types are equal if their
 * structure is. Nodes are immutable once seen, live as long as their table, and may be used by all
 * threads at once. Targets and members are read when they are first asked for, by the functions
 * below, which are thread-safe.
 *
 * A record that is only declared stands for its definition, if the table can find one by name.
 */
#pragma once

#include "base/strbuf.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INTEGER, /* also char and bool */
	TYPE_FLOAT,
	TYPE_ENUM,
	TYPE_POINTER,
	TYPE_REFERENCE, /* C++ & and &&; behaves as a pointer */
	TYPE_STRUCT,
	TYPE_CLASS,
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_TYPEDEF,
	TYPE_QUALIFIED, /* const, volatile, restrict, _Atomic: one node each */
	TYPE_FUNCTION,
	TYPE_MEMBER_POINTER, /* C++ pointer to member */
	TYPE_UNSPECIFIED,    /* decltype(nullptr), types in assembly */
};

enum type_flag {
	TYPE_SIGNED = 1,
	TYPE_DECLARATION = 2, /* no definition was found: size and members are not known */
	TYPE_VARIADIC = 4,    /* TYPE_FUNCTION with ... */
	TYPE_BOOL = 8,
	TYPE_CHAR = 16,
	TYPE_VECTOR = 32, /* TYPE_ARRAY that is a SIMD vector (DW_AT_GNU_vector) */
	TYPE_RVALUE = 64, /* TYPE_REFERENCE && */
	/* record or enum of C++ or Rust, whose name needs no keyword: "foo", not "struct foo" */
	TYPE_SCOPED = 128,
	/* TYPE_ARRAY, or a record: the size is not a constant, because a bound or a size depends on
	 * the object (Ada, Fortran, Pascal, variable-length arrays of C) */
	TYPE_DYNAMIC = 256,
	TYPE_COMPLEX = 512, /* two numbers of half the size: _Complex */
	/* a record made for the words that describe an array elsewhere; the language lays it out */
	TYPE_DESCRIPTOR = 1024,
	TYPE_OWN_CALL = 2048, /* TYPE_FUNCTION whose arguments are not where the psABI puts them */
};

struct type {
	uint8_t kind; /* enum type_kind */
	/* TYPE_QUALIFIED: the DW_TAG_ (as const, volatile ...) folded to 'c', 'v', 'r', 'a' */
	uint8_t qualifier;
	uint16_t flags; /* enum type_flag */
	/* small and unique in its table; depends on discovery: never print or sort by it */
	uint32_t id;
	/* bytes; 0: there are none, or it is not known. Only type_size() and type_size_or() use it,
	 * so that each caller decides what an absent size means */
	uint64_t constant_size;
	/* bytes that the record's declaration asks for; 0: none. See type_alignment() */
	uint64_t alignment;
	/* tag, base or typedef name, qualified in C++ and Rust; NULL: anonymous */
	const char *name;
	const struct type *stripped; /* see type_strip() */
	struct type_table *table;
	uint64_t source; /* the loader's own: DIE offset or BTF id */
	/* type_members of a record, type_enumerators of an enum, once loaded; see below */
	const void *detail;
};

struct member {
	const char *name; /* NULL: anonymous struct or union member, or base class */
	const struct type *type;
	/* bytes from the start of the enclosing type; a bitfield's: to its first byte */
	int64_t offset;
	uint32_t bit_offset; /* bitfield: first bit, counted from offset (little-endian) */
	uint32_t bit_size;   /* bits; 0: not a bitfield */
	/* bytes that it takes. Without a constant size, up to the next member or the record's end;
	 * 0 if that has no end, and for flexible arrays */
	uint64_t size;
	uint64_t alignment; /* bytes that its declaration asks for; 0: none */
	bool is_base;       /* C++ base class (DW_TAG_inheritance) */
	bool is_artificial; /* _vptr, ... */
	bool is_variant;    /* Rust: one variant of an enum; overlaps the others */
	/* of a variant: the value of the enum's discriminant that selects it. A variant without
	 * such a value is selected by all values that select no other. The discriminant itself is a
	 * nameless member that the compiler added (is_artificial); an enum with one variant has
	 * none */
	bool has_discriminant;
	uint64_t discriminant;
};

struct parameter {
	const char *name; /* may be NULL */
	const struct type *type;
	bool artificial; /* the compiler has added it; the first such parameter is `this` */
};

/* Returns a number that tells types of one kind, name and size apart by their members or
 * enumerators, whatever the debug information. */
uint64_t type_shape(const struct type *type);
/* Returns the pointee, element, aliased, qualified or return type; void: not given. NULL: the type
 * is of a kind that has none, which pointers, arrays, typedefs and qualified types are not. */
const struct type *type_target(const struct type *type);
/* Returns the largest alignment in bytes that the declarations of a type and of its members ask for
 * (DW_AT_alignment: alignas, _Alignas, __attribute__((aligned))); 0: none of them does. */
uint64_t type_alignment(const struct type *type);
/* Returns the members of a record as declared, without static ones; others have none. */
const struct member *type_members(const struct type *type, size_t *count);
/* Returns the member with this name, also of nameless members and of base classes, and adds its
 * offset; NULL: there is none. */
const struct member *type_member_named(const struct type *type, const char *name, size_t length,
				       uint64_t *offset);
/* Walks over the members that a function such as type_members() finds, by its arguments:
 * members_each (part, type_members_near, type, offset) ... */
#define members_each(item, find, ...)                                                              \
	for (const struct member *item##_end_ = NULL, *item = ({                                   \
		     size_t found_;                                                                \
		     const struct member *first_ = find(__VA_ARGS__, &found_);                     \
		     item##_end_ = found_ ? first_ + found_ : first_;                              \
		     first_;                                                                       \
	     });                                                                                   \
	     item < item##_end_; item++)

struct enumerator {
	const char *name;
	int64_t value;
};

/* Returns the constants of an enum as declared; none of other types, and of those of BTF. */
const struct enumerator *type_enumerators(const struct type *type, size_t *count);
/*
 * Results of functions that walk a type with all records in it. A record may have a type many
 * times, and so may that type: without memory, such a walk takes a time that is exponential in the
 * depth, which ordinary generated code shows (200 members in four levels). So a result is kept with
 * its type, and what is not kept asks type_is_vast() first. tests/lint/recursion.sh looks for
 * functions that do neither.
 */
enum type_result {
	TYPE_RESULT_PARTS,         /* see type_is_vast() */
	TYPE_RESULT_TANGLED,       /* type_is_tangled() */
	TYPE_RESULT_ALTERNATIVES,  /* how many members share a byte */
	TYPE_RESULT_ALIGNMENT,     /* type_alignment() */
	TYPE_RESULT_NATURAL,       /* alignment by members */
	TYPE_RESULT_NATURAL_ASKED, /* and by the record's own declaration */
	TYPE_RESULTS,
};

/* Sets *value to a result that was kept. Returns false if none was. Thread-safe. */
bool type_result(const struct type *type, enum type_result which, uint32_t *value);
/* Keeps a result, which must depend on nothing but the type. */
void type_keep_result(const struct type *type, enum type_result which, uint32_t value);

/* Returns whether a walk over all members of the type, of the records in it, and so on, has more
 * steps than any type that people write. */
bool type_is_vast(const struct type *type);
/* Returns whether so many members of nested unions share a byte that a lookup at one offset takes
 * more steps than in any type that people write. */
bool type_is_tangled(const struct type *type);

/* Returns the virtual base classes (C++). Only a vtable says where they are: no members. */
const struct type *const *type_virtual_bases(const struct type *type, size_t *count);
/* True for a class of C++ that is passed and returned by its address, whatever its size, because
 * copying or destroying it runs code (Itanium C++ ABI 3.1.2, "non-trivial for the purposes of
 * calls"). Thread-safe. */
bool type_is_by_address(const struct type *type);
/* Returns a run of type_members() with all members that may contain the byte at `offset`, and
 * perhaps some others; none of a type_is_tangled(). Use this for records with hundreds of members,
 * and wherever a function follows an offset from record to record. */
const struct member *type_members_near(const struct type *type, int64_t offset, size_t *count);
/* The same for all members that may share a byte with the `size` bytes at `offset`. */
const struct member *type_members_within(const struct type *type, int64_t offset, uint64_t size,
					 size_t *count);
/* Returns whether a member is a variant of a Rust enum. */
bool type_has_variants(const struct type *type);
/* Returns the number of elements of an array over all its dimensions; 0 if it is flexible, of size
 * 0, or not known. The target is the element. */
uint64_t type_array_count(const struct type *type);
/* Returns the elements of each dimension: int[3][4] has 3 and 4. Other types have none. */
const uint64_t *type_array_dimensions(const struct type *type, size_t *count);
/* A type of Go itself, its elements, its keys, or a map's buckets (Go 1.24: groups). */
enum go_part { GO_WHOLE, GO_ELEMENT, GO_KEY, GO_BUCKET };

const struct parameter *type_parameters(const struct type *type, size_t *count);

/* The name of a table's type, and of its symbol when it is demangled, is this and the class's. */
#define VIRTUAL_TABLE_PREFIX "vtable for "

/* The virtual table of a class of C++, as the class and its bases declare it. The tables of derived
 * classes have the same entries at the same distances from the first function. */
struct virtual_table {
	/* the record "vtable for NAME". Its members are the offsets of virtual bases and of the
	 * object's top, the address of the type information, and the functions */
	const struct type *type;
	const struct type *class;
	int64_t functions; /* offset of the first function, to which objects point */
	const struct virtual_base *bases;
	size_t base_count;
};

struct virtual_base {
	const struct type *type;
	/* where the table has the base's offset in an object: bytes before the first function */
	int64_t distance;
};

/* Returns the type without typedefs and qualifiers. */
static inline const struct type *type_strip(const struct type *type)
{
	return type->stripped;
}
/* Finds the bytes of an object of the type. False: it has no size (void, functions, flexible
 * arrays), or the size is not known (declarations) or not a constant (TYPE_DYNAMIC). */
static inline bool type_size(const struct type *type, uint64_t *size)
{
	type = type->stripped;
	*size = type->constant_size;
	return *size || ((type->kind == TYPE_STRUCT || type->kind == TYPE_CLASS ||
			  type->kind == TYPE_UNION) &&
			 !(type->flags & (TYPE_DECLARATION | TYPE_DYNAMIC)));
}
/* Returns the same size, or `otherwise`. With 0 it is the size of no access, and no divisor. */
static inline uint64_t type_size_or(const struct type *type, uint64_t otherwise)
{
	uint64_t size;

	return type_size(type, &size) ? size : otherwise;
}
static inline bool type_is_record(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_CLASS || type->kind == TYPE_UNION;
}
static inline bool type_is_pointer(const struct type *type)
{
	return type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE;
}

/*
 * Appends the name that reports print, spelled as perf does. Qualifiers are dropped. In C: "struct
 * foo", "union u", "enum e", "char*", "struct page**", "int[]", "u32" (a typedef of a scalar keeps
 * its name), "atomic_t" (a typedef of an anonymous struct names it); but a typedef of a tagged
 * struct is the struct ("struct redisObject", not "robj"). Classes and structs of C++ and Rust have
 * no keyword ("std::vector<int>"). A record without any name is "struct" or "union". Functions are
 * "(function_type)".
 */
void type_name(const struct type *type, struct strbuf *buffer);
/* Returns the name, interned in the type's table: equal names, equal pointers. Thread-safe. */
const char *type_name_interned(const struct type *type);
/* Returns the type's name in a report. As type_name_interned(), but records without a name have
 * their first members: "struct {hits, misses}". Interned in the type's table. Thread-safe. */
const char *type_label_interned(const struct type *type);
/* Appends the type as C source writes it, with typedef names kept: "struct list_head*", "__u8". */
void type_declaration(const struct type *type, struct strbuf *buffer);

/*
 * Appends a declaration of `name` (NULL: no name) in C or C++, in the two parts that pahole aligns:
 * "struct list *" and "next", "int" and "(*compare)(const void *, const void *)", "char" and
 * "name[16]". Qualifiers and typedef names are kept.
 */
void type_declarator(const struct type *type, const char *name, struct strbuf *base,
		     struct strbuf *declarator);

/* Returns the type "pointer to `type`", whether debug information has it or not. Thread-safe. */
const struct type *type_pointer_to(const struct type *type);

/* Returns the type "array of `count` elements" of this type. Thread-safe. */
const struct type *type_array_of(const struct type *element, uint64_t count);

/* Returns an array of `count` pointers to void, in the type table of `type`. It describes a table
 * of addresses that the compiler has made. Thread-safe. */
const struct type *type_address_table(const struct type *type, uint64_t count);

/* Returns the type that identifies `type` in reports: qualifiers dropped, typedefs of tagged
 * records resolved to the record, typedefs of anonymous records and of scalars kept at the last
 * name (the one nearest the type's use, as perf does). Two types with equal canonical types are the
 * same type to a reader. */
const struct type *type_canonical(const struct type *type);
