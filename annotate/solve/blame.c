// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Late samples and the accesses that they waited for: see blame.h, and Documentation/blame.md for
 * the rules.
 *
 * The samples themselves are evidence. A load that stalls shows up in the samples of the
 * instruction after it, because that is where the interrupt strikes when the data has arrived.
 * Samples that are further from a load are charged to it only if at least half as many samples are
 * evidence for that load (is_believed()).
 */
#include "annotate/solve/blame.h"

#include "annotate/facts/abi.h"
#include "annotate/facts/schedule.h"
#include "disasm/cfg.h"
#include "base/memory.h"

/* The frame pointer is set up by one of a function's first instructions, at most this many. */
#define PROLOGUE_MAX 8
/* At most this many instructions are searched backward for the loads that the last retired
 * instruction needs. */
#define WINDOW_MAX 32
/* The most predecessors that the samples at a block's start are divided among. */
#define PATHS_MAX 8
/* An access is charged with at most this many times the samples that are evidence for it. */
#define CHARGED_PER_EVIDENCE_MAX 2
/* At least this many samples after comparisons are needed to tell whether the processor fuses them
 * with their branches. */
#define FUSED_SAMPLES 16
/* Comparisons are fused if at most one of this many samples is at their branches. The two are
 * decoded apart now and then, for example when one is fetched without the other. */
#define FUSED_RARELY 16
/* Bytes that are fetched together. */
#define FETCH_LINE 64
/* No instruction. */
#define NO_INSN UINT32_MAX
/* An instruction stands out if it has more than this many times the average of its neighbours. */
#define SPIKE 4

/*
 * One way in which control came to an instruction, given by the instruction that retired before it.
 */
struct path {
	uint32_t last;
	bool crossed; /* control went from one block to another */
	double weight;
	uint64_t samples; /* the samples to be explained */
};

/* Returns how many instructions can retire in one cycle. A sample may be that far after the
 * instruction that was waited for. */
static uint32_t retire_width(const struct blame *blame)
{
	return blame->code->arch->retire_width;
}

static const struct basic_block *block_of(const struct blame *blame, uint32_t insn)
{
	return &blame->code->blocks[blame->blocks[insn]];
}

/* ---- kinds of instructions ---- */

static bool blame_is_stack_operation(const struct insn *insn)
{
	switch (insn->operation) {
	case OP_PUSH:
	case OP_POP:
	case OP_LEAVE:
	case OP_RETURN: return true;
	default: return false;
	}
}

/* True for a fixed slot of the function's own frame. Nothing waits for it: it is in the
 * first-level cache, or still in the store buffer. */
static bool is_frame_slot(const struct blame *blame, const struct operand *operand)
{
	return operand->segment == SEGMENT_NONE && operand->index == REG_NONE &&
	       blame->frame_registers & REG_BIT(operand->base);
}

/* Kinds of instructions, as bits. */
enum kind {
	KIND_ACCESS = 1 << 0, /* it may wait for its memory operand */
	KIND_LOAD = 1 << 1,   /* and reads it */
	KIND_KNOWN = 1 << 2,  /* the kind was looked at */
};

static uint8_t find_kind(const struct blame *blame, const struct insn *insn)
{
	const struct operand *operand = insn_memory(insn, false);

	if (!operand || blame_is_stack_operation(insn) || insn->operation == OP_NOP ||
	    insn->operation == OP_LEA || is_frame_slot(blame, operand))
		return 0;
	/* a direct call accesses only the return address */
	if (insn->operation == OP_CALL && operand == &insn->operands[1])
		return 0;
	if (operand->read)
		return KIND_ACCESS | KIND_LOAD;
	return operand->write ? KIND_ACCESS : 0;
}

/* Returns an instruction's kind. Most instructions of a function are far from any sample and are
 * never asked about, so kinds are found when they are needed. */
static uint8_t kind_of(const struct blame *blame, uint32_t insn)
{
	if (!blame->kinds[insn])
		blame->kinds[insn] = KIND_KNOWN | find_kind(blame, &blame->code->insns[insn]);
	return blame->kinds[insn];
}

static bool blame_is_access(const struct blame *blame, uint32_t insn)
{
	return kind_of(blame, insn) & KIND_ACCESS;
}

static bool blame_is_load(const struct blame *blame, uint32_t insn)
{
	return kind_of(blame, insn) & KIND_LOAD;
}

static bool is_store(const struct blame *blame, uint32_t insn)
{
	return (kind_of(blame, insn) & (KIND_ACCESS | KIND_LOAD)) == KIND_ACCESS;
}

/* True for an indirect jump through memory. Its time is mostly spent on finding the target, so
 * other evidence takes precedence. */
