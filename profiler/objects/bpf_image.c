// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements bpf_image.h. */
#include "profiler/objects/bpf_image.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/arch/arch.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "disasm/insn.h"

/* Bytes of a function's code: the kernel's JIT makes at most 64 KB of a program of 4,096
 * instructions, and programs of root may have a million. */
#define CODE_MAX ((size_t)32 << 20)
/* Lookups of one function, and maps. */
#define LOOKUPS_MAX 4096
#define PLACES_MAX  (ELF_COMPOSITION_MAX - 8)
/* Instructions after a lookup in which the inlined code moves from the element to the value. */
#define ELEMENT_INSNS 10
/* Longer than any context of the kernel. */
#define CONTEXT_SIZE (1 << 16)

/* Contexts whose accesses the verifier rewrites: convert_ctx_access() of Linux' struct
 * bpf_verifier_ops, and is_valid_access() of pointers in contexts. */
static const char *const contexts[] = {
	"__sk_buff",  "bpf_flow_keys", "bpf_perf_event_data", "bpf_sk_lookup",
	"bpf_sock",   "bpf_sockopt",   "bpf_sock_addr",       "bpf_sock_ops",
	"bpf_sysctl", "bpf_tcp_sock",  "sk_msg_md",           "sk_reuseport_md",
	"xdp_md",
};

/* A map whose values have a fixed address. */
struct map_place {
	const struct bpf_recorded_map *map;
	uint64_t address; /* of the map, or of the section */
	uint64_t value;   /* offset of the first value from there */
	bool is_section;  /* of variables */
};

/* A call of a function that looks up a value. */
struct map_lookup {
	const struct bpf_recorded_map *map;
	size_t symbol; /* the index of the called function */
	size_t call;   /* offset of the call in the code */
	size_t moved;  /* offset of the end of the instruction that moves to the value, */
	size_t length; /* and its bytes; 0: the call returns the value */
};

struct bpf_builder {
	const struct bpf_program *program;
	const struct arch *arch;
	const char *name; /* of the function */
	uint64_t address;
	uint8_t *code; /* a copy */
	size_t size;
	struct bpf_recorded_map *maps;
	struct bpf_recorded_symbol *symbols;
	struct bpf_insn *insns; /* of the function */
	size_t insn_count;
	struct map_place places[PLACES_MAX];
	size_t place_count;
	struct map_lookup *lookups;
	size_t lookup_count, lookup_capacity;
	uint64_t per_cpu; /* address of the kernel's this_cpu_off; 0: the code does not use it */
	struct btf *btf;  /* NULL: not recorded, or damaged */
};

/* ---- the parts of the program ---- */

static const struct bpf_recorded_map *map_of_id(const struct bpf_builder *builder, uint32_t id)
{
	return array_find(i, builder->maps, builder->program->maps.count,
			  builder->maps[i].id == id);
}

/* Returns the function that the code calls at this address, as its index, or SIZE_MAX. */
static size_t symbol_at(const struct bpf_builder *builder, uint64_t address)
{
	for (size_t i = 0; i < builder->program->symbols.count; i++)
		if (builder->symbols[i].address == address)
			return i;
	return SIZE_MAX;
}

/* Copies records that may lie at odd addresses, and ends their names. */
static void copy_additions(struct bpf_builder *builder)
{
	const struct bpf_bytes *maps = &builder->program->maps,
			       *symbols = &builder->program->symbols;

	builder->maps = xcalloc(maps->count + 1, sizeof(*builder->maps));
	builder->symbols = xcalloc(symbols->count + 1, sizeof(*builder->symbols));
	for (size_t i = 0; i < maps->count; i++)
		bpf_element(maps, i, &builder->maps[i], sizeof(*builder->maps));
	for (size_t i = 0; i < symbols->count; i++) {
		bpf_element(symbols, i, &builder->symbols[i], sizeof(*builder->symbols));
		builder->symbols[i].name[sizeof(builder->symbols[i].name) - 1] = '\0';
	}
}

static struct error *copy_code(struct bpf_builder *builder, size_t function)
{
	const struct bpf_bytes *sizes = &builder->program->arrays[BPF_ARRAY_SIZES],
			       *code = &builder->program->arrays[BPF_ARRAY_CODE];
	size_t start = 0;
	uint32_t size = 0;

