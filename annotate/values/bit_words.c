// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bits of registers along a path: see bit_words.h.
 *
 * In order: words; the operations; memory; one instruction.
 */
#include "annotate/values/bit_words.h"

#include "base/hash.h"
#include "base/memory.h"

/* ---- words */

/* The names of the bases of stack memory, by `frame`; no other value has such a name. */
#define FRAME_ID 1

/* Makes it a word of which only the name is known. */
static inline void set_named(struct bit_word *word, uint64_t id)
{
	word->zeros = word->ones = word->loaded = 0;
	word->name = (struct word_name){ .id = id };
}

static struct bit_word named_word(uint64_t id)
{
	struct bit_word word;

	set_named(&word, id);
	return word;
}

/* Copies a word. Most have no bits that were loaded, and then nobody asks where from. */
static inline void copy_word(struct bit_word *to, const struct bit_word *word)
{
	to->zeros = word->zeros;
	to->ones = word->ones;
	to->loaded = word->loaded;
	to->name = word->name;
	if (word->loaded)
		memcpy(to->from, word->from, sizeof(to->from));
}

static void set_constant(struct bit_word *word, uint64_t number)
{
	word->zeros = ~number;
	word->ones = number;
	word->loaded = 0;
	word->name = (struct word_name){ .offset = (int64_t)number };
}

static struct bit_word constant(uint64_t number)
{
	struct bit_word word;

	set_constant(&word, number);
	return word;
}

/* True if the low `width` bits are known; *number becomes their value. */
static bool bit_words_is_constant(const struct bit_word *word, unsigned int width, uint64_t *number)
{
	*number = word->ones & low_bits(width);
	return !(~(word->ones | word->zeros) & low_bits(width));
}

/* Returns the bits that have been loaded from one place in both words. */
static uint64_t same_loaded(const struct bit_word *a, const struct bit_word *b)
{
	uint64_t same = 0;

	bits_each (i, a->loaded & b->loaded) {
		same |= (uint64_t)(a->from[i] == b->from[i]) << i;
	}
	return same;
}

/* Forgets the bits of a word that are not in the mask. */
static void keep_bits(struct bit_word *word, uint64_t mask)
{
	word->zeros &= mask;
	word->ones &= mask;
	word->loaded &= mask;
}

/* Takes the bits of the mask from another word, as far as that word's bits are loaded. */
static void take_loaded(struct bit_word *word, const struct bit_word *other, uint64_t mask)
{
	mask &= other->loaded;
	word->loaded |= mask;
	bits_each (i, mask)
		word->from[i] = other->from[i];
}

/* Makes bit `to` of a word, which is not known, bit `from` of another one. */
static void copy_bit(struct bit_word *word, unsigned int to, const struct bit_word *other,
		     unsigned int from)
{
	word->zeros |= (other->zeros >> from & 1) << to;
	word->ones |= (other->ones >> from & 1) << to;
	if (other->loaded >> from & 1) {
		word->loaded |= UINT64_C(1) << to;
		word->from[to] = other->from[from];
	}
}

static uint64_t name_hash(uint64_t kind, struct word_name a, struct word_name b)
{
	uint64_t hash = hash_combine(hash_combine(kind, a.id), (uint64_t)a.offset);

	hash = hash_combine(hash_combine(hash, b.id), (uint64_t)b.offset);
	/* small numbers name frames and constants */
	return hash | UINT64_C(1) << 63;
}

/* Returns a name for the value of an expression; `kind` tells operations apart. */
static struct word_name bit_words_name_of(uint64_t kind, struct word_name a, struct word_name b)
{
	return (struct word_name){ .id = name_hash(kind, a, b) };
}

static const struct word_name no_name;

/* Kinds of bit_words_name_of() that are no operations. */
enum { NAME_ENTRY = 0x100, NAME_INSN, NAME_LOW, NAME_SIGN, NAME_SUM, NAME_SCALED, NAME_MEMORY };

static bool name_equal(struct word_name a, struct word_name b)
{
	return a.id == b.id && a.offset == b.offset;
}

static struct word_name name_add(struct word_name a, struct word_name b)
{
	int64_t offset = (int64_t)((uint64_t)a.offset + (uint64_t)b.offset);

	if (!a.id || !b.id)
		return (struct word_name){ a.id | b.id, offset };
	/* sums are the same in either order */
	struct word_name low = { .id = a.id < b.id ? a.id : b.id },
			 high = { .id = a.id < b.id ? b.id : a.id };

