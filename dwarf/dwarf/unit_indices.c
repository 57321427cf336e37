// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of indices: see index.h. */

#include "dwarf/dwarf/index.h"

void variable_list_deinit(struct variable_list *list)
{
	free(list->items);
	*list = (struct variable_list){ 0 };
}

void unit_index_destroy(struct unit_index *index)
{
	if (!index)
		return;
	free_all(index->functions, index->dropped);
	variable_list_deinit(&index->variables);
	free_all(index->names, index->name_slots, index->containers, index);
}

void unit_indices_destroy(struct unit *unit)
{
	if (unit->file_scope != unit->index)
		unit_index_destroy(unit->file_scope);
	if (unit->statics != unit->index)
		unit_index_destroy(unit->statics);
	unit_index_destroy(unit->index);
}