static bool is_table_jump(const struct insn *insn)
{
	return insn->operation == OP_JUMP && insn->operands[0].kind == OPERAND_MEMORY;
}

/* True for an instruction that rule 9 charges if nothing else is known: an access, or a read of the
 * frame, which nothing waits for but by chance. */
static bool may_be_waited(const struct blame *blame, uint32_t number)
{
	const struct insn *insn = &blame->code->insns[number];
	const struct operand *operand = insn_memory(insn, false);

	return blame_is_access(blame, number) ||
	       (operand && operand->read && !blame_is_stack_operation(insn));
}

/* True for an instruction that retires with those before it, and that no other instruction waits
 * for; also for the rest of an instruction that accesses memory first. */
static bool is_transparent(const struct insn *insn)
{
	return (insn->operation == OP_NOP && insn->own_time == OWN_TIME_NONE) ||
	       (insn->part && insn->operation != OP_BRANCH && !insn_memory(insn, false)) ||
	       (insn->operation == OP_JUMP && insn->operands[0].kind == OPERAND_IMMEDIATE);
}

/*
 * The sets of registers that an instruction needs and gives. Nothing waits for the stack pointer,
 * so its bit stands for the flags.
 */
static uint64_t flags_bit(const struct blame *blame)
{
	return REG_BIT(blame->code->arch->stack_pointer);
}

static uint64_t needed_registers(const struct blame *blame, const struct insn *insn)
{
	uint64_t registers = insn->read & ~flags_bit(blame);

	return insn->condition != CONDITION_NONE ? registers | flags_bit(blame) : registers;
}

static uint64_t given_registers(const struct blame *blame, const struct insn *insn)
{
	return (schedule_written(&blame->code->arch->call, insn) & ~flags_bit(blame)) |
	       (insn->flags & FLAG_WRITES_FLAGS ? flags_bit(blame) : 0);
}

/* True if the instruction compares memory and is followed by a conditional branch, which the
 * processor may fuse with it into one operation (blame.md, "Evidence"). */
static bool may_fuse(const struct blame *blame, uint32_t insn)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, insn);

	return insn + 2 == block->first + block->count &&
	       code->insns[insn + 1].operation == OP_BRANCH &&
	       code->insns[insn + 1].address % FETCH_LINE && blame_is_load(blame, insn) &&
	       !insn_memory(&code->insns[insn], false)->write &&
	       given_registers(blame, &code->insns[insn]) == flags_bit(blame);
}

/* True if the instruction has a constant operand. Processors that fuse a comparison of memory with
 * a register need not fuse one with a constant (Intel's do not). */
static bool has_constant(const struct insn *insn)
{
	return any_of(i, 0, insn->operand_count, insn->operands[i].kind == OPERAND_IMMEDIATE);
}

/* True if the instruction retires together with the branch after it. */
static bool blame_is_fused(const struct blame *blame, uint32_t insn)
{
	return blame->fuses[has_constant(&blame->code->insns[insn])] && may_fuse(blame, insn);
}

/* True for a branch that retires together with the comparison of memory before it. */
static bool is_fused_branch(const struct blame *blame, uint32_t insn)
{
	return insn > block_of(blame, insn)->first && blame_is_fused(blame, insn - 1);
}

/* ---- evidence ---- */

static uint64_t samples_at(const struct blame *blame, uint32_t insn)
{
	return blame->samples[insn];
}

/* Returns the samples at the next instruction, and at those that are entered from this one alone
 * if it ends its block. A branch fused with it is no next instruction. */
static uint64_t samples_after(const struct blame *blame, uint32_t insn)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, insn);
	uint64_t samples = 0;

	insn += blame_is_fused(blame, insn);
	if (insn + 1 < block->first + block->count)
		return samples_at(blame, insn + 1);
	each_successor (to, code, block) {
		const struct basic_block *next = &code->blocks[to];

		if (next->predecessor_count == 1)
			samples += samples_at(blame, next->first);
	}
	return samples;
}

/*
 * Returns the number of samples that show that an access is waited for: those at the next
 * instruction, and those at the first one that needs the loaded value, if all instructions between
 * the two can retire together.
 */
static uint64_t evidence_of(const struct blame *blame, uint32_t insn)
{
	const struct insn *insns = blame->code->insns;
	const struct basic_block *block = block_of(blame, insn);
	uint32_t end = block->first + block->count;
	uint64_t samples = samples_after(blame, insn),
		 loaded = given_registers(blame, &insns[insn]);

	/* samples at a store are its own, and so no evidence for the store before it */
	if (is_store(blame, insn) && insn + 1 < end && is_store(blame, insn + 1))
		return 0;
	for (uint32_t i = insn + 1; i < end && i <= insn + retire_width(blame); i++) {
		if (needed_registers(blame, &insns[i]) & loaded)
			return i == insn + 1 ? samples : samples + samples_at(blame, i);
		if (blame_is_load(blame, i))
			break;
		loaded &= ~given_registers(blame, &insns[i]);
	}
	return samples;
}

