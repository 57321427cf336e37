// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules that are switched off: see rule.h. Each file of the engine asks; the table of the
 * rules knows all of those that decide. */
#include "annotate/rule.h"
#include "base/memory.h"

bool rules_off[RULE_COUNT];

bool rules_are_off(void)
{
	return any_of(i, 0, RULE_COUNT, rules_off[i]);
}