	return (struct word_name){ name_hash(NAME_SUM, low, high), offset };
}

static struct word_name name_scale(struct word_name a, uint64_t factor)
{
	int64_t offset = (int64_t)((uint64_t)a.offset * factor);

	if (!a.id || factor == 1)
		return (struct word_name){ a.id, offset };
	struct word_name by = { .offset = (int64_t)factor };

	return (struct word_name){ name_hash(NAME_SCALED, (struct word_name){ .id = a.id }, by),
				   offset };
}

/* Cuts a word to its low `size` bytes. */
static void narrow(struct bit_word *word, unsigned int size)
{
	uint64_t number, low = low_bits(8 * size);

	if (bit_words_is_constant(word, 8 * size, &number)) {
		set_constant(word, number);
		return;
	}
	if (~low & ~word->zeros)
		word->name =
			bit_words_name_of(NAME_LOW, word->name, (struct word_name){ .id = size });
	keep_bits(word, low);
	word->zeros |= ~low;
}

/* ---- operations */

/* True if some of these bits of a word were loaded from the memory of `place`. */
static bool may_be_loaded(const struct bit_path *path, uint64_t bits, const struct bit_word *word,
			  const struct word_name *place)
{
	bits_each (bit, bits & word->loaded)
		if (path->loads[word->from[bit] / WORD_BITS].id == place->id)
			return true;
	return false;
}

/*
 * Combines `bits`, of which nothing is known, with loaded bits of which some were cleared: `bits`
 * go where these were cleared. A boolean, or a number that the caller has kept small, is not masked
 * before it is put there, and may come from other memory, such as a spill slot. False if nothing
 * was cleared for them.
 */
static bool put_into_hole(const struct bit_path *path, const struct bit_word *loaded,
			  const struct bit_word *bits, struct bit_word *result)
{
	unsigned int first = WORD_BITS;
	const struct word_name *place = NULL;
	int64_t start = 0, end = 0;
	uint64_t hole;

	bits_each (i, loaded->zeros ? loaded->loaded : 0) {
		unsigned int load = loaded->from[i] / WORD_BITS;
		int64_t low = 8 * path->loads[load].offset,
			at = low + loaded->from[i] % WORD_BITS - i;

		/* several loads may have been put together, but only if their memory is */
		if (place && (place->id != path->loads[load].id || start != at))
			return false;
		place = &path->loads[load];
		start = at;
		first = low - at < first ? (unsigned int)(low - at) : first;
		raise_to(end, low - at + 8 * path->load_sizes[load]);
	}
	/* a shifted value is no memory with a hole */
	if (!place || first || end > WORD_BITS)
		return false;
	hole = loaded->zeros & low_bits((unsigned int)end);
	/* an or of two words with zeros in different places needs no guess */
	if (bits->loaded & hole && !(loaded->loaded & ~bits->zeros))
		return false;
	/* a loaded number is put behind other bits only by a shift, which clears those */
	if (bits->loaded & hole && low_bits((unsigned int)__builtin_ctzll(hole)) & ~bits->zeros)
		return false;
	if (!hole || hole & (bits->zeros | bits->ones) || may_be_loaded(path, hole, bits, place) ||
	    (hole | loaded->loaded) != low_bits((unsigned int)end))
		return false;
	struct word_name name = result->name;

	*result = *loaded;
	result->name = name;
	result->zeros &= ~hole;
	return true;
}

/* Combines two words bit by bit. */
static struct bit_word bit_words_bitwise(const struct bit_path *path, uint8_t operation,
					 const struct bit_word *a, const struct bit_word *b)
{
	struct bit_word result = named_word(0), complement;
	uint64_t same;

	result.name = bit_words_name_of(operation, a->name, b->name);
	if (operation == OP_AND_NOT) {
		complement = *a;
		complement.zeros = a->ones;
		complement.ones = a->zeros;
		complement.loaded = 0;
		a = &complement;
	}
	same = same_loaded(a, b);
	switch (operation) {
	case OP_AND:
	case OP_AND_NOT:
		result.zeros = a->zeros | b->zeros;
		result.ones = a->ones & b->ones;
		take_loaded(&result, a, b->ones | same);
		take_loaded(&result, b, a->ones);
		break;
	case OP_OR:
		result.zeros = a->zeros & b->zeros;
		result.ones = a->ones | b->ones;
		take_loaded(&result, a, b->zeros | same);
		take_loaded(&result, b, a->zeros);
		if (!put_into_hole(path, a, b, &result))
			put_into_hole(path, b, a, &result);
		break;
	default:
		result.zeros = (a->zeros & b->zeros) | (a->ones & b->ones) | same;
		result.ones = (a->zeros & b->ones) | (a->ones & b->zeros);
		take_loaded(&result, a, b->zeros);
		take_loaded(&result, b, a->zeros);
		break;
	}
	return result;
}