static uint64_t samples_in(const struct blame *blame, const struct basic_block *block)
{
	return blame->block_samples[block - blame->code->blocks];
}

/* Adds up the samples of the neighbours of an instruction from `first` to before `end`, and counts
 * them. Those right after a load are left out. */
static uint64_t samples_around(const struct blame *blame, uint32_t insn, uint32_t first,
			       uint32_t end, uint64_t *count)
{
	uint64_t samples = 0;

	*count = 0;
	first = insn > first + retire_width(blame) ? insn - retire_width(blame) : first;
	for (uint32_t i = first; i < end && i <= insn + retire_width(blame); i++) {
		if (i == insn || (i > block_of(blame, i)->first && blame_is_load(blame, i - 1)))
			continue;
		samples += samples_at(blame, i);
		++*count;
	}
	return samples;
}

/* True if the instruction has far more samples than its neighbours in the block, or in the code
 * around it if it is alone in the block. No ordinary instruction before it takes that long. */
static bool stands_out(const struct blame *blame, uint32_t insn)
{
	const struct basic_block *block = block_of(blame, insn);
	uint64_t count;
	uint64_t others =
		samples_around(blame, insn, block->first, block->first + block->count, &count);

	if (block->count == 1)
		others = samples_around(blame, insn, 0, (uint32_t)blame->code->insn_count, &count);
	return count && samples_at(blame, insn) * count > SPIKE * (others + count);
}

/* ---- candidates ---- */

struct candidate {
	uint32_t insn;
	uint8_t how;
	uint64_t evidence;
};

struct search {
	const struct blame *blame;
	uint32_t sampled;
	struct candidate best;
	bool found;
};

/* Keeps the candidate with the most evidence. The first of several equals stays: the
 * nearest is considered first. */
static void consider_with(struct search *search, uint32_t insn, uint8_t how, uint64_t evidence)
{
	if (search->found && search->best.evidence >= evidence)
		return;
	search->best = (struct candidate){ insn, how, evidence };
	search->found = true;
}

static void consider(struct search *search, uint32_t insn, uint8_t how)
{
	consider_with(search, insn, how, evidence_of(search->blame, insn));
}

/*
 * Considers the sampled instruction's own access. A store waits before it retires, for its page or
 * for room in the store buffer, so its evidence is the samples at itself. A load's evidence is
 * after it.
 */
static void consider_sampled(struct search *search)
{
	if (blame_is_load(search->blame, search->sampled))
		consider(search, search->sampled, BLAME_AT);
	else if (is_store(search->blame, search->sampled))
		consider_with(search, search->sampled, BLAME_AT,
			      samples_at(search->blame, search->sampled));
}

/* Moves *insn back by one instruction: at a block's start, to the end of the predecessor with
 * the most samples. False: there is none. */
static bool blame_step_back(const struct blame *blame, uint32_t *insn)
{
	uint32_t block = blame->blocks[*insn];

	if (*insn > blame->code->blocks[block].first)
		--*insn;
	else if (blame->before[block] != NO_INSN)
		*insn = blame->before[block];
	else
		return false;
	return true;
}

/* True if the instruction takes long by itself, whatever its operands waited for. */
static bool takes_time(const struct insn *insn)
{
	return insn->own_time != OWN_TIME_NONE && insn->own_time != OWN_TIME_INTERRUPTS_ON;
}

/* Considers the loads and slow instructions before `insn`, up to `window` instructions back,
 * that the registers in `needed` come from. */
static void consider_operands(struct search *search, uint32_t insn, unsigned int window,
			      uint64_t needed)
{
	const struct blame *blame = search->blame;

	for (unsigned int i = 0; i < window && needed && blame_step_back(blame, &insn); i++) {
		const struct insn *from = &blame->code->insns[insn];

		if (!(given_registers(blame, from) & needed))
			continue;
		if (from->operation == OP_CALL)
			return;
		needed &= ~given_registers(blame, from);
		if (blame_is_load(blame, insn) || takes_time(from))
			consider(search, insn, BLAME_OPERAND);
		else
			needed |= needed_registers(blame, from);
	}
}

/* Considers the accesses and slow instructions that may have retired together with `last`, as
 * far back as the nearest load. Only the last of several stores is considered, because the
 * others have retired one after the other before it. */
