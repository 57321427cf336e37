// SPDX-License-Identifier: GPL-2.0-or-later
/* From "table[3].hits" to an address in an object file: see breakpoint.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debug.h"
#include "profiler/base/memory.h"
#include "profiler/base/words.h"
#include "profiler/record/breakpoint.h"

#define MAX_ANONYMOUS_DEPTH 16

/* The object and its debug information; what was opened is closed together. */
struct object_view {
	struct elf_image *image;
	struct elf_image *debug_image; /* NULL: the object itself */
	struct debug_object *debug;
	struct debug_reader *reader;
};

static void object_view_close(struct object_view *view)
{
	if (view->reader)
		debug_reader_close(view->reader);
	if (view->debug)
		debug_object_close(view->debug);
	if (view->debug_image)
		elf_image_close(view->debug_image);
	if (view->image)
		elf_image_close(view->image);
}

static struct error *open_debug(struct object_view *view)
{
	if (!elf_image_has_debug_info(view->image)) {
		_cleanup_free_ char *path = NULL;

		RETURN_ERROR(elf_image_find_debug_file(view->image, NULL, &path));
		if (path)
			RETURN_ERROR(elf_image_open(path, &view->debug_image));
	}
	RETURN_ERROR(debug_object_open(view->image, view->debug_image ? view->debug_image : view->image,
				       &view->debug));
	return debug_reader_open(view->debug, &view->reader);
}

/* The member, through anonymous structs and unions; *offset grows by its place. */
static const struct member *find_member(const struct type *type, const char *name, size_t length,
					uint64_t *offset, unsigned int depth)
{
	size_t count;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++) {
		const struct member *member = &members[i];

		if (member->name && strlen(member->name) == length &&
		    strncmp(member->name, name, length) == 0) {
			*offset += member->offset;
			return member;
		}
		if (member->name || depth == MAX_ANONYMOUS_DEPTH)
			continue;

		uint64_t inner = member->offset;
		const struct member *found =
			find_member(type_strip(member->type), name, length, &inner, depth + 1);

		if (found) {
			*offset += inner;
			return found;
		}
	}
	return NULL;
}

static void consider_members(struct nearest *nearest, const struct type *type, unsigned int depth)
{
	size_t count;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++) {
		if (members[i].name)
			nearest_consider(nearest, members[i].name);
		else if (depth < MAX_ANONYMOUS_DEPTH)
			consider_members(nearest, type_strip(members[i].type), depth + 1);
	}
}

static struct error *no_member(const char *whole, const struct type *type, const char *name, size_t length)
{
	_cleanup_free_ char *wanted = xstrndup(name, length);
	_cleanup_strbuf_ struct strbuf type_text = STRBUF_INIT;
	struct nearest nearest = { .word = wanted };

	type_name(type, &type_text);
	consider_members(&nearest, type, 0);
	if (nearest.best)
		return error_create(ERROR_OTHER, "breakpoint '%s': %s has no member '%s' (nearest: '%s')",
				    whole, type_text.data, wanted, nearest.best);
	return error_create(ERROR_OTHER, "breakpoint '%s': %s has no member '%s'", whole, type_text.data,
			    wanted);
}

static struct error *step_into_member(const char *whole, const char **rest, const struct type **type,
				      struct named_place *place)
{
	const char *name = *rest + 1;
	size_t length = strcspn(name, ".[");
	const struct member *member;

	if (type_is_pointer(*type))
		return error_create(ERROR_OTHER,
				    "breakpoint '%s': a pointer is on the way, and where it points to may "
				    "change: give the "
				    "address",
				    whole);
	member = find_member(*type, name, length, &place->address, 0);
	if (!member)
		return no_member(whole, *type, name, length);
	if (member->bit_size)
		place->size = (member->bit_offset + member->bit_size + 7) / 8;
	*type = type_strip(member->type);
	if (!member->bit_size)
		place->size = (*type)->size;
	*rest = name + length;
	return NULL;
}

