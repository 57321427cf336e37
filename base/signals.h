/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that have to wait. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Blocks signals, or lets them come, so that none comes between looking for one and acting. */
static inline void signals_hold(const int *numbers, size_t count, bool hold)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < count; i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &signals, NULL);
}