static void consider_group(struct search *search, uint32_t last, bool crossed)
{
	const struct blame *blame = search->blame;
	bool stored = false;

	for (unsigned int i = 0; i < retire_width(blame); i++) {
		const struct insn *insn = &blame->code->insns[last];

		if (insn->operation == OP_CALL || insn->own_time == OWN_TIME_INTERRUPTS_ON)
			return;
		if ((blame_is_access(blame, last) && !(stored && is_store(blame, last))) ||
		    takes_time(insn))
			consider(search, last, crossed ? BLAME_PREDECESSOR : BLAME_BEFORE);
		stored |= is_store(blame, last);
		if (blame_is_load(blame, last) || takes_time(insn))
			return;

		uint32_t from = last;

		if (!blame_step_back(blame, &last))
			return;
		crossed |= last + 1 != from || block_of(blame, last) != block_of(blame, from);
	}
}

/* ---- charges ---- */

static void append_charge(struct blame_charges *charges, struct blame_charge item)
{
	array_add(charges->items, charges->count, charges->capacity) = item;
}

static struct blame_charge charge_of(uint32_t insn, uint8_t how, double share)
{
	return (struct blame_charge){ .insn = insn, .how = how, .share = share };
}

/* Returns the charge to the instruction that retired last. */
static struct blame_charge charge_last(const struct path *path)
{
	return charge_of(path->last, path->crossed ? BLAME_PREDECESSOR : BLAME_BEFORE,
			 path->weight);
}

static struct blame_charge charge_interrupts(uint32_t sampled, double share)
{
	struct blame_charge charge = charge_of(sampled, BLAME_NOTHING, share);

	charge.what = BLAME_INTERRUPTS_OFF;
	return charge;
}

/* True if the samples are the sampled instruction's own: it is a store, which waits for room in
 * the store buffer, or an access that probably faulted. */
static bool waits_itself(const struct blame *blame, uint32_t sampled)
{
	return is_store(blame, sampled) ||
	       (blame_is_access(blame, sampled) && stands_out(blame, sampled));
}

/* Returns the charge of samples that nothing before them explains. */
static struct blame_charge charge_itself(const struct blame *blame, uint32_t sampled, double share)
{
	struct blame_charge charge = charge_of(sampled, BLAME_AT, share);

	if (!waits_itself(blame, sampled)) {
		charge.how = BLAME_NOTHING;
		charge.what = BLAME_COMPUTATION;
	}
	return charge;
}

static bool is_believed(uint64_t samples, uint64_t evidence)
{
	return CHARGED_PER_EVIDENCE_MAX * (evidence + 1) >= samples;
}

/* Charges the instruction itself if it is slow and loads nothing. */
static void set_own_time(const struct blame *blame, struct blame_charge *item)
{
	const struct insn *insn = &blame->code->insns[item->insn];

	if (!takes_time(insn) || blame_is_load(blame, item->insn))
		return;
	item->what = BLAME_OWN_TIME;
	item->own_time = insn->own_time;
}

/* True for a jump whose target the processor must guess, unless it is fused with the comparison
 * before it: the two then take their time as one. */
static bool is_guessed(const struct blame *blame, uint32_t insn)
{
	const struct insn *jump = &blame->code->insns[insn];

	return (jump->operation == OP_BRANCH && !is_fused_branch(blame, insn)) ||
	       (jump->operation == OP_JUMP && jump->operands[0].kind != OPERAND_IMMEDIATE);
}

/*
 * Returns the jump that led to the block's start on this path, or along the heaviest path if the
 * first instruction of the block has retired already; NULL if the block is not reached by a jump
 * whose target is guessed. After a wrong guess the first instruction comes late. The sample is at
 * it, or after it, because the interrupt waits until an instruction has retired.
 */
static const struct insn *guess_before(const struct blame *blame, uint32_t sampled,
				       const struct path *path)
{
	const struct insn *insns = blame->code->insns;
	uint32_t first = block_of(blame, sampled)->first, last = first;

	if (sampled == first)
		return is_guessed(blame, path->last) ? &insns[path->last] : NULL;
	if (sampled != first + 1 || !blame_step_back(blame, &last) || !is_guessed(blame, last))
		return NULL;
	return &insns[last];
}

/* Returns the charge of samples whose last retired instruction did not make them wait: it has no
 * memory access, or one that is not waited for (blame.md, rules 7 to 11). */