	bpf_element(&builder->program->arrays[BPF_ARRAY_FUNCTIONS], function, &builder->address,
		    sizeof(builder->address));
	for (size_t i = 0; i <= function; i++) {
		start += size;
		bpf_element(sizes, i, &size, sizeof(size));
	}
	if (!size || size > CODE_MAX || start > code->count || size > code->count - start)
		return error_create(ERROR_FORMAT, "%s has no code in the recording", builder->name);
	builder->code = xcalloc(1, size);
	memcpy(builder->code, code->data + start, size);
	builder->size = size;
	return NULL;
}

/* Copies the instructions of the function, from which its code was made. Without func_info the
 * program is one function. */
static void copy_insns(struct bpf_builder *builder, size_t function)
{
	const struct bpf_bytes *all = &builder->program->arrays[BPF_ARRAY_INSNS],
			       *info = &builder->program->arrays[BPF_ARRAY_FUNC_INFO];
	size_t count = all->count / sizeof(struct bpf_insn), start = 0, end = count;
	struct bpf_func_info own = { 0 };

	if (function < info->count) {
		bpf_element(info, function, &own, sizeof(own));
		start = own.insn_off;
	}
	if (function + 1 < info->count) {
		bpf_element(info, function + 1, &own, sizeof(own));
		end = own.insn_off;
	}
	if (start >= end || end > count)
		return;
	builder->insn_count = end - start;
	builder->insns = xcalloc(builder->insn_count, sizeof(*builder->insns));
	memcpy(builder->insns, all->data + start * sizeof(struct bpf_insn),
	       builder->insn_count * sizeof(struct bpf_insn));
}

/* ---- addresses of maps in the code ---- */

/* A constant of 64 bits in the instructions: a map's address, or a number. */
struct wide_constant {
	const struct bpf_recorded_map *map; /* NULL: `number` */
	uint64_t number;
	uint32_t inside; /* PSEUDO_MAP_VALUE: offset in the map's value */
	bool is_value;
	int64_t added; /* by the next instruction to the same register; 0: nothing */
};

/* Returns the constant that is added to the register of the constant at `at` before it is used in
 * another way, as the inlined lookup in an array does; 0: none. */
static int64_t added_next(const struct bpf_builder *builder, size_t at)
{
	uint8_t reg = builder->insns[at].dst_reg;

	for (size_t i = at + 2; i < builder->insn_count && i < at + 2 + ELEMENT_INSNS; i++) {
		const struct bpf_insn *insn = &builder->insns[i];

		if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K) && insn->dst_reg == reg)
			return insn->imm;
		if (BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32 ||
		    insn->dst_reg == reg)
			return 0;
		i += insn->code == (BPF_LD | BPF_IMM | BPF_DW);
	}
	return 0;
}

/* Lists the constants that the JIT loads by movabs, in order. Returns false if there are others,
 * such as addresses of functions, whose form depends on their value. */
