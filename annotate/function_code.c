// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/function_code.h"

#include "annotate/no_return.h"
#include "profiler/base/memory.h"

/* Whose code is decoded, for the decoder's questions. */
struct asked {
	const struct worker *worker;
	struct caller caller;
};

static bool no_return(void *data, uint64_t return_address, uint64_t target)
{
	const struct asked *asked = data;

	return call_never_returns(&asked->caller, return_address, target);
}

static bool find_thunk(void *data, uint64_t target, uint8_t *reg)
{
	const struct asked *asked = data;
	const struct thunk *thunk = thunks_at(asked->worker->thunks, target);

	if (thunk)
		*reg = thunk->reg;
	return thunk;
}

static bool read_constant(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct asked *asked = data;

	return elf_image_read(asked->worker->image, address, buffer, size, true);
}

/* The code of a range as far as the file has it; false: none of it. */
static bool code_range_of(const struct elf_image *image, uint64_t low, uint64_t high,
			  struct code_range *range)
{
	size_t available;
	const uint8_t *bytes = low < high ? elf_image_code(image, low, &available) : NULL;

	if (!bytes || !available)
		return false;
	*range = (struct code_range){ .address = low, .size = high - low, .bytes = bytes };
	if (range->size > available)
		range->size = available;
	return true;
}

struct error *function_code_decode(struct worker *worker, const struct function *function, uint64_t address,
				   const struct landings *landings, struct code **code)
{
	size_t count = function ? function->range_count : 1, used = 0;
	_cleanup_free_ struct code_range *ranges = xcalloc(count ? count : 1, sizeof(*ranges));

	if (function) {
		for (size_t i = 0; i < count; i++)
			used += code_range_of(worker->image, function->ranges[i].low,
					      function->ranges[i].high, &ranges[used]);
	} else {
		const struct symbol *symbol = elf_image_function_at(worker->image, address);
		struct elf_section section;

		if (symbol && address < symbol->address + symbol->size)
			used += code_range_of(worker->image, symbol->address, symbol->address + symbol->size,
					      ranges);
		else if (elf_image_section_at(worker->image, address, &section) && section.executable)
			/* no symbol: what follows in a straight line */
			used += code_range_of(worker->image, address,
					      address + 256 < section.address + section.size
						      ? address + 256
						      : section.address + section.size,
					      ranges);
	}
	if (!used)
		return error_create(ERROR_NOT_FOUND, "no code at %#llx", (unsigned long long)address);
	struct asked asked = {
		.worker = worker,
		.caller = {
			.image = worker->image,
			.reader = worker->reader,
			.function = function,
			.address = ranges[0].address,
			.named = &worker->named_returns,
		},
	};
	struct code_request request = {
		.ranges = ranges,
		.range_count = used,
		.leaders = landings->leaders,
		.leader_count = landings->leader_count,
		.no_return = no_return,
		.thunk = worker->thunks->count ? find_thunk : NULL,
		.traps_continue = worker->kernel,
		.read = read_constant,
		.data = &asked,
	};

	return code_decode(worker->decoder, &request, code);
}
