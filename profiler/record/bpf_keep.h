/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the BPF programs of a recording: their code, lines, types and maps, which are gone with
 * the program. They become the features BPF_PROG_INFO and BPF_BTF (see bpf_programs.h).
 *
 * The kernel gives them to whoever has CAP_BPF and CAP_PERFMON. Programs that it does not give are
 * left out, and readers say so.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"

/* A program as the kernel gave it. */
struct kept_program {
	struct strbuf bytes; /* struct bpf_recorded_program, the info, the arrays */
	struct strbuf maps;  /* struct bpf_recorded_map */
};

/* Zero-initialized is empty. */
struct bpf_keep {
	struct kept_program *programs;
	size_t count, capacity;
	struct hash_map known, known_btf; /* ids */
	struct strbuf btf;                /* the feature without its number of entries */
	uint32_t btf_count;
};

/* Keeps the program of an id, unless it is kept already or is gone. */
void bpf_keep_add(struct bpf_keep *keep, uint32_t id);
/* Appends the features. `root` is where /proc is. Nothing is appended if no program is kept. An
 * error means that functions of the kernel have no names; the features are whole else. */
struct error *bpf_keep_write(const struct bpf_keep *keep, const char *root, struct strbuf *infos,
			     struct strbuf *btf);
void bpf_keep_deinit(struct bpf_keep *keep);
