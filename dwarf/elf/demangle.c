// SPDX-License-Identifier: GPL-2.0-or-later
/* Demangles names of C++, D and Rust, by libiberty. */
#include "dwarf/elf/image.h"

#include <ctype.h>
#include <setjmp.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* libiberty's header. Debian puts it into a folder of its own, others do not. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

/*
 * Substitutions let a mangled name of some dozen bytes stand for gigabytes of text ("foo(A<S, S>,
 * B<S0_, S0_>, ...)"), which libiberty would write out. It cannot be told to stop, so it is left by
 * longjmp() out of the function that takes its text. Its C++ demangler allocates nothing when it is
 * called like this. Its Rust demangler has an allocated copy of an identifier in Punycode while it
 * writes that identifier, and must not be left then. So it is left only while it writes other text,
 * some of which always stands between two identifiers. Text from Punycode has at least one
 * character that is not ASCII (RFC 3492, 3.1); no other text of a name has one.
 */
#define LONGEST_TEXT 16384
/* A long mangled name may stand for this many times as much: names of templates in templates. */
#define TEXT_FOR_BYTE 8

struct demangled_text {
	struct strbuf text;
	size_t most; /* bytes */
	bool rust;   /* Rust's demangler writes, not that of C++ */
	bool too_long;
	jmp_buf enough;
};

static bool is_ascii(const char *text, size_t length)
{
	return !any_of(i, 0, length, text[i] & 0x80);
}

static void add_text(const char *text, size_t length, void *data)
{
	struct demangled_text *output = data;

	output->too_long |= length > output->most - output->text.length;
	if (!output->too_long)
		strbuf_add(&output->text, text, length);
	else if (!output->rust || is_ascii(text, length))
		longjmp(output->enough, 1);
}

/* Rust first: its older mangling is also valid C++, with a hash as the last name. */
static bool write_name(const char *name, struct demangled_text *output)
{
	if (setjmp(output->enough))
		return false;
	output->rust = true;
	if (rust_demangle_callback(name, DMGL_NO_OPTS, add_text, output))
		return !output->too_long;
	/* drop the text of the attempt as Rust */
	strbuf_reset(&output->text);
	output->rust = output->too_long = false;
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, add_text, output) &&
	       !output->too_long;
}

/* libiberty's demangler of D returns the whole text, and has no limit of depth. A back reference
 * (Q) stands for a type with others in it: at most 3^(n/3) types for n of them. 47 of 16,572 names
 * in D's own library have more than 32. */
#define D_REFERENCES_MAX 32
#define D_LENGTH_MAX     4096

/* Cuts the arguments off, as libiberty does it for C++: "d.Pool!(d.Node).total(int) const". */
static void cut_arguments(char *text)
{
	char *at = strrchr(text, ')');
	int depth = 0;

	if (!at || strchr(at, '.'))
		return;
	for (; at > text; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			break;
	}
	if (at > text && at[-1] != '!')
		*at = '\0';
}

/* Returns a name of D, "_D1d4Node6lengthMFZi", as "d.Node.length"; NULL: it is none. */
static char *demangle_d(const char *name)
{
	size_t references = 0;
	_cleanup_free_ char *text = NULL;

	if (!starts_with(name, "_D") || !isdigit((unsigned char)name[2]) ||
	    strlen(name) > D_LENGTH_MAX)
		return NULL;
	for (const char *at = name; *at; at++)
		references += *at == 'Q';
	if (references <= D_REFERENCES_MAX)
		text = dlang_demangle(name, DMGL_NO_OPTS);
	if (!text || strlen(text) > LONGEST_TEXT)
		return NULL;
	cut_arguments(text);
	return xstrdup(text);
}

char *symbol_demangle(const char *name)
{
	const char *suffix = strchr(name, '@');
	_cleanup_free_ char *bare = suffix ? xstrndup(name, suffix - name) : NULL;
	struct demangled_text output = { .text = STRBUF_INIT,
					 .most = LONGEST_TEXT + TEXT_FOR_BYTE * strlen(name) };

	/* all mangled names begin with _; most names of C do not, and need not be tried */
	if (name[0] != '_')
		return NULL;
	if (!write_name(bare ?: name, &output)) {
		_cleanup_free_ char *of_d = demangle_d(bare ?: name);

		strbuf_reset(&output.text);
		if (!of_d) {
			strbuf_deinit(&output.text);
			return NULL;
		}
		strbuf_add_string(&output.text, of_d);
	}
	if (suffix)
		strbuf_add_string(&output.text, suffix);
	return strbuf_detach(&output.text);
}