static bool list_constants(const struct bpf_builder *builder, struct wide_constant *list,
			   size_t *count)
{
	for (size_t i = 0; i + 1 < builder->insn_count; i++) {
		const struct bpf_insn *insn = &builder->insns[i];
		struct wide_constant *constant = &list[*count];

		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		*constant = (struct wide_constant){ .added = added_next(builder, i) };
		switch (insn->src_reg) {
		case 0:
			constant->number = (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm
									 << 32;
			break;
		case BPF_PSEUDO_MAP_FD:
		case BPF_PSEUDO_MAP_VALUE:
			constant->is_value = insn->src_reg == BPF_PSEUDO_MAP_VALUE;
			constant->inside = (uint32_t)insn[1].imm;
			constant->map = map_of_id(builder, (uint32_t)insn->imm);
			if (!constant->map)
				return false;
			break;
		default: return false;
		}
		i++;
		/* a number of 32 bits is loaded by a shorter instruction */
		*count += constant->map || (constant->number > UINT32_MAX &&
					    (int64_t)constant->number != (int32_t)constant->number);
	}
	return true;
}

static void add_place(struct bpf_builder *builder, const struct bpf_recorded_map *map,
		      uint64_t address, uint64_t value, bool is_section)
{
	for (size_t i = 0; i < builder->place_count; i++)
		if (builder->places[i].map == map)
			return;
	if (builder->place_count < PLACES_MAX)
		builder->places[builder->place_count++] =
			(struct map_place){ map, address, value, is_section };
}

/* The state of the search for lookups: the map whose address is the first argument. */
struct lookup_search {
	const struct bpf_recorded_map *map;
	size_t after; /* instructions since the last lookup */
};

/* Returns whether the function returns the element of a hash table, not its value. */
static bool returns_element(const struct bpf_builder *builder, const struct map_lookup *lookup)
{
	return strstr(builder->symbols[lookup->symbol].name, "htab_map_lookup_elem") &&
	       starts_with(builder->symbols[lookup->symbol].name, "__");
}

/* Takes a call: it is a lookup if its first argument is a map, and it is named so. */
static void take_call(struct bpf_builder *builder, const struct insn *insn,
		      struct lookup_search *search)
{
	uint64_t target;
	size_t symbol = insn_direct_target(insn, &target) ? symbol_at(builder, target) : SIZE_MAX;

	if (search->map && symbol != SIZE_MAX && insn->length == 5 &&
	    builder->lookup_count < LOOKUPS_MAX &&
	    strstr(builder->symbols[symbol].name, "lookup_elem")) {
		array_add(builder->lookups, builder->lookup_count, builder->lookup_capacity) =
			(struct map_lookup){ .map = search->map,
					     .symbol = symbol,
					     .call = (size_t)(insn->address - builder->address) };
		search->after =
			returns_element(builder, &builder->lookups[builder->lookup_count - 1])
				? ELEMENT_INSNS
				: 0;
	}
	search->map = NULL;
}

/* Returns which bytes of the code are targets of its jumps, to be freed. */
static bool *find_joins(const struct bpf_builder *builder, struct decoder *decoder)
{
	bool *joins = xcalloc(builder->size, sizeof(*joins));
	struct insn insn;
	uint64_t target;

	for (size_t at = 0; at < builder->size; at += insn.length) {
		decoder_decode(decoder, builder->code + at, builder->size - at,
			       builder->address + at, &insn);
		if (!insn.length)
			break;
		if (insn.operation != OP_CALL && insn_direct_target(&insn, &target) &&
		    target - builder->address < builder->size)
			joins[target - builder->address] = true;
	}
	return joins;
}

/* Walks the code along with the constants: movabs is the only instruction of 10 bytes that moves a
 * constant, and a direct call has 5. Other processors have neither. Returns false if a constant is
 * not where the instructions have it. */
static bool find_lookups(struct bpf_builder *builder, struct decoder *decoder,
			 const struct wide_constant *constants, size_t count)
{
	_cleanup_free_ bool *joins = find_joins(builder, decoder);
	uint8_t first = builder->arch->call.arguments[0];
	struct lookup_search search = { 0 };
	struct insn insn;
	size_t next = 0;

	for (size_t at = 0; at < builder->size; at += insn.length) {
		int64_t moved;

		decoder_decode(decoder, builder->code + at, builder->size - at,
			       builder->address + at, &insn);
		if (!insn.length)
			break;
		if (joins[at])
			search.map = NULL;
		if (insn.operation == OP_CALL) {
			take_call(builder, &insn, &search);
			continue;
		}
		if (search.after &&
		    insn_adds_constant_64(&insn, builder->arch->call.results[0], &moved)) {
			builder->lookups[builder->lookup_count - 1].moved = at + insn.length;
			builder->lookups[builder->lookup_count - 1].length = insn.length;
			search.after = 0;
		}
		/* the JIT adds nothing else that is at a fixed address */
		if (insn.operation == OP_ADD && insn.operands[1].kind == OPERAND_MEMORY &&
		    insn.operands[1].segment == builder->arch->per_cpu_segment &&
		    insn.operands[1].absolute)
			builder->per_cpu = (uint64_t)insn.operands[1].value;
		search.after -= search.after > 0;
		if (insn.written & REG_BIT(first))
			search.map = NULL;
		if (insn.operation != OP_MOVE || insn.length != 10 ||
		    insn.operands[1].kind != OPERAND_IMMEDIATE)
			continue;

		const struct wide_constant *constant = next < count ? &constants[next++] : NULL;
		uint64_t value = (uint64_t)insn.operands[1].value;

		if (!constant || (!constant->map && constant->number != value))
			return false;
		if (constant->map && constant->is_value)
			add_place(builder, constant->map, value - constant->inside, 0, true);
		else if (constant->map && constant->added > 0 &&
			 (constant->map->type == BPF_MAP_TYPE_ARRAY ||
			  constant->map->type == BPF_MAP_TYPE_PERCPU_ARRAY))
			add_place(builder, constant->map, value, (uint64_t)constant->added, false);
		if (operand_is_reg(&insn.operands[0], first) && constant->map &&
		    !constant->is_value)
			search.map = constant->map;
	}
	return next == count;
}

static struct error *find_maps(struct bpf_builder *builder)
{
	_cleanup_free_ struct wide_constant *constants =
		xcalloc(builder->insn_count + 1, sizeof(*constants));
	struct decoder *decoder = NULL;
	size_t count = 0;

	if (list_constants(builder, constants, &count) && count) {
		RETURN_ERROR(decoder_check(builder->arch));
		decoder = decoder_create(builder->arch);
	}
	if (decoder && !find_lookups(builder, decoder, constants, count))
		builder->place_count = builder->lookup_count = 0;
	decoder_destroy(decoder);
	return NULL;
}

/* ---- the BTF ---- */

/* Returns the id of a struct of `size` bytes with the value alone; 0: it does not fit. */
static int add_element(struct bpf_builder *builder, const struct bpf_recorded_map *map,
		       uint32_t size)
{
	int id = btf__add_struct(builder->btf, BPF_ELEMENT, size);

	if (id > 0 && btf__add_field(builder->btf, "value", (int)map->value_type, 0, 0) < 0)
		return 0;
	return id;
}

/* Returns the id of the type that a map has at each index; 0: not known. The kernel aligns values
 * to 8 bytes. */
static int element_type(struct bpf_builder *builder, const struct bpf_recorded_map *map)
{
	int64_t size = btf__resolve_size(builder->btf, map->value_type);

	return size == map->value_size && size % 8 == 0 ? (int)map->value_type
	       : size == map->value_size
		       ? add_element(builder, map, (uint32_t)round_up(map->value_size, 8))
		       : 0;
}

/* Returns the id of the integer that counts the elements of an array, or 0. */
static int index_type(const struct bpf_builder *builder)
{
	for (int id = 1; id < (int)btf__type_cnt(builder->btf); id++)
		if (btf_is_int(btf__type_by_id(builder->btf, (uint32_t)id)))
			return id;
	return 0;
}

/* Names a map's place, and describes it as a variable. Sections of variables are described. */
static const char *describe_place(struct bpf_builder *builder, const struct map_place *place,
				  uint64_t *size, char name[32])
{
	const struct bpf_recorded_map *map = place->map;
	const struct btf_type *section = btf__type_by_id(builder->btf, map->value_type);
	bool is_per_cpu = map->type == BPF_MAP_TYPE_PERCPU_ARRAY;
	int element, variable;

	*size = map->value_size;
	if (place->is_section)
		return section && btf_is_datasec(section)
			       ? btf__name_by_offset(builder->btf, section->name_off)
			       : NULL;
	*size = (is_per_cpu ? 8 : round_up(map->value_size, 8)) * map->entries;
	element = *size && *size <= INT32_MAX ? element_type(builder, map) : 0;
	if (is_per_cpu && element > 0) /* an array of pointers to each processor's values */
		element = btf__add_ptr(builder->btf, (int)map->value_type);
	if (element <= 0)
		return NULL;
	snprintf(name, 32, "map %.16s", map->name);
	variable = btf__add_array(builder->btf, index_type(builder), element, map->entries);
	variable = variable > 0 ? btf__add_var(builder->btf, name + 4, BTF_VAR_STATIC, variable)
				: variable;
	uint32_t bytes = (uint32_t)*size;

	*size += place->value;
	return variable > 0 && btf__add_datasec(builder->btf, name, (uint32_t)*size) > 0 &&
			       btf__add_datasec_var_info(builder->btf, variable,
							 (uint32_t)place->value, bytes) == 0
		       ? name
		       : NULL;
}

/* Declares a function of this name that returns a pointer to the lookup's value. */
static bool declare_lookup(struct bpf_builder *builder, const struct map_lookup *lookup,
			   const char *name)
{
	int id = btf__resolve_size(builder->btf, lookup->map->value_type) == lookup->map->value_size
			 ? btf__add_ptr(builder->btf, (int)lookup->map->value_type)
			 : 0;

	id = id > 0 ? btf__add_func_proto(builder->btf, id) : 0;
	return id > 0 && btf__add_func(builder->btf, name, BTF_FUNC_STATIC, id) > 0;
}

/* Returns the id of the struct that a parameter points to, if it is a context; 0: none. */
static int context_of(const struct bpf_builder *builder, uint32_t parameter)
{
	const struct btf_type *type = btf__type_by_id(builder->btf, parameter);
	uint32_t id = 0;

	for (int depth = 0; type && depth < 8; depth++) {
		if (btf_is_struct(type)) {
			const char *name = btf__name_by_offset(builder->btf, type->name_off);

			return name && any_of(i, 0, COUNT_OF(contexts),
					      strcmp(contexts[i], name) == 0)
				       ? (int)id
				       : 0;
		}
		if (!btf_is_ptr(type) && !btf_is_mod(type) && !btf_is_typedef(type))
			return 0;
		id = type->type;
		type = btf__type_by_id(builder->btf, id);
	}
	return 0;
}

/* Adds a pointer to a context in place of the one to the declared struct. Returns its id, or 0. */
static int add_context(struct bpf_builder *builder, int declared)
{
	int id = btf__add_struct(builder->btf, BPF_CONTEXT, CONTEXT_SIZE);

	if (id > 0 && btf__add_field(builder->btf, "declared", declared, 0, 0) < 0)
		return 0;
	return id > 0 ? btf__add_ptr(builder->btf, id) : 0;
}

/* Gives the program's functions contexts in place of declared structs. */
static void replace_contexts(struct bpf_builder *builder)
{
	int count = (int)btf__type_cnt(builder->btf);

	for (int id = 1; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(builder->btf, (uint32_t)id);

		if (!btf_is_func_proto(type))
			continue;
		for (int i = 0; i < btf_vlen(type); i++) {
			int declared = context_of(builder, btf_params(type)[i].type);
			int pointer = declared ? add_context(builder, declared) : 0;

			/* adding moves the types */
			type = btf__type_by_id(builder->btf, (uint32_t)id);
			if (pointer > 0)
				btf_params(type)[i].type = (uint32_t)pointer;
		}
	}
}

/* ---- the file ---- */

/* Lookups have addresses after the code, which their calls lead to. */
#define LOOKUP_SIZE 16

struct bpf_file {
	struct elf_composition elf;
	size_t code; /* where its bytes are */
	struct strbuf symbols, names;
};

/* The numbers of the first sections. */
enum { SECTION_CODE = 1, SECTION_LOOKUPS, SECTION_PER_CPU };

static void add_symbol(struct bpf_file *file, const char *name, uint16_t section, uint64_t address,
		       uint64_t size)
{
	Elf64_Sym symbol = { .st_name = (uint32_t)file->names.length,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, section == SECTION_PER_CPU
									  ? STT_OBJECT
									  : STT_FUNC),
			     .st_shndx = section,
			     .st_value = address,
			     .st_size = size };

	strbuf_add(&file->names, name, strlen(name) + 1);
	strbuf_add(&file->symbols, &symbol, sizeof(symbol));
}