static struct blame_charge find_waited(const struct blame *blame, uint32_t sampled,
				       const struct path *path)
{
	const struct insn *insns = blame->code->insns;
	const struct insn *last = &insns[path->last];
	struct search search = { .blame = blame, .sampled = sampled };
	struct blame_charge result;

	consider_sampled(&search);
	consider_operands(&search, sampled, retire_width(blame),
			  needed_registers(blame, &insns[sampled]));
	consider_operands(&search, path->last, WINDOW_MAX, needed_registers(blame, last));
	if (!is_table_jump(last))
		consider_group(&search, path->last, path->crossed);
	const struct insn *guess =
		stands_out(blame, sampled) ? guess_before(blame, sampled, path) : NULL;

	/* if a jump whose target was guessed wrong explains the samples, only the sampled
	 * instruction's own access goes before it: other candidates have their samples elsewhere */
	if (search.found && is_believed(path->samples, search.best.evidence) &&
	    (!guess || search.best.insn == sampled)) {
		result = charge_of(search.best.insn, search.best.how, path->weight);
		set_own_time(blame, &result);
		return result;
	}
	if (waits_itself(blame, sampled) || (!guess && !may_be_waited(blame, path->last)))
		return charge_itself(blame, sampled, path->weight);
	if (may_be_waited(blame, path->last))
		return charge_last(path);
	result = charge_of((uint32_t)(guess - insns), BLAME_PREDECESSOR, path->weight);
	result.what = BLAME_OWN_TIME;
	result.own_time = OWN_TIME_BRANCH;
	return result;
}

/*
 * True if the sample's interrupt was held back until the kernel enabled interrupts. It is taken
 * right after the instruction that does so, or one instruction later (after x86's sti, but not
 * popf).
 */
static bool were_interrupts_off(const struct blame *blame, const struct path *path)
{
	const struct basic_block *block = block_of(blame, path->last);
	const struct insn *last = &blame->code->insns[path->last];

	if (!blame->kernel)
		return false;
	return last->own_time == OWN_TIME_INTERRUPTS_ON ||
	       (blame->code->arch->interrupt_shadow && path->last > block->first &&
		last[-1].own_time == OWN_TIME_INTERRUPTS_ON && !insn_memory(&last[-1], false));
}

static struct blame_charge find_charge(const struct blame *blame, uint32_t sampled,
				       const struct path *path)
{
	const struct insn *last = &blame->code->insns[path->last];
	struct blame_charge result = charge_last(path);

	if (were_interrupts_off(blame, path))
		return charge_interrupts(sampled, path->weight);
	if (last->operation == OP_CALL && !blame_is_load(blame, path->last)) {
		uint64_t target;

		result.how = BLAME_PREDECESSOR;
		result.what = insn_direct_target(last, &target) ? BLAME_CALLEE : BLAME_RETURN;
		return result;
	}
	if (blame_is_load(blame, path->last) && !is_table_jump(last))
		return result;
	if (takes_time(last)) {
		set_own_time(blame, &result);
		return result;
	}
	return find_waited(blame, sampled, path);
}

/* ---- where control came from ---- */

/* Moves the path's last instruction back past nops, direct jumps and fused branches, which retire
 * with the instruction before them. */
static void pass_over(const struct blame *blame, struct path *path)
{
	for (unsigned int i = 0;
	     i < retire_width(blame) && (is_transparent(&blame->code->insns[path->last]) ||
					 is_fused_branch(blame, path->last));
	     i++) {
		uint32_t last = path->last;

		if (!blame_step_back(blame, &last))
			return;
		path->crossed |= last + 1 != path->last;
		path->last = last;
	}
}

/* Orders by weight, the heaviest first, and equal weights by their place in the code. */
COMPARISON(compare_paths, struct path, DESCENDING(weight) ASCENDING(last))

/* Finds the ways in which control may have come to an instruction: at most PATHS_MAX, the heaviest
 * first, with weights that add up to 1. Returns how many there are; 0: none is known. */
static size_t paths_into(const struct blame *blame, uint32_t sampled, struct path *paths)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, sampled);
	size_t count = 0;
	double sum = 0;

	if (sampled > block->first) {
		paths[0] = (struct path){ .last = sampled - 1,
					  .weight = 1,
					  .samples = samples_at(blame, sampled) };
		return 1;
	}
	each_predecessor (before, code, block) {
		const struct basic_block *from = &code->blocks[before];
		struct path path = { .last = from->first + from->count - 1,
				     .crossed = true,
				     .weight = 1 + (double)samples_in(blame, from),
				     .samples = samples_at(blame, sampled) };

		if (!from->count || from->flags & BLOCK_PADDING)
			continue;
		if (count < PATHS_MAX)
			paths[count++] = path;
		else if (compare_paths(&path, &paths[PATHS_MAX - 1]) < 0)
			paths[PATHS_MAX - 1] = path;
		qsort(paths, count, sizeof(*paths), compare_paths);
	}
	for (size_t i = 0; i < count; i++)
		sum += paths[i].weight;
	for (size_t i = 0; i < count; i++)
		paths[i].weight /= sum;
	return count;
}

