/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of an architecture that need types or symbols: how arguments and results are
 * classified, functions with conventions of their own, thunks, static branches, and the frames of
 * assembly. Facts that are plain numbers are in struct arch (base/arch/arch.h), whose comment
 * says how to add an architecture.
 */
#pragma once

#include "base/arch/arch.h"
#include "disasm/cfg.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"

struct arena;
struct solver;
struct static_branches;

/* The place in which one word of a value is passed: a general register, a vector register, or
 * memory. */
enum argument_class { ARGUMENT_NONE, ARGUMENT_INTEGER, ARGUMENT_VECTOR, ARGUMENT_MEMORY };

/* How a value is passed or returned. */
enum passing {
	PASSED_NOWHERE, /* it has no bytes */
	PASSED_IN_REGISTERS,
	PASSED_BY_ADDRESS,
	PASSED_UNKNOWN, /* it depends on the compiler's version */
};

/* A function that changes other registers than the calling convention says. */
struct own_convention {
	const char *name; /* '#' at the end stands for digits, '*' for anything */
	bool kernel;      /* only in the Linux kernel; these rows come last */
	uint64_t clobbered;
};

/* A function of a language's runtime whose result points to an object of a type that an argument
 * names. The argument is the address of the runtime's description of the type. */
struct typed_result {
	const char *name;     /* '*' at the end stands for anything */
	uint8_t arguments[2]; /* those that may name it, counted from 0: versions differ */
	uint8_t argument_count;
	enum go_part part; /* the part of the type that the result points to */
};

/* A function of a language's runtime that gets the address of an object, and the type of the object
 * as another argument. Arguments are counted from 0. */
struct typed_argument {
	const char *name;
	uint8_t word;      /* the argument that names the type */
	uint8_t object;    /* the address */
	enum go_part part; /* the part of that type which is at the address */
};

/* A function of a language's runtime that starts the iteration of a map. The iterator
 * begins with a pointer to the key and one to the element. */
struct map_iteration {
	const char *name;
	uint8_t type;     /* the argument that has the map's type word, from 0 */
	uint8_t iterator; /* the argument that points to the iterator */
};

/* A scalar in a value, in an ABI that gives each scalar a register. */
struct flat_part {
	uint32_t offset;
	uint8_t size;
	bool vector; /* it is passed in a vector register */
};

#define FLAT_PARTS_MAX 24 /* as many registers as Go's ABI has on any machine, or more */
#define FLAT_DEPTH_MAX 16 /* the most levels of types that are looked into */
#define FLAT_IN_MEMORY SIZE_MAX
#define FLAT_UNKNOWN   (SIZE_MAX - 1)

struct abi {
	const struct arch *arch;
	const struct convention *call; /* of functions */
	/* The ABI of code that Go's own compiler made; NULL if this is that ABI, or there is
	 * none. */
	const struct abi *go;
	/* The ABI of code that Rust's compiler made; NULL if this is that ABI, or there is none. */
	const struct abi *rust;
	/* The runtime's type that arch->goroutine points to; NULL if that register has no such
	 * role. */
	const char *goroutine_type;

	/* Classifies the one or two words of a type. False if it is passed in memory. */
	bool (*classify)(const struct type *type, enum argument_class classes[2]);
	/* A value that classify() does not take is passed by the address of a copy, and its address
	 * is not a result; and no argument gets a register after one that got none (AAPCS64 6.8.2).
	 */
	bool by_address;
	/* Go: finds the scalars of a type, each of which has a register of its own. Returns
	 *   - how many there are, at most FLAT_PARTS_MAX;
	 *   - FLAT_IN_MEMORY if the value is passed in memory;
	 *   - FLAT_UNKNOWN if it is not known how.
	 * NULL: the ABI passes no more than two words in registers. */
	size_t (*flatten)(const struct type *type, struct flat_part parts[FLAT_PARTS_MAX]);
	/* Rust: returns how a value is passed, and sets the classes of one that is passed in
	 * registers. NULL: classify() tells it. */
	enum passing (*passing)(const struct type *type, enum argument_class classes[2]);

	const struct typed_result *typed_results;
	size_t typed_result_count;
	const struct typed_argument *typed_arguments;
	size_t typed_argument_count;
	const struct map_iteration *map_iterations;
	size_t map_iteration_count;
	const struct own_convention *conventions;
	size_t convention_count;
	/* The name of the kernel's struct of function pointers whose callees preserve all registers
	 * but that of the first result; NULL if there is none. */
	const char *callee_save_record;

	const char *thunk_prefix; /* the prefix of the names of all thunks */
	const char *return_thunk; /* the symbol's name; NULL: there is none */
	const char *const
		*indirect_thunks; /* formats of names, with %s for the register; ends in NULL */

	/* Returns the length of the jump that the bytes encode, if it has one of the forms that
	 * static branches are patched to; 0 otherwise. */
	unsigned int (*jump_length)(const uint8_t *bytes, size_t available);
	/* Adds the ways on from instructions that the kernel replaces when it boots and that are
	 * jumps before or afterwards. NULL: those of the file are taken as they are. */
	void (*find_alternatives)(const struct elf_image *image, struct static_branches *branches);

	/* Returns the first offset, at or after `from`, at which the bytes look like a direct call,
	 * or like a direct jump that may leave a function; `size` if there is none. *target becomes
	 * the offset of the code that it refers to. The code is not decoded. */
	size_t (*find_call)(const uint8_t *code, size_t size, size_t from, int64_t *target);