static void add_contents(struct bpf_file *file, const char *name, Elf64_Shdr section,
			 const void *data)
{
	size_t at = elf_composition_add(&file->elf, name, &section);

	if (data && section.sh_size)
		memcpy(file->elf.data + at, data, section.sh_size);
}

static uint64_t lookup_address(const struct bpf_builder *builder, size_t number)
{
	return round_up(builder->address + builder->size, LOOKUP_SIZE) + number * LOOKUP_SIZE;
}

/* Makes a lookup's call lead to a function that returns the value, at this address. */
static void redirect(struct bpf_builder *builder, const struct map_lookup *lookup, uint64_t address)
{
	int32_t distance = (int32_t)(address - builder->address - lookup->call - 5);
	/* add $IMM8 has 4 bytes, add $IMM32 more */
	size_t constant = lookup->length == 4 ? 1 : 4;

	memcpy(builder->code + lookup->call + 1, &distance, sizeof(distance));
	if (lookup->length)
		memset(builder->code + lookup->moved - constant, 0, constant);
}

/* Replaces the targets of the calls that look up values whose type is known. */
static void add_lookups(struct bpf_builder *builder, struct bpf_file *file)
{
	_cleanup_strbuf_ struct strbuf own = STRBUF_INIT;

	array_indexed (const struct map_lookup, lookup, i, builder->lookups,
		       builder->lookup_count) {
		struct bpf_own_code code = { builder->address + lookup->call,
					     builder->address + lookup->moved };
		char name[128];
		size_t same = 0;

		if (lookup->map->btf != builder->program->btf_id ||
		    (returns_element(builder, lookup) && !lookup->length))
			continue;
		while (same < i && (builder->lookups[same].map != lookup->map ||
				    builder->lookups[same].symbol != lookup->symbol))
			same++;
		snprintf(name, sizeof(name), "%s:%.16s", builder->symbols[lookup->symbol].name,
			 lookup->map->name);
		if (same == i && !declare_lookup(builder, lookup, name))
			continue;
		if (same == i)
			add_symbol(file, name, SECTION_LOOKUPS, lookup_address(builder, i),
				   LOOKUP_SIZE);
		redirect(builder, lookup, lookup_address(builder, same));
		if (lookup->length)
			strbuf_add(&own, &code, sizeof(code));
	}
	if (own.length)
		add_contents(file, BPF_OWN_CODE,
			     (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_size = own.length },
			     own.data);
}

