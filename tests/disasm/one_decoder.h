/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder of a group of tests. */
#pragma once

#include "disasm/insn.h"
#include "tests/support/unit.h"

static struct decoder *decoder;

static int create_decoder(void **state)
{
	(void)state;
	decoder = decoder_create(&arch_x86_64);
	assert_non_null(decoder);
	return 0;
}

static int destroy_decoder(void **state)
{
	(void)state;
	decoder_destroy(decoder);
	return 0;
}
