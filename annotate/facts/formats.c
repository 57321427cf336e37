// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/facts/arguments.h"

#include <string.h>

/* Returns the text after the next '%' that begins a conversion, or NULL. */
static const char *find_conversion(const char *text)
{
	while ((text = strchr(text, '%')) && text[1] == '%')
		text += 2;
	return text ? text + 1 : NULL;
}

bool print_format_next(struct print_format *format, enum print_format_kind *kind)
{
	const char *at = format->inside ? format->rest : find_conversion(format->rest);

	if (!at)
		return false;
	at += strspn(at, "-+ #0123456789.'");
	format->rest = at + 1;
	format->inside = *at == '*'; /* a width or precision is an argument of its own */
	*kind = FORMAT_NUMBER;
	if (format->inside)
		return true;
	const size_t length = strspn(at, "hljztqL");
	const bool wide = length && *at != 'h';

	at += length;
	format->rest = at + !!*at;
	if (!*at || !strchr("diucoxXsSpaAeEfFgG", *at) || (length && at[-1] == 'L'))
		return false;
	if (strchr("sS", *at))
		*kind = wide ? FORMAT_WORD : FORMAT_TEXT;
	else if (*at == 'p' || (wide && strchr("oxX", *at)))
		*kind = FORMAT_WORD;
	else if (strchr("aAeEfFgG", *at))
		*kind = FORMAT_FLOAT;
	return true;
}