static void add_places(struct bpf_builder *builder, struct bpf_file *file)
{
	array_each (const struct map_place, place, builder->places, builder->place_count) {
		char own[32];
		uint64_t size;
		const char *name = place->map->btf == builder->program->btf_id
					   ? describe_place(builder, place, &size, own)
					   : NULL;

		if (!name || strlen(name) > 40)
			continue;
		add_contents(file, name,
			     (Elf64_Shdr){ .sh_type = SHT_NOBITS,
					   .sh_flags = SHF_ALLOC | SHF_WRITE,
					   .sh_addr = place->address,
					   .sh_size = size },
			     NULL);
	}
}

/* Writes the file after everything was added to the BTF. */
static struct error *write_file(struct bpf_builder *builder, struct bpf_file *file)
{
	uint32_t size = 0;
	const void *btf = builder->btf ? btf__raw_data(builder->btf, &size) : NULL;
	size_t names;

	if (builder->btf && !btf)
		return error_errno(ENOMEM, "libbpf cannot write BTF");
	for (size_t i = 0; i < builder->program->symbols.count; i++)
		add_symbol(file, builder->symbols[i].name, SECTION_CODE,
			   builder->symbols[i].address, 0);
	memcpy(file->elf.data + file->code, builder->code, builder->size);
	names = file->elf.section_count;
	add_contents(file, ".strtab",
		     (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = file->names.length },
		     file->names.data);
	add_contents(file, ".symtab",
		     (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				   .sh_size = file->symbols.length,
				   .sh_entsize = sizeof(Elf64_Sym),
				   .sh_link = (uint32_t)names,
				   .sh_info = 1 },
		     file->symbols.data);
	if (btf)
		add_contents(file, ".BTF", (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_size = size },
			     btf);
	elf_composition_finish(&file->elf, ET_EXEC, builder->arch->elf_machine);
	return NULL;
}