/* Adds a charge, or adds its share to an equal charge of the same instruction from `first` on. */
static void add_charge(struct blame_charges *charges, size_t first, struct blame_charge item)
{
	for (size_t i = first; i < charges->count; i++) {
		struct blame_charge *other = &charges->items[i];

		if (other->insn == item.insn && other->what == item.what) {
			other->share += item.share;
			return;
		}
	}
	append_charge(charges, item);
}

/* Finds the path that the sample's branch records give. False: they give none, or it does not
 * lead to the sampled instruction. */
static bool recorded_path(const struct blame *blame, uint32_t sampled, uint64_t came_from,
			  struct path *path)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, sampled);

	*path = (struct path){ .crossed = true,
			       .weight = 1,
			       .samples = samples_at(blame, sampled) };
	each_predecessor (before, code, block) {
		const struct basic_block *from = &code->blocks[before];

		path->last = from->first + from->count - 1;
		if (from->count && came_from != TYPE_RESOLVER_CAME_UNKNOWN &&
		    (came_from == TYPE_RESOLVER_CAME_THROUGH
			     ? path->last + 1 == sampled
			     : code->insns[path->last].address - code->insns[path->last].part ==
				       came_from))
			return true;
	}
	return false;
}

/* True if the instruction ends a block that leads to `sampled`. A branch right after it belongs to
 * it, because the processor may fuse the two into one operation. */
static bool ends_predecessor(const struct blame *blame, uint32_t sampled, uint32_t insn)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, insn), *here = block_of(blame, sampled);
	uint32_t end = block->first + block->count, next = insn + 1;

	if (next < end && code->insns[next].operation == OP_BRANCH)
		next++;
	while (next < end && is_transparent(&code->insns[next]))
		next++;
	each_successor (to, code, block)
		if (&code->blocks[to] == here)
			return next == end;
	return false;
}

/* How well a path explains samples that stand out at the start of a block; the best is last. */
enum strength {
	/* no access, or one to the frame: it takes no longer here than in the middle of a block */
	STRENGTH_COMPUTATION,
	STRENGTH_GUESS,
	STRENGTH_EARLIER, /* an access whose samples are mostly elsewhere */
	STRENGTH_LAST,    /* the instruction that retired last, which has its samples only here */
};

static enum strength strength_of(const struct blame *blame, uint32_t sampled,
				 const struct blame_charge *item)
{
	switch ((enum blame_what)item->what) {
	case BLAME_COMPUTATION: return STRENGTH_COMPUTATION;
	case BLAME_OWN_TIME:
		return item->own_time == OWN_TIME_BRANCH ? STRENGTH_GUESS : STRENGTH_LAST;
	case BLAME_ACCESS:
		if (!blame_is_access(blame, item->insn))
			return STRENGTH_COMPUTATION;
		return ends_predecessor(blame, sampled, item->insn) ? STRENGTH_LAST
								    : STRENGTH_EARLIER;
	default: return STRENGTH_LAST;
	}
}

/*
 * Adds up the samples at the other successors of the block that has a charge's access. An access
 * that stalls does so whichever way its block is left, so they are evidence, too. False if the
 * charge is not to an access, or if the block leads only to `sampled`.
 */
static bool samples_elsewhere(const struct blame *blame, uint32_t sampled,
			      const struct blame_charge *item, uint64_t *samples)
{
	const struct cfg *code = blame->code;
	const struct basic_block *block = block_of(blame, item->insn);
	const struct basic_block *here = block_of(blame, sampled);

	*samples = 0;
	if (item->what != BLAME_ACCESS || block->successor_count < 2)
		return false;
	each_successor (to, code, block) {
		const struct basic_block *next = &code->blocks[to];

		if (next != here && next->count)
			*samples += samples_at(blame, next->first);
	}
	return true;
}

/* Divides samples among charges by the samples that their accesses have elsewhere, if that is known
 * of all of them. */
static void share_by_evidence(const struct blame *blame, uint32_t sampled,
			      struct blame_charge *items, size_t count)
{
	double sum = 0;
	uint64_t samples;

	for (size_t i = 0; i < count; i++) {
		if (!samples_elsewhere(blame, sampled, &items[i], &samples))
			return;
		sum += 1 + (double)samples;
	}
	for (size_t i = 0; i < count; i++) {
		samples_elsewhere(blame, sampled, &items[i], &samples);
		items[i].share = (1 + (double)samples) / sum;
	}
}