/* Returns the low `width` bits moved to higher places, with zeros below them. */
static struct bit_word moved_up(const struct bit_word *value, unsigned int width,
				unsigned int count)
{
	struct bit_word result = named_word(0);

	result.zeros = value->zeros << count | low_bits(count);
	result.ones = value->ones << count;
	result.loaded = value->loaded << count;
	memcpy(&result.from[count], value->from, (WORD_BITS - count) * sizeof(*value->from));
	keep_bits(&result, low_bits(width));
	result.zeros |= ~low_bits(width);
	return result;
}

/* Adds two words, or with `minus` subtracts the second one. Bits below the first place where both
 * may have one are those of an or. */
static struct bit_word sum(const struct bit_path *path, const struct bit_word *a,
			   const struct bit_word *b, bool minus)
{
	uint64_t left, right;

	if (bit_words_is_constant(a, WORD_BITS, &left) &&
	    bit_words_is_constant(b, WORD_BITS, &right))
		return constant(minus ? left - right : left + right);
	struct word_name negative = { minus && b->name.id ? name_hash(OP_NEGATE, b->name, no_name)
							  : 0,
				      (int64_t)(0 - (uint64_t)b->name.offset) };
	struct bit_word result = named_word(0);
	uint64_t carries = ~b->zeros & (minus ? UINT64_MAX : ~a->zeros),
		 all = ~(a->zeros & b->zeros);

	if (!minus && a->name.id && name_equal(a->name, b->name))
		result = moved_up(a, WORD_BITS, 1);
	result.name = name_add(a->name, minus ? negative : b->name);
	if (result.zeros)
		return result;
	if (!minus && (put_into_hole(path, a, b, &result) || put_into_hole(path, b, a, &result)))
		return result;
	result.zeros = a->zeros & b->zeros;
	result.ones = a->ones | b->ones;
	take_loaded(&result, a, b->zeros);
	take_loaded(&result, b, a->zeros);
	if (carries)
		keep_bits(&result, low_bits((unsigned int)__builtin_ctzll(carries)));
	/* a sum of small numbers is small */
	if (carries && !minus && !(all >> (WORD_BITS - 2)))
		result.zeros |= ~low_bits(WORD_BITS + 1 - (unsigned int)__builtin_clzll(all));
	return result;
}

/* Returns a product with a constant; other products are not known. */
static struct bit_word product(const struct bit_word *a, const struct bit_word *b)
{
	uint64_t left, right;
	bool known = bit_words_is_constant(a, WORD_BITS, &left);

	if (!bit_words_is_constant(b, WORD_BITS, &right))
		return known ? product(b, a) : named_word(name_hash(OP_MULTIPLY, a->name, b->name));
	if (known)
		return constant(left * right);
	struct bit_word result = named_word(0);

	result.name = name_scale(a->name, right);
	result.zeros = right ? low_bits((unsigned int)__builtin_ctzll(right)) : UINT64_MAX;
	return result;
}

static struct bit_word bit_words_shifted(uint8_t operation, const struct bit_word *value,
					 unsigned int width, unsigned int count)
{
	struct bit_word result = named_word(0);

	count &= width == 64 ? 63 : 31;
	if (operation == OP_SHIFT_LEFT)
		return moved_up(value, width, count);
	result.zeros = ~low_bits(width);
	for (unsigned int i = 0; i < width; i++) {
		unsigned int from = i + count;

		if (operation == OP_ROTATE_LEFT)
			copy_bit(&result, i, value, (i + width - count % width) % width);
		else if (operation == OP_ROTATE_RIGHT || from < width)
			copy_bit(&result, i, value, from % width);
		else if (operation == OP_SHIFT_ARITHMETIC)
			copy_bit(&result, i, value, width - 1);
		else
			result.zeros |= UINT64_C(1) << i;
	}
	return result;
}