/* The number between brackets; 0 in `bound`: there is none. */
static struct error *read_index(const char *whole, const char **rest, uint64_t bound, uint64_t *index)
{
	char *end;

	*index = strtoull(*rest + 1, &end, 0);
	if (!isdigit((unsigned char)(*rest)[1]) || *end != ']')
		return error_create(ERROR_OTHER, "breakpoint '%s': '%s' is not an index", whole, *rest);
	if (bound && *index >= bound)
		return error_create(ERROR_OTHER, "breakpoint '%s': the array has %lu elements", whole, bound);
	*rest = end + 1;
	return NULL;
}

/* An index for each dimension. */
static struct error *step_into_element(const char *whole, const char **rest, const struct type **type,
				       struct named_place *place)
{
	size_t dimension_count;
	const uint64_t *dimensions = type_array_dimensions(*type, &dimension_count);
	uint64_t element = 0, index;

	if (!dimension_count)
		return error_create(ERROR_OTHER, "breakpoint '%s': what is before '%s' is no array", whole,
				    *rest);
	for (size_t i = 0; i < dimension_count; i++) {
		if (**rest != '[')
			return error_create(ERROR_OTHER, "breakpoint '%s': the array has %zu dimensions",
					    whole, dimension_count);
		RETURN_ERROR(read_index(whole, rest, dimensions[i], &index));
		element = element * dimensions[i] + index;
	}
	*type = type_strip(type_target(*type));
	place->address += element * (*type)->size;
	place->size = (*type)->size;
	return NULL;
}

static struct error *follow_path(const char *whole, const char *rest, const struct type *type,
				 struct named_place *place)
{
	type = type_strip(type);
	while (*rest) {
		if (*rest == '.')
			RETURN_ERROR(step_into_member(whole, &rest, &type, place));
		else if (*rest == '[')
			RETURN_ERROR(step_into_element(whole, &rest, &type, place));
		else
			return error_create(ERROR_OTHER,
					    "breakpoint '%s': '%s' is neither .MEMBER nor [INDEX]", whole,
					    rest);
	}
	return NULL;
}

/* Static variables are found by their symbol, others by their name as well. */
static bool find_global(struct debug_reader *reader, const struct symbol *symbol, const char *name,
			struct global *global)
{
	if (symbol && debug_reader_global_at(reader, symbol->address, 0, global) &&
	    global->address == symbol->address)
		return true;
	return debug_reader_global_named(reader, name, 0, global) && global->address;
}

static struct error *find_in(struct object_view *view, const char *name, struct named_place *place)
{
	const char *rest = name + strcspn(name, ".[");
	_cleanup_free_ char *variable = xstrndup(name, rest - name);
	const struct symbol *symbol = elf_image_symbol_named(view->image, variable);
	struct error *problem = open_debug(view);
	struct global global;

	if (!problem && find_global(view->reader, symbol, variable, &global)) {
		if (global.thread_local_)
			return error_create(ERROR_OTHER,
					    "breakpoint '%s': a thread-local variable has no one address",
					    name);
		*place = (struct named_place){ .address = global.address, .size = global.size };
		return follow_path(name, rest, global.type, place);
	}
	if (symbol && !*rest) {
		error_free(problem);
		*place = (struct named_place){ .address = symbol->address, .size = symbol->size };
		return NULL;
	}
	if (symbol && problem) {
		/* whatever is not found for it: the name is here */
		problem->code = ERROR_OTHER;
		return error_prefix(problem, "breakpoint '%s': the field cannot be found", name);
	}
	error_free(problem);
	return error_create(ERROR_NOT_FOUND, "breakpoint '%s': no variable or function '%s' in %s", name,
			    variable, elf_image_path(view->image));
}

struct error *breakpoint_find(const char *path, const char *name, struct named_place *place)
{
	struct object_view view = { 0 };
	struct error *error = elf_image_open(path, &view.image);

	if (!error)
		error = find_in(&view, name, place);
	object_view_close(&view);
	return error;
}