/*
 * Gives samples that stand out to the paths that explain them best. The paths' weights do not show
 * this, because a block that ends in a stalling load has none of the load's samples itself.
 */
static void keep_strongest(const struct blame *blame, uint32_t sampled,
			   struct blame_charges *charges, size_t first)
{
	enum strength strongest = STRENGTH_COMPUTATION;
	size_t kept = first;
	double left = 0;

	for (size_t i = first; i < charges->count; i++) {
		enum strength strength = strength_of(blame, sampled, &charges->items[i]);

		if (strength > strongest) {
			strongest = strength;
			left = 0;
		}
		if (strength == strongest)
			left += charges->items[i].share;
	}
	for (size_t i = first; i < charges->count; i++) {
		if (strength_of(blame, sampled, &charges->items[i]) < strongest)
			continue;
		charges->items[kept] = charges->items[i];
		charges->items[kept++].share /= left;
	}
	charges->count = kept;
}

void blame_sampled(const struct blame *blame, uint32_t sampled, uint64_t came_from,
		   struct blame_charges *charges)
{
	const struct insn *insn = &blame->code->insns[sampled];
	struct path paths[PATHS_MAX];
	size_t count, first = charges->count;

	/* repeated string instructions are interrupted between their elements */
	if (blame->enables_interrupts || insn->flags & FLAG_REPEAT) {
		append_charge(charges, blame->enables_interrupts ? charge_interrupts(sampled, 1)
								 : charge_of(sampled, BLAME_AT, 1));
		return;
	}
	if (sampled == block_of(blame, sampled)->first &&
	    recorded_path(blame, sampled, came_from, paths))
		count = 1;
	else
		count = paths_into(blame, sampled, paths);
	for (size_t i = 0; i < count; i++) {
		pass_over(blame, &paths[i]);
		struct blame_charge item = find_charge(blame, sampled, &paths[i]);

		if (item.what == BLAME_INTERRUPTS_OFF) {
			/* all that were held back are taken here: they outweigh the other paths */
			charges->count = first;
			append_charge(charges, charge_interrupts(sampled, 1));
			return;
		}
		add_charge(charges, first, item);
	}
	if (charges->count > first + 1 && stands_out(blame, sampled))
		keep_strongest(blame, sampled, charges, first);
	if (charges->count > first + 1)
		share_by_evidence(blame, sampled, &charges->items[first], charges->count - first);
	/* the function was called, or a jump could not be read */
	if (!count)
		append_charge(charges, charge_itself(blame, sampled, 1));
}

void blame_measure(const struct blame *blame, struct blame_skid *skid)
{
	array_indexed (const struct basic_block, block, b, blame->code->blocks,
		       blame->code->block_count) {
		uint32_t end = block->first + block->count;

		if (!blame->block_samples[b])
			continue;
		for (uint32_t i = block->first; i + 1 < end; i++) {
			if (!blame_is_load(blame, i))
				continue;
			skid->next += samples_at(blame, i + 1);
			for (uint32_t k = i + 2; k < end && k <= i + retire_width(blame) &&
						 !blame_is_load(blame, k - 1);
			     k++)
				skid->further += samples_at(blame, k);
		}
	}
}

void blame_returned(const struct blame *blame, uint64_t samples, struct blame_charges *charges)
{
	const struct cfg *code = blame->code;
	size_t first = charges->count;
	double sum = 0;

	array_each (const struct basic_block, block, code->blocks, code->block_count) {
		uint32_t last = block->first + block->count - 1;

		if (!block->count || code->insns[last].operation != OP_RETURN)
			continue;

		struct path path = { .last = last,
				     .weight = 1 + (double)samples_in(blame, block),
				     .samples = samples };
		struct blame_charge item = find_charge(blame, last, &path);

		if (item.what == BLAME_COMPUTATION || item.what == BLAME_CALLEE)
			item.what = BLAME_ACCESS, item.insn = last;
		sum += item.share;
		add_charge(charges, first, item);
	}
	for (size_t i = first; i < charges->count; i++)
		charges->items[i].share /= sum;
}

/* Adds up the samples at the first instructions of a block's successors. */
static uint64_t samples_at_successors(const struct blame *blame, const struct basic_block *block)
{
	const struct cfg *code = blame->code;
	uint64_t samples = 0;

	each_successor (to, code, block) {
		const struct basic_block *next = &code->blocks[to];

		samples += next->count ? samples_at(blame, next->first) : 0;
	}
	return samples;
}

/*
 * Finds whether the function's samples show that the processor fuses comparisons of memory, with a
 * constant and without one, with the branches after them: it takes no interrupt between the two, so
 * that hardly any sample is at the branches.
 */