/* Moves bits from or to the places that are set in a mask. */
static struct bit_word gathered(const struct bit_word *value, uint64_t mask, bool scatter)
{
	struct bit_word result = named_word(0);
	unsigned int low = 0;

	result.zeros = scatter ? ~mask : ~low_bits((unsigned int)__builtin_popcountll(mask));
	for (; mask; mask &= mask - 1, low++) {
		unsigned int high = (unsigned int)__builtin_ctzll(mask);

		copy_bit(&result, scatter ? high : low, value, scatter ? low : high);
	}
	return result;
}

static struct bit_word swapped(const struct bit_word *value, unsigned int width)
{
	struct bit_word result = named_word(0);

	result.zeros = ~low_bits(width);
	for (unsigned int i = 0; i < width; i++)
		copy_bit(&result, i, value, (width - 8 - i / 8 * 8) + i % 8);
	return result;
}

/* Returns `value` with one bit set, cleared or inverted. */
static struct bit_word with_bit(uint8_t operation, const struct bit_word *value, unsigned int bit)
{
	struct bit_word result = *value;
	uint64_t mask = UINT64_C(1) << bit;

	keep_bits(&result, ~mask);
	if (operation == OP_BIT_SET || (operation == OP_BIT_INVERT && value->zeros & mask))
		result.ones |= mask;
	else if (operation == OP_BIT_CLEAR || value->ones & mask)
		result.zeros |= mask;
	return result;
}

bool bits_of_permutation(const struct insn *insn, const struct bit_word *value,
			 const struct bit_word *by, struct bit_word *result)
{
	unsigned int width = insn->operands[0].size * 8U;
	uint64_t number, limit;

	if (insn->operation == OP_SWAP_BYTES) {
		*result = swapped(value, width);
		result->name = bit_words_name_of(OP_SWAP_BYTES, value->name, no_name);
		return true;
	}
	bool control = insn->operation == OP_EXTRACT_BITS,
	     mask = insn->operation == OP_GATHER_BITS || insn->operation == OP_SCATTER_BITS;

	if (!by || !bit_words_is_constant(by, mask ? width : control ? 16 : 8, &number))
		return false;
	switch (insn->operation) {
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
	case OP_SHIFT_ARITHMETIC:
	case OP_ROTATE_LEFT:
	case OP_ROTATE_RIGHT:
		*result = bit_words_shifted(insn->operation, value, width, (unsigned int)number);
		break;
	case OP_GATHER_BITS:
	case OP_SCATTER_BITS:
		*result = gathered(value, number, insn->operation == OP_SCATTER_BITS);
		break;
	case OP_EXTRACT_BITS:
		limit = (number & 0xff) < width ? low_bits(width) & ~low_bits(number & 0xff) : 0;
		if ((number & 0xff) + (number >> 8) < width)
			limit &= low_bits((number & 0xff) + (unsigned int)(number >> 8));
		*result = gathered(value, limit, false);
		break;
	case OP_LOW_BITS:
		*result = gathered(value, low_bits(number < width ? (unsigned int)number : width),
				   false);
		break;
	case OP_BIT_SET:
	case OP_BIT_CLEAR:
	case OP_BIT_INVERT: *result = with_bit(insn->operation, value, number & (width - 1)); break;
	default: return false;
	}
	result->name = insn->operation == OP_SHIFT_LEFT && width == WORD_BITS
			       ? name_scale(value->name, UINT64_C(1) << (number & 63))
			       : bit_words_name_of(insn->operation, value->name,
						   (struct word_name){ 0, (int64_t)number });
	return true;
}

/* ---- memory */

static void set_unknown(const struct bit_path *path, unsigned int what, struct bit_word *word)
{
	struct word_name insn = { .id = path->index }, part = { .id = what };

	set_named(word, name_hash(NAME_INSN, insn, part));
}

static struct bit_word unknown_word(const struct bit_path *path, unsigned int what)
{
	struct bit_word word;

	set_unknown(path, what, &word);
	return word;
}

