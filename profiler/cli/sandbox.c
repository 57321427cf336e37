// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements sandbox.h. */
#include "profiler/cli/sandbox.h"

#include <fcntl.h>
#include <libgen.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/objects/companion_cache.h"
#include "profiler/objects/dso_open.h"

/* The headers of Debian 12 know Landlock's first versions only; these are those of Linux 6.12
 * (include/uapi/linux/landlock.h). Numbers of system calls are the same on all architectures. */
enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	CREATE_RULESET_VERSION = 1, /* flag */
	RULE_PATH_BENEATH = 1,
	RULE_NET_PORT = 2, /* since ABI 4 */
};

enum file_right {
	WRITE_FILE = 1 << 1,
	REMOVE_DIR = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_CHAR = 1 << 6,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	MAKE_SOCK = 1 << 9,
	MAKE_FIFO = 1 << 10,
	MAKE_BLOCK = 1 << 11,
	MAKE_SYM = 1 << 12,
	REFER = 1 << 13,    /* since ABI 2 */
	TRUNCATE = 1 << 14, /* since ABI 3 */
};

enum net_right { BIND_TCP = 1, CONNECT_TCP = 2 }; /* since ABI 4 */

struct ruleset_attr {
	uint64_t files, net;
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

struct net_port_attr {
	uint64_t allowed, port;
};

/* Rights for a result: a file without a name gets one, and replaces another. */
#define OUTPUT_RIGHTS (WRITE_FILE | REMOVE_FILE | MAKE_REG | REFER | TRUNCATE)
#define CACHE_RIGHTS  (OUTPUT_RIGHTS | MAKE_DIR | REMOVE_DIR)
#define DEVICE_RIGHTS (WRITE_FILE | TRUNCATE)
#define ALL_RIGHTS    (CACHE_RIGHTS | MAKE_CHAR | MAKE_SOCK | MAKE_FIFO | MAKE_BLOCK | MAKE_SYM)

/* Returns the rights that a version of the ABI knows, among these. */
static uint64_t known_rights(uint64_t rights, long abi)
{
	if (abi < 2)
		rights &= ~(uint64_t)REFER;
	if (abi < 3)
		rights &= ~(uint64_t)TRUNCATE;
	return rights;
}

/* Allows the rights below a folder, or writing to a device or pipe. What does not exist, or is a
 * regular file, allows nothing. */
static void allow(int ruleset, const char *path, uint64_t rights, long abi)
{
	_cleanup_close_ int parent = open(path, O_PATH | O_CLOEXEC);
	struct path_beneath_attr beneath = { known_rights(rights, abi), parent };
	struct stat status;

	if (parent < 0 || fstat(parent, &status) || S_ISREG(status.st_mode))
		return;
	if (!S_ISDIR(status.st_mode))
		beneath.allowed &= DEVICE_RIGHTS;

	/* without the rule, the output cannot be created, which is an error of its own */
	if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &beneath, 0))
		return;
}

/* Allows the nearest folder above the path that exists. */
static void allow_above(int ruleset, const char *path, uint64_t rights, long abi)
{
	_cleanup_free_ char *copy = xstrdup(path);
	char *folder = copy;

	while (access(folder, F_OK) && folder[0] == '/' && folder[1])
		folder = dirname(folder);
	allow(ruleset, folder, rights, abi);
}

static void allow_debuginfod(int ruleset, long abi)
{
	_cleanup_free_ char *path = dso_debuginfod_cache(), *companions = companion_cache_folder();

	if (path)
		allow_above(ruleset, path, CACHE_RIGHTS, abi);
	if (companions)
		allow_above(ruleset, companions, CACHE_RIGHTS, abi);
}

/* Allows connections to a port of servers. */
static void allow_port(int ruleset, unsigned int port)
{
	struct net_port_attr attr = { CONNECT_TCP, port };

	/* without the rule, the connection fails, which is an error of its own */
	if (syscall(ADD_RULE, ruleset, RULE_NET_PORT, &attr, 0))
		return;
}

/* Allows what a result is written to: its folder, and the device that it may be or lead to. */
static void allow_output(int ruleset, const char *output, long abi)
{
	_cleanup_free_ char *copy = xstrdup(output);
	const char *folder = dirname(copy);

	allow(ruleset, output, DEVICE_RIGHTS, abi);
	if (strcmp(folder, "/dev") != 0)
		allow(ruleset, folder, OUTPUT_RIGHTS, abi);
}

static int make_ruleset(const char *const *outputs, size_t count, unsigned int port, long abi)
{
	static const char *const devices[] = { "/dev/null", "/dev/tty", "/dev/pts" };
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool has_servers = urls && *urls;
	const struct ruleset_attr attr = { .files = known_rights(ALL_RIGHTS, abi),
					   .net = abi >= 4 && !has_servers ? BIND_TCP | CONNECT_TCP
									   : 0 };
	size_t size = abi >= 4 ? sizeof(attr) : sizeof(attr.files);
	int ruleset = (int)syscall(CREATE_RULESET, &attr, size, 0);

	if (ruleset < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (outputs[i])
			allow_output(ruleset, outputs[i], abi);
	allow(ruleset, temporary_folder(), OUTPUT_RIGHTS, abi);
	/* for root, /dev has disks, too */
	for (size_t i = 0; i < COUNT_OF(devices); i++)
		allow(ruleset, devices[i], DEVICE_RIGHTS, abi);
	if (has_servers)
		allow_debuginfod(ruleset, abi);
	else if (port && abi >= 4)
		allow_port(ruleset, port);
	return ruleset;
}

const char *sandbox_enter(const char *const *outputs, size_t count, unsigned int port)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
	_cleanup_close_ int ruleset = -1;

	/* libcurl and GnuTLS add the keys of connections to this file, whoever owns it */
	unsetenv("SSLKEYLOGFILE");
	if (global_options.no_sandbox)
		return "off";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return "none: prctl(2) refuses it";
	if (abi < 1)
		return "no new privileges; the kernel has no Landlock";
	ruleset = make_ruleset(outputs, count, port, abi);
	if (ruleset < 0 || syscall(RESTRICT_SELF, ruleset, 0))
		return "no new privileges; Landlock is refused";
	return SANDBOX_COMPLETE;
}

void sandbox_for(const char *output, const char *other, bool verbose)
{
	const char *const outputs[] = { output, other };
	const char *state = sandbox_enter(outputs, COUNT_OF(outputs), 0);

	if (verbose)
		note("sandbox: %s", state);
}

void sandbox_for_server(unsigned int port, const char *output, bool verbose)
{
	const char *state = sandbox_enter(&output, 1, port);

	if (verbose)
		note("sandbox: %s", state);
}