/* Returns the function's name in the BTF, or the given one. */
static const char *written_name(const struct bpf_builder *builder, size_t function,
				const char *name)
{
	const struct bpf_bytes *all = &builder->program->arrays[BPF_ARRAY_FUNC_INFO];
	struct bpf_func_info info = { 0 };
	const struct btf_type *type;
	const char *written;

	if (!builder->btf || function >= all->count)
		return name;
	bpf_element(all, function, &info, sizeof(info));
	type = btf__type_by_id(builder->btf, info.type_id);
	written = type && btf_is_func(type) ? btf__name_by_offset(builder->btf, type->name_off)
					    : NULL;
	return written ?: name;
}

static struct error *open_btf(struct bpf_builder *builder)
{
	const struct bpf_program *program = builder->program;

	if (!program->btf)
		return NULL;
	libbpf_set_print(NULL); /* the error below says which program */
	builder->btf = btf__new(program->btf, (uint32_t)program->btf_size);
	if (!builder->btf)
		return error_create(ERROR_FORMAT, "the BTF of %s is damaged", builder->name);
	return NULL;
}

static struct error *make_file(struct bpf_builder *builder, size_t function, struct bpf_file *file)
{
	static const Elf64_Sym none;

	RETURN_ERROR(copy_code(builder, function));
	RETURN_ERROR(open_btf(builder));
	copy_additions(builder);
	copy_insns(builder, function);
	RETURN_ERROR(find_maps(builder));
	file->code = elf_composition_add(&file->elf, ".text",
					 &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
							.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
							.sh_addr = builder->address,
							.sh_size = builder->size });
	add_contents(file, ".lookups",
		     (Elf64_Shdr){ .sh_type = SHT_NOBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = lookup_address(builder, 0),
				   .sh_size = LOOKUP_SIZE * (builder->lookup_count + 1) },
		     NULL);
	/* the section of kernels, in which arrays for each processor find their values */
	add_contents(
		file, ".data..percpu",
		(Elf64_Shdr){ .sh_type = SHT_NOBITS,
			      .sh_flags = SHF_ALLOC | SHF_WRITE,
			      .sh_addr = builder->per_cpu ?: lookup_address(builder, LOOKUPS_MAX),
			      .sh_size = sizeof(uint64_t) },
		NULL);
	strbuf_add(&file->names, "", 1);
	strbuf_add(&file->symbols, &none, sizeof(none));
	add_symbol(file, written_name(builder, function, builder->name), SECTION_CODE,
		   builder->address, builder->size);
	if (builder->per_cpu)
		add_symbol(file, "this_cpu_off", SECTION_PER_CPU, builder->per_cpu,
			   sizeof(uint64_t));
	if (builder->btf) {
		replace_contexts(builder);
		add_lookups(builder, file);
		add_places(builder, file);
	}
	return write_file(builder, file);
}