	/* True if the code may have a move of eight bytes between a register and memory `distance`
	 * bytes from a base register other than the stack pointer. The code is not decoded. */
	bool (*may_move)(const uint8_t *code, size_t size, int64_t distance);
	/* The same for any access. */
	bool (*may_access)(const uint8_t *code, size_t size, int64_t distance);
	/* True if the code may compare something with a constant, test or store the bits of one, or
	 * jump by a table. `number` is the constant without its lowest zero bytes, and is not 0.
	 * The code is not decoded. */
	bool (*may_compare)(const uint8_t *code, size_t size, uint64_t number);

	/* The kernel's variable with the distance to this processor's per-cpu variables; NULL:
	 * none. */
	const char *per_cpu_offset;
	const char *current_task; /* the kernel's type of OP_CURRENT_TASK; NULL: there is none */
	/* Functions of the kernel that enable interrupts, or restore them; ends in NULL. */
	const char *const *interrupt_enablers;

	/*
	 * Finds the frame rows of code without a function DIE and without call frame information,
	 * and the places on the stack that have an interrupted task's registers. The function
	 * is decoded already; the rows are allocated from `arena`. NULL if the architecture has no
	 * such code.
	 */
	void (*assembly_frame)(struct solver *solver, struct arena *arena);
};

/* ---- Go and Rust: parts of an ABI that are the same on all architectures */

#define GO_TYPED_RESULTS   10
#define GO_TYPED_ARGUMENTS 12
#define GO_MAP_ITERATIONS  2

extern const struct typed_result go_typed_results[GO_TYPED_RESULTS];
extern const struct typed_argument go_typed_arguments[GO_TYPED_ARGUMENTS];
extern const struct map_iteration go_map_iterations[GO_MAP_ITERATIONS];

/* Go gives each scalar in a value a register of its own, in order (abi-internal.md, "Function call
 * argument and result passing"). A value that has an array of more than one element is passed in
 * memory as a whole. */
size_t abi_flatten_go(const struct type *type, struct flat_part parts[FLAT_PARTS_MAX]);

/* Members of struct abi. */
#define GO_RUNTIME                                                                                 \
	.goroutine_type = "runtime.g", .flatten = abi_flatten_go,                                  \
	.typed_results = go_typed_results, .typed_result_count = GO_TYPED_RESULTS,                 \
	.typed_arguments = go_typed_arguments, .typed_argument_count = GO_TYPED_ARGUMENTS,         \
	.map_iterations = go_map_iterations, .map_iteration_count = GO_MAP_ITERATIONS

/*
 * Rust passes a scalar in a register, and a value of two scalars in two. Any other value is passed
 * as an integer if it has at most eight bytes, and by its address if it has more than 16. For those
 * between it depends on the version (rustc_ty_utils, abi.rs, fn_abi_adjust_for_abi()).
 */
enum passing abi_pass_rust(const struct type *type, enum argument_class classes[2]);

/* Returns the ABI of an architecture that has a decoder; NULL: it has none. */
const struct abi *abi_of(const struct arch *arch);
/* Returns the ABI of one function; `function` may be NULL. `abi` is that of the image. */
const struct abi *abi_of_function(const struct abi *abi, const struct function *function);
/* Returns the ABI of an image's code. Code of the i386 is not decoded, and has x86-64's. */
const struct abi *abi_of_image(const struct elf_image *image);

extern const struct abi abi_x86_64, abi_arm64;

/* Returns the number, from 1, of the argument that calls pass in a register; 0: none is. */
static inline uint8_t convention_argument(const struct convention *call, unsigned int reg)
{
	for (uint8_t i = 0; i < call->argument_count; i++)
		if (call->arguments[i] == reg)
			return i + 1;
	return 0;
}

/*
 * ---- functions with conventions of their own
 *
 * They are written in assembly. Inline assembly calls them, or code that the compiler inserts;
 * either declares which registers they change.
 */

/* Finds the registers (REG_BITs) that a call to the function of this name changes. False if it
 * follows the ABI. */
bool convention_of(const struct abi *abi, const char *name, bool kernel, uint64_t *clobbered);

/*
 * ---- thunks: retpolines and return thunks
 *
 * Code that is jumped to or called in place of one instruction: a jump or call through a register,
 * or a return (on x86, gcc's -mindirect-branch=thunk-extern and -mfunction-return=thunk-extern).
 */

/* Returns whether a thunk starts at `address`, by the names of the image's symbols there. *reg
 * becomes the register that is jumped or called through; REG_NONE: a return. */
bool thunk_at(const struct elf_image *image, uint64_t address, uint8_t *reg);

/*
 * ---- static branches
 *
 * A static branch is a nop that becomes a jump, or a jump that becomes a nop, when its key is
 * switched (the kernel's include/linux/jump_label.h). The code that is on disk shows one of its two
 * ways; the other is an edge that the instructions do not show.
 */

struct static_branch {
	uint64_t from;
	uint64_t to; /* of a listed one: where the jump goes, whether it is there or not */
	bool listed;
};

struct static_branches {
	struct static_branch *items; /* sorted by `from` */
	size_t count;
	size_t capacity;
};

/* Finds the static branches of a kernel or module. There are none if the image has no list of
 * them. */
void static_branches_find(struct static_branches *edges, const struct abi *abi,
			  const struct elf_image *image);
void static_branches_deinit(struct static_branches *edges);
/* Returns the static branches from [low, high). */
const struct static_branch *static_branches_from(const struct static_branches *edges, uint64_t low,
						 uint64_t high, size_t *count);
/* Returns the way of a static branch that the instructions of the image do not show. */
struct cfg_way static_branch_way(const struct static_branch *branch, const struct elf_image *image);

/* ---- interrupts */

/* True if a kernel function of this name, on any architecture, only enables or restores
 * interrupts. */
bool abi_enables_interrupts(const char *function);