/* Returns the name of an operand's address. */
static struct word_name bit_words_place_of(const struct bit_path *path,
					   const struct operand *operand)
{
	struct word_name place = { .offset = operand->value };

	if (operand->segment != SEGMENT_NONE || operand->pc_relative || operand->absolute)
		place.id = name_hash(NAME_MEMORY, (struct word_name){ .id = operand->segment },
				     no_name);
	if (operand->base != REG_NONE)
		place = name_add(place, reg_is_general(operand->base)
						? path->registers[operand->base].name
						: unknown_word(path, operand->base).name);
	if (operand->index != REG_NONE)
		place = name_add(place, reg_is_general(operand->index)
						? name_scale(path->registers[operand->index].name,
							     operand->scale)
						: unknown_word(path, operand->index).name);
	return place;
}

static bool is_frame(struct word_name place)
{
	return place.id >= FRAME_ID && place.id <= FRAME_ID + FRAME_LAST_OTHER;
}

static bool cell_overlaps(const struct bit_cell *cell, struct word_name place, uint64_t size)
{
	return cell->place.id == place.id && cell->place.offset < place.offset + (int64_t)size &&
	       place.offset < cell->place.offset + cell->size;
}

/* Returns the cell of exactly this memory; NULL: its contents are not known. */
static struct bit_cell *cell_at(struct bit_path *path, struct word_name place, uint64_t size)
{
	return array_find(i, path->cells, path->cell_count,
			  name_equal(path->cells[i].place, place) && path->cells[i].size == size);
}

/* Forgets the contents of memory. */
static void drop_cells(struct bit_path *path, struct word_name place, uint64_t size)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < path->cell_count; i++)
		if (!cell_overlaps(&path->cells[i], place, size) && kept++ != i)
			path->cells[kept - 1] = path->cells[i];
	path->cell_count = kept;
}

static void put_cell(struct bit_path *path, struct word_name place, uint8_t size,
		     const struct bit_word *word)
{
	drop_cells(path, place, size);
	if (path->cell_count == BIT_CELLS_MAX)
		path->cell_count = 0;
	struct bit_cell *cell = &path->cells[path->cell_count++];

	cell->place = place;
	cell->size = size;
	copy_word(&cell->word, word);
}

/* Gives the bits of a word of which nothing is known the names of bits of memory. */
static void name_bits(struct bit_path *path, struct word_name place, unsigned int size,
		      struct bit_word *word)
{
	if (path->load_count >= BIT_LOADS_MAX)
		return;
	uint64_t others = low_bits(8 * size) & ~(word->zeros | word->ones | word->loaded);

	if (word->loaded)
		bits_each (i, others)
			word->from[i] = (uint16_t)(path->load_count * WORD_BITS + i);
	else /* those of bits that are not loaded say nothing, and compilers make vectors of this */
		for (unsigned int i = 0; i < WORD_BITS; i++)
			word->from[i] = (uint16_t)(path->load_count * WORD_BITS + i);
	word->loaded |= others;
	path->load_sizes[path->load_count] = (uint8_t)size;
	path->loads[path->load_count++] = place;
}

static void bit_words_load(struct bit_path *path, const struct operand *operand,
			   struct bit_word *word)
{
	struct word_name place = bit_words_place_of(path, operand);
	unsigned int size = operand->size;

	set_unknown(path, REG_COUNT, word);
	if (!size || size > WORD)
		return;
	const bool asked = path->index == path->asked && !path->asked_load;
	const struct bit_cell *cell = is_frame(place) && !asked ? cell_at(path, place, size) : NULL;

	if (cell) {
		copy_word(word, &cell->word);
		return;
	}
	narrow(word, size);
	if (asked) {
		path->asked_place = place;
		path->asked_load = path->load_count + 1;
	}
	name_bits(path, place, size, word);
	/* it is told apart from further loads of the same memory */
	if (is_frame(place) && !asked)
		put_cell(path, place, (uint8_t)size, word);
}

/* Returns the bits of the memory at `place` that a word stored there does not leave as they
 * were. *keeps_asked tells whether others are left that the load which is asked about gave. */
static uint64_t changed_bits(struct bit_path *path, struct word_name place, unsigned int size,
			     const struct bit_word *word, bool *keeps_asked)
{
	const struct bit_cell *cell = cell_at(path, place, size);
	uint64_t kept = cell ? (cell->word.zeros & word->zeros) | (cell->word.ones & word->ones) |
					same_loaded(&cell->word, word)
			     : 0;

	*keeps_asked = false;
	bits_each (i, word->loaded) {
		unsigned int load = word->from[i] / WORD_BITS;

		if (path->loads[load].id != place.id ||
		    8 * (place.offset - path->loads[load].offset) + i != word->from[i] % WORD_BITS)
			continue;
		kept |= UINT64_C(1) << i;
		*keeps_asked |= load + 1 == path->asked_load;
	}
	return low_bits(8 * size) & ~kept;
}