struct error *bpf_image_make(const struct bpf_program *program, size_t function,
			     const struct arch *arch, const char *name, void **data,
			     struct elf_image **image)
{
	struct bpf_builder builder = { .program = program, .arch = arch, .name = name };
	struct bpf_file file = { .symbols = STRBUF_INIT, .names = STRBUF_INIT };
	struct error *error = make_file(&builder, function, &file);

	if (!error)
		error = elf_image_open_memory(file.elf.data, file.elf.size, name, image);
	if (error)
		free(file.elf.data);
	else
		*data = file.elf.data;
	btf__free(builder.btf);
	strbuf_deinit(&file.symbols);
	strbuf_deinit(&file.names);
	free_all(builder.lookups, builder.insns, builder.symbols, builder.maps, builder.code);
	return error;
}

/* ---- lines ---- */

/* Returns a string of the program's BTF, or NULL if there is none at the offset. */
static const char *btf_string(const struct bpf_program *program, uint32_t offset)
{
	struct btf_header header;
	struct cursor strings = cursor_of(program->btf, program->btf_size, false);

	if (program->btf_size < BTF_HEADER_SIZE)
		return NULL;
	memcpy(&header, program->btf, BTF_HEADER_SIZE);
	if (offset >= header.str_len)
		return NULL;
	cursor_skip(&strings, header.hdr_len);
	cursor_skip(&strings, header.str_off);
	cursor_skip(&strings, offset);
	return cursor_string(&strings);
}

bool bpf_line_at(const struct bpf_program *program, uint64_t address, struct bpf_line *line)
{
	const struct bpf_bytes *lines = &program->arrays[BPF_ARRAY_LINES],
			       *addresses = &program->arrays[BPF_ARRAY_JITED_LINES];
	uint64_t best = 0;
	struct bpf_line_info info;

	for (size_t i = 0; i < lines->count && i < addresses->count; i++) {
		uint64_t start;

		bpf_element(addresses, i, &start, sizeof(start));
		if (start > address || start < best)
			continue;
		best = start;
		bpf_element(lines, i, &info, sizeof(info));
	}
	if (!best)
		return false;
	*line = (struct bpf_line){ .file = btf_string(program, info.file_name_off),
				   .text = btf_string(program, info.line_off),
				   .line = BPF_LINE_INFO_LINE_NUM(info.line_col) };
	return line->file && line->text;
}
