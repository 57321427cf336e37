// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements web.h. */
#include "base/web.h"

#include <dlfcn.h>
#include <limits.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

#define USER_MAX 65536 /* bytes of a file of credentials */

/* The parts of libcurl's stable ABI that are used (curl/curl.h). */
enum curl_option {
	CURL_TIMEOUT = 13,
	CURL_LOW_SPEED_LIMIT = 19,
	CURL_LOW_SPEED_TIME = 20,
	CURL_FAIL_ON_ERROR = 45,
	CURL_FOLLOW_LOCATION = 52,
	CURL_MAX_REDIRECTS = 68,
	CURL_CONNECT_TIMEOUT = 78,
	CURL_NO_SIGNAL = 99,
	CURL_PROTOCOLS = 181,
	CURL_REDIRECTED_PROTOCOLS = 182,
	CURL_WRITE_DATA = 10001,
	CURL_URL = 10002,
	CURL_PROXY = 10004,
	CURL_ERROR_TEXT = 10010,
	CURL_POST_FIELDS = 10015,
	CURL_USER_AGENT = 10018,
	CURL_HEADERS = 10023,
	CURL_CA_FILE = 10065,
	CURL_USER = 10173,
	CURL_PASSWORD = 10174,
	CURL_WRITE_FUNCTION = 20011,
	CURL_POST_SIZE = 30120,
};
enum { CURL_HTTP = 1, CURL_HTTPS = 2, CURL_FILE = 1024 }; /* protocols */
enum { CURLE_REFUSED_STATUS = 22, CURLE_WRITE = 23, CURLE_FILE_MISSING = 37 };
enum { CURL_ERROR_SIZE = 256 };
enum { CURL_RESPONSE_CODE = 0x200002, HTTP_NOT_FOUND = 404 };

struct web {
	void *curl;
	int (*set)(void *curl, int option, ...);
	int (*perform)(void *curl);
	int (*ask)(void *curl, int what, ...);
	const char *(*explain)(int result);
	void (*reset)(void *curl);
	void (*end)(void *curl);
	void *(*list_add)(void *list, const char *text);
	void (*list_free)(void *list);
};

struct error *web_open(const char *what, struct web **result)
{
	/* Debian's library of debuginfod uses the second one */
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	_cleanup_free_ char *why = NULL;
	void *library = NULL;

	*result = NULL;
	/* it starts threads that cannot be stopped, so it stays loaded */
	for (size_t i = 0; i < COUNT_OF(names) && !library; i++) {
		library = dlopen(names[i], RTLD_NOW | RTLD_NODELETE);
		if (!library && !i)
			why = xstrdup(dlerror());
	}
	if (!library)
		return error_create(ERROR_UNSUPPORTED,
				    "%s needs libcurl (Debian's package libcurl4): %s", what, why);
	void *(*begin)(void) = (void *(*)(void))dlsym(library, "curl_easy_init");
	struct web web = {
		.set = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt"),
		.perform = (int (*)(void *))dlsym(library, "curl_easy_perform"),
		.ask = (int (*)(void *, int, ...))dlsym(library, "curl_easy_getinfo"),
		.explain = (const char *(*)(int))dlsym(library, "curl_easy_strerror"),
		.reset = (void (*)(void *))dlsym(library, "curl_easy_reset"),
		.end = (void (*)(void *))dlsym(library, "curl_easy_cleanup"),
		.list_add = (void *(*)(void *, const char *))dlsym(library, "curl_slist_append"),
		.list_free = (void (*)(void *))dlsym(library, "curl_slist_free_all"),
	};

	dlclose(library);
	if (!begin || !web.set || !web.perform || !web.ask || !web.explain || !web.reset ||
	    !web.end || !web.list_add || !web.list_free || !(web.curl = begin()))
		return error_create(ERROR_UNSUPPORTED, "%s needs libcurl, and this one is another",
				    what);
	*result = xmalloc(sizeof(web));
	**result = web;
	return NULL;
}

void web_close(struct web *web)
{
	if (!web)
		return;
	web->end(web->curl);
	free(web);
}

struct error *web_user_read(const char *path, struct web_user *user)
{
	const struct {
		const char *word;
		const char **value;
	} words[] = { { "user ", &user->name },
		      { "password ", &user->password },
		      { "authority ", &user->authority } };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int file = -1;
	struct stat status;
	char *rest;