/* Converts bits of a store's memory to bits of the load that is asked about. */
static uint64_t changed_asked(const struct bit_path *path, struct word_name place, uint64_t changed)
{
	int64_t apart = place.offset - path->asked_place.offset;

	if (place.id != path->asked_place.id || apart <= -WORD || apart >= WORD)
		return 0;
	return apart >= 0 ? changed << 8 * apart : changed >> -8 * apart;
}

static void bit_words_store(struct bit_path *path, const struct operand *operand,
			    const struct bit_word *stored, struct bit_step *step)
{
	struct bit_word word;
	struct word_name place = bit_words_place_of(path, operand);
	unsigned int size = operand->size;
	bool keeps_asked;

	if (!size || size > WORD) {
		path->cell_count = 0;
		return;
	}
	copy_word(&word, stored);
	narrow(&word, size);
	step->changed = changed_bits(path, place, size, &word, &keeps_asked);
	step->changed_asked = keeps_asked ? changed_asked(path, place, step->changed) : 0;
	/* the code may go on with the register that it has changed some bits of memory by */
	if (!is_frame(place) && step->changed == low_bits(8 * size)) {
		drop_cells(path, place, size);
		return;
	}
	if (is_frame(place))
		name_bits(path, place, size, &word);
	put_cell(path, place, (uint8_t)size, &word);
}

/* ---- one instruction */

static void bit_words_read_operand(struct bit_path *path, const struct operand *operand,
				   struct bit_word *word)
{
	switch (operand->kind) {
	case OPERAND_IMMEDIATE:
		set_constant(word, (uint64_t)operand->value & low_bits(8U * operand->size));
		return;
	case OPERAND_REGISTER:
		if (!reg_is_general(operand->reg))
			break;
		const struct bit_word *held = &path->registers[operand->reg];

		if (operand->high_byte) {
			*word = bit_words_shifted(OP_SHIFT_RIGHT, held, WORD_BITS, 8);
			word->name = bit_words_name_of(OP_SHIFT_RIGHT, held->name, no_name);
			narrow(word, 1);
			return;
		}
		copy_word(word, held);
		narrow(word, operand->size);
		return;
	case OPERAND_MEMORY: bit_words_load(path, operand, word); return;
	default: break;
	}
	set_unknown(path, REG_COUNT, word);
}

static void write_register(struct bit_path *path, const struct operand *operand,
			   const struct bit_word *word)
{
	struct bit_word *to = &path->registers[operand->reg];
	unsigned int first = operand->high_byte ? 8 : 0;

	if (operand->size >= path->code->arch->whole_write) {
		copy_word(to, word);
		narrow(to, operand->size);
		return;
	}
	struct bit_word moved = moved_up(word, first + 8U * operand->size, first);
	uint64_t mask = low_bits(8U * operand->size) << first, number;

	keep_bits(to, ~mask);
	to->zeros |= moved.zeros & mask;
	to->ones |= moved.ones & mask;
	take_loaded(to, &moved, mask);
	to->name = bit_words_name_of(NAME_LOW + first, to->name, word->name);
	if (bit_words_is_constant(to, WORD_BITS, &number))
		set_constant(to, number);
}

static void bit_words_write_operand(struct bit_path *path, const struct operand *operand,
				    const struct bit_word *word, struct bit_step *step)
{
	if (operand->kind == OPERAND_MEMORY)
		bit_words_store(path, operand, word, step);
	else if (operand_is_general(operand))
		write_register(path, operand, word);
}

static void forget_registers(struct bit_path *path, uint64_t registers)
{
	bits_each (reg, registers & GENERAL_MASK) {
		set_unknown(path, reg, &path->registers[reg]);
	}
}

/* Forgets the registers and the memory that an instruction writes in an unknown way. */
static void bit_words_forget_written(struct bit_path *path, const struct insn *insn,
				     struct bit_step *step)
{
	forget_registers(path, insn->written);
	struct bit_word unknown = unknown_word(path, REG_COUNT);

	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].write)
			bit_words_store(path, &insn->operands[i], &unknown, step);
}

