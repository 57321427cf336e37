/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's cache of companions, by build id: those that `dtprof index --cache` made, and those
 * that servers gave. */
#pragma once

#include "base/error.h"
#include "dwarf/elf/image.h"

/* The bytes that the cache may have (index.cache-size). */
extern uint64_t companion_cache_size;

/* Returns the path of a companion in the user's cache, perhaps absent, to be freed, or NULL. */
char *companion_cached(const struct build_id *id);
/* Returns the folder of the cache, which may not exist, or NULL; to be freed. */
char *companion_cache_folder(void);
/* Makes the folder of the cache. ERROR_PERMISSION: others may write to it, or to one above it. */
struct error *companion_cache_make(void);
/* Removes the oldest companions until the size is allowed; the newest stays. */
void companion_cache_trim(void);