static void find_fused_comparisons(struct blame *blame)
{
	const struct cfg *code = blame->code;
	uint64_t between[2] = { 0 }, after[2] = { 0 };

	array_each (const struct basic_block, block, code->blocks, code->block_count) {
		uint32_t branch = block->first + block->count - 1;

		if (block->count < 2)
			continue;
		uint64_t here = samples_at(blame, branch),
			 behind = samples_at_successors(blame, block);

		if ((!here && !behind) || !may_fuse(blame, branch - 1))
			continue;
		bool constant = has_constant(&code->insns[branch - 1]);

		between[constant] += here;
		after[constant] += behind;
	}
	for (unsigned int i = 0; i < 2; i++)
		blame->fuses[i] =
			after[i] >= FUSED_SAMPLES && between[i] * FUSED_RARELY <= after[i];
}

/* Returns the last instruction of the block's predecessor with the most samples, the first of
 * equals; NO_INSN if there is none. */
static uint32_t blame_find_before(const struct blame *blame, const struct basic_block *block)
{
	const struct cfg *code = blame->code;
	const struct basic_block *from = NULL;
	uint64_t most = 0;

	each_predecessor (before, code, block) {
		const struct basic_block *other = &code->blocks[before];
		uint64_t samples = samples_in(blame, other);

		if (!from || samples > most) {
			from = other;
			most = samples;
		}
	}
	return from && from->count ? from->first + from->count - 1 : NO_INSN;
}

void blame_init(struct blame *blame, const struct cfg *code, const uint64_t *samples, bool kernel)
{
	*blame = (struct blame){ .code = code,
				 .samples = samples,
				 .kernel = kernel,
				 .frame_registers = REG_BIT(code->arch->stack_pointer) };
	blame->blocks = xcalloc(code->insn_count, sizeof(*blame->blocks));
	blame->block_samples = xcalloc(code->block_count, sizeof(*blame->block_samples));
	for (uint32_t i = 0; i < code->block_count; i++)
		for (uint32_t k = 0; k < code->blocks[i].count; k++) {
			uint32_t insn = code->blocks[i].first + k;

			blame->blocks[insn] = i;
			blame->block_samples[i] += samples[insn];
		}
	/* the prologue sets up the frame pointer */
	for (size_t i = 0; i < code->insn_count && i < PROLOGUE_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn->operation == OP_MOVE &&
		    operand_is_reg(&insn->operands[0], code->arch->frame_pointer) &&
		    operand_is_reg(&insn->operands[1], code->arch->stack_pointer))
			blame->frame_registers |= REG_BIT(code->arch->frame_pointer);
	}
	blame->before = xcalloc(code->block_count, sizeof(*blame->before));
	for (size_t i = 0; i < code->block_count; i++)
		blame->before[i] = blame_find_before(blame, &code->blocks[i]);
	blame->kinds = xcalloc(code->insn_count, sizeof(*blame->kinds));
	find_fused_comparisons(blame);
}

bool blame_enables_interrupts(const char *function, bool unlocks)
{
	/* Linux: asm/irqflags.h, include/linux/irqflags.h, kernel/locking/spinlock.c */
	static const char *const names[] = {
		"arch_local_irq_enable",
		"arch_local_irq_restore",
		"raw_local_irq_enable",
		"raw_local_irq_restore",
	};
	static const char *const unlocking[] = {
		"_raw_spin_unlock_irq",  "_raw_spin_unlock_irqrestore",
		"_raw_read_unlock_irq",  "_raw_read_unlock_irqrestore",
		"_raw_write_unlock_irq", "_raw_write_unlock_irqrestore",
	};

	return any_of(i, 0, COUNT_OF(names), !strcmp(function, names[i])) ||
	       (unlocks && any_of(i, 0, COUNT_OF(unlocking), !strcmp(function, unlocking[i]))) ||
	       abi_enables_interrupts(function);
}

const char *blame_how_name(enum blame_how how)
{
	static const char *const names[BLAME_HOW_COUNT] = {
		[BLAME_AT] = "at",           [BLAME_BEFORE] = "before",
		[BLAME_OPERAND] = "operand", [BLAME_PREDECESSOR] = "predecessor",
		[BLAME_NOTHING] = "none",
	};

	return (unsigned int)how < BLAME_HOW_COUNT ? names[how] : "none";
}

void blame_deinit(struct blame *blame)
{
	free_all(blame->blocks, blame->block_samples, blame->before, blame->kinds);
	*blame = (struct blame){ 0 };
}

void blame_charges_deinit(struct blame_charges *charges)
{
	free(charges->items);
	*charges = (struct blame_charges){ 0 };
}