	RETURN_ERROR(believed_file_open(path, &file));
	if (fstat(file, &status) || status.st_mode & 077)
		return error_create(ERROR_PERMISSION,
				    "others may read the credentials in %s: chmod 600 %s", path,
				    path);
	if (!file_read_all(file, USER_MAX, &text))
		return error_other("%s cannot be read", path);
	user->text = strbuf_detach(&text);
	for (char *line = strtok_r(user->text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		size_t word;

		for (word = 0; word < COUNT_OF(words); word++)
			if (starts_with(line, words[word].word))
				break;
		if (word == COUNT_OF(words))
			return error_create(ERROR_FORMAT,
					    "%s has lines \"user NAME\", \"password TEXT\" and "
					    "\"authority FILE\" alone",
					    path);
		*words[word].value = line + strlen(words[word].word);
	}
	return NULL;
}

void web_user_deinit(struct web_user *user)
{
	free(user->text);
	*user = (struct web_user){ 0 };
}

unsigned int web_port(const char *host, unsigned int usual)
{
	const char *end = host + strcspn(host, "/"),
		   *colon = memrchr(host, ':', (size_t)(end - host));
	unsigned long port;
	char *rest;

	/* those of IPv6 have colons, and brackets around them */
	if (!colon || memchr(colon, ']', (size_t)(end - colon)))
		return usual;
	port = strtoul(colon + 1, &rest, 10);
	return rest == end && port && port <= UINT16_MAX ? (unsigned int)port : UINT_MAX;
}

/* Hands a piece of the answer to the caller; libcurl ends the request for any other size. */
static size_t take_piece(const char *bytes, size_t size, size_t count, void *data)
{
	const struct web_request *request = data;

	return request->keep(bytes, size * count, request->data) ? size * count : 0;
}

/* Returns whether a URL leads to this machine. */
static bool is_near(const char *url)
{
	static const char *const near[] = { "http://localhost:", "http://127.0.0.1:",
					    "http://[::1]:" };

	return any_of(i, 0, COUNT_OF(near), starts_with(url, near[i]));
}

static void set_request(struct web *web, const struct web_request *request,
			const struct web_user *user)
{
	const long web_only = CURL_HTTP | CURL_HTTPS;
	const struct {
		int option;
		long value;
	} numbers[] = {
		{ CURL_FAIL_ON_ERROR, !request->body },
		{ CURL_NO_SIGNAL, 1 },
		{ CURL_FOLLOW_LOCATION, request->redirects },
		{ CURL_MAX_REDIRECTS, 8 },
		{ CURL_PROTOCOLS, web_only | (request->files ? CURL_FILE : 0) },
		/* a server on the net must not lead to a file of this machine */
		{ CURL_REDIRECTED_PROTOCOLS, web_only },
		{ CURL_CONNECT_TIMEOUT, request->patience },
		{ CURL_LOW_SPEED_TIME, request->patience },
		{ CURL_LOW_SPEED_LIMIT, 1 },
		{ CURL_TIMEOUT, request->longest },
	};
	const struct {
		int option;
		const char *value;
	} texts[] = {
		{ CURL_URL, request->url },
		{ CURL_USER_AGENT, "dtprof/" DTPROF_VERSION },
		{ CURL_USER, user->name },
		{ CURL_PASSWORD, user->password },
		{ CURL_CA_FILE, user->authority },
		/* $http_proxy would take it, and a password in it, to another machine */
		{ CURL_PROXY, is_near(request->url) ? "" : NULL },
	};

	web->reset(web->curl);
	array_each (const __typeof__(*numbers), number, numbers, COUNT_OF(numbers))
		web->set(web->curl, number->option, number->value);
	array_each (const __typeof__(*texts), text, texts, COUNT_OF(texts))
		if (text->value)
			web->set(web->curl, text->option, text->value);
	web->set(web->curl, CURL_WRITE_FUNCTION, take_piece);
	web->set(web->curl, CURL_WRITE_DATA, (void *)request);
	if (request->body) {
		web->set(web->curl, CURL_POST_FIELDS, request->body);
		web->set(web->curl, CURL_POST_SIZE, (int64_t)request->size);
	}
}

struct error *web_ask(struct web *web, const struct web_request *request, long *status)
{
	static const struct web_user nobody;
	const struct web_user *user = request->user ?: &nobody;

	char detail[CURL_ERROR_SIZE] = "";

	*status = 0;
	if (user->password && !starts_with(request->url, "https://") && !is_near(request->url))
		return error_create(ERROR_PERMISSION,
				    "a password is sent to another machine by TLS alone "
				    "(https://, clickhouses://)");
	void *headers = request->content ? web->list_add(NULL, request->content) : NULL;

	set_request(web, request, user);
	web->set(web->curl, CURL_ERROR_TEXT, detail);
	if (headers)
		web->set(web->curl, CURL_HEADERS, headers);
	int result = web->perform(web->curl);

	web->list_free(headers);

	web->ask(web->curl, CURL_RESPONSE_CODE, status);
	if (result == CURLE_FILE_MISSING)
		*status = HTTP_NOT_FOUND;
	else if (result && result != CURLE_REFUSED_STATUS && result != CURLE_WRITE)
		return error_other("%.*s: %s", (int)strcspn(request->url, "?"), request->url,
				   *detail ? detail : web->explain(result));
	return NULL;
}