/* Returns what the base adds to an address. */
static struct bit_word base_word(const struct bit_path *path, const struct operand *operand)
{
	return operand->base != REG_NONE && reg_is_general(operand->base)
		       ? path->registers[operand->base]
		       : constant(0);
}

/* Returns what the index, times its scale, adds to an address. */
static struct bit_word index_word(const struct bit_path *path, const struct operand *operand)
{
	if (operand->index == REG_NONE || !reg_is_general(operand->index))
		return constant(0);
	struct bit_word index = bit_words_shifted(OP_SHIFT_LEFT, &path->registers[operand->index],
						  64, (unsigned int)__builtin_ctz(operand->scale));

	index.name = name_scale(path->registers[operand->index].name, operand->scale);
	return index;
}

/* Returns the sum that lea computes of the words of its base and its index. */
static struct bit_word address_word(const struct bit_path *path, const struct operand *operand,
				    const struct bit_word *base, const struct bit_word *index)
{
	struct bit_word number = constant((uint64_t)operand->value);
	struct bit_word result = sum(path, base, &number, false);

	result = sum(path, &result, index, false);
	result.name = bit_words_place_of(path, operand);
	if (operand->absolute || operand->pc_relative)
		return named_word(result.name.id);
	narrow(&result, WORD);
	return result;
}

static struct bit_word bit_words_extended(const struct bit_word *value, unsigned int size)
{
	struct bit_word result = *value;
	uint64_t high = ~low_bits(8 * size), number;

	keep_bits(&result, ~high);
	for (unsigned int i = 8 * size; i < WORD_BITS; i++)
		copy_bit(&result, i, value, 8 * size - 1);
	if (bit_words_is_constant(&result, WORD_BITS, &number))
		return constant(number);
	result.name = bit_words_name_of(NAME_SIGN, value->name, (struct word_name){ .id = size });
	return result;
}

static struct bit_word either(const struct bit_word *a, const struct bit_word *b, uint64_t id)
{
	struct bit_word result = named_word(id);

	result.zeros = a->zeros & b->zeros;
	result.ones = a->ones & b->ones;
	take_loaded(&result, a, same_loaded(a, b));
	return result;
}

/* Computes d from words. False if the operation is not modelled. */
static bool bit_words_compute(struct bit_path *path, const struct insn *insn,
			      const struct bit_word *a, const struct bit_word *b,
			      struct bit_word *result)
{
	struct bit_word all;

	switch (insn->operation) {
	case OP_ADD:
	case OP_SUB: *result = sum(path, a, b, insn->operation == OP_SUB); return true;
	case OP_AND:
	case OP_AND_NOT:
	case OP_OR:
	case OP_XOR: *result = bit_words_bitwise(path, insn->operation, a, b); return true;
	case OP_COMPLEMENT:
		set_constant(&all, UINT64_MAX);
		*result = bit_words_bitwise(path, OP_XOR, a, &all);
		return true;
	case OP_MULTIPLY: *result = product(a, b); return true;
	case OP_CONDITIONAL: *result = either(a, b, unknown_word(path, 0).name.id); return true;
	case OP_MOVE:
	case OP_MOVE_ZERO: copy_word(result, b); return true;
	case OP_MOVE_SIGN: *result = bit_words_extended(b, insn->operands[1].size); return true;
	default: return bits_of_permutation(insn, a, b, result);
	}
}

bool bits_are_wide(const struct insn *insn)
{
	return any_of(i, 0, insn->operand_count,
		      insn->operands[i].size > WORD ||
			      (insn->operands[i].kind == OPERAND_REGISTER &&
			       !reg_is_general(insn->operands[i].reg)));
}

/* Applies an instruction that has an operand d that is computed from the others. */
static void bit_words_apply_computation(struct bit_path *path, const struct insn *insn,
					const struct bit_word *words, struct bit_step *step)
{
	bool three = insn->operand_count > 2;
	struct bit_word result;

	if (!insn->operand_count || bits_are_wide(insn) ||
	    !bit_words_compute(path, insn, three ? &words[1] : &words[0],
			       three ? &words[2] : &words[1], &result))
		bit_words_forget_written(path, insn, step);
	else
		bit_words_write_operand(path, &insn->operands[0], &result, step);
}

/* Pushes or pops: the stack pointer moves by the size of the slot. */
static void apply_stack(struct bit_path *path, const struct insn *insn,
			const struct bit_word *words, struct bit_step *step)
{
	bool push = insn->operation == OP_PUSH;
	struct bit_word *pointer = &path->registers[path->code->arch->stack_pointer];

	if (push)
		bit_words_write_operand(path, &insn->operands[0], &words[1], step);
	*pointer = named_word(pointer->name.id);
	pointer->name = name_add(bit_words_place_of(path, &insn->operands[push ? 0 : 1]),
				 (struct word_name){ .offset = push ? 0 : insn->operands[1].size });
	if (!push)
		bit_words_write_operand(path, &insn->operands[0], &words[1], step);
}

static void apply(struct bit_path *path, const struct insn *insn, const struct bit_word *words,
		  struct bit_step *step)
{
	struct bit_word result;

	switch (insn->operation) {
	case OP_LEA:
		result = address_word(path, &insn->operands[1], &words[1], &words[2]);
		bit_words_write_operand(path, &insn->operands[0], &result, step);
		break;
	case OP_ZERO:
		set_constant(&result, 0);
		bit_words_write_operand(path, &insn->operands[0], &result, step);
		break;
	case OP_SET_CONDITION:
		set_constant(&result, 0);
		result.zeros = ~UINT64_C(1);
		result.name = unknown_word(path, 0).name;
		bit_words_write_operand(path, &insn->operands[0], &result, step);
		break;
	case OP_EXCHANGE:
		bit_words_write_operand(path, &insn->operands[0], &words[1], step);
		bit_words_write_operand(path, &insn->operands[1], &words[0], step);
		break;
	case OP_COMPARE:
	case OP_TEST:
	case OP_NOP:
	case OP_JUMP:
	case OP_BRANCH: break;
	case OP_PUSH:
	case OP_POP: apply_stack(path, insn, words, step); break;
	case OP_CALL:
		forget_registers(path, path->code->arch->call.clobbered);
		path->cell_count = 0;
		break;
	default: bit_words_apply_computation(path, insn, words, step); break;
	}
}

void bit_path_step(struct bit_path *path, uint32_t index, struct bit_step *step)
{
	const struct insn *insn = &path->code->insns[index];
	struct bit_word words[INSN_OPERANDS];

	*step = (struct bit_step){ 0 };
	path->index = index;
	for (unsigned int i = 0; i < INSN_OPERANDS; i++) {
		if (i < insn->operand_count && insn->operands[i].read)
			bit_words_read_operand(path, &insn->operands[i], &words[i]);
		else
			set_named(&words[i], 0);
	}
	if (insn->operation == OP_LEA) {
		words[2] = index_word(path, &insn->operands[1]);
		words[1] = base_word(path, &insn->operands[1]);
	}
	/* lea has a word more than operands */
	for (unsigned int i = 0; i <= insn->operand_count && i < INSN_OPERANDS; i++) {
		step->zeros[i] = words[i].zeros;
		step->ones[i] = words[i].ones;
	}
	apply(path, insn, words, step);
}

/* Sets the bits of a number that are known: all of a constant's, the low ones of a multiple's. */
static void set_number(struct bit_word *word, const struct value *value)
{
	uint64_t number = (uint64_t)value->offset,
		 known = value->stride ? low_bits((unsigned int)__builtin_ctz(value->stride))
				       : UINT64_MAX;

	word->zeros = ~number & known;
	word->ones = number & known;
	if (!value->stride)
		word->name = (struct word_name){ .offset = value->offset };
}

void bit_path_start(struct bit_path *path, const struct cfg *code, const struct state *entry,
		    uint32_t asked)
{
	path->code = code;
	const bool known = entry && entry->reached;

	path->asked = asked;
	path->asked_load = 0;
	path->cell_count = path->load_count = 0;
	for (uint8_t i = 0; i < code->arch->general_count; i++) {
		struct value value = known ? entry->values[i] : value_unknown(0);
		struct bit_word *word = &path->registers[i];

		*word = named_word(name_hash(NAME_ENTRY, (struct word_name){ .id = i }, no_name));
		if (value.kind == VALUE_NUMBER)
			set_number(word, &value);
		else if (value.kind == VALUE_FRAME && value.frame <= FRAME_LAST_OTHER &&
			 !value.stride)
			word->name = (struct word_name){ FRAME_ID + value.frame, value.offset };
	}
}
