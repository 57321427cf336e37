// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs: see process.h. Their output goes to unnamed files, because a pipe could fill
 * up. */
#include "tests/support/process.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/unit.h"

/* ---- a program that may only read: a seccomp filter ---- */

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOW_HALF(index)                                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define HIGH_HALF(index)                                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]) + 4)
#define UNLESS(value, n)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n))
#define UNLESS_ANY(bits, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (n))
#define RETURN(action)      BPF_STMT(BPF_RET | BPF_K, (action))
/* The system call's number must be loaded. */
#define KILL_FOR(call) UNLESS(__NR_##call, 1), RETURN(SECCOMP_RET_KILL_PROCESS)

/* Newer machines have only the calls that take a folder. */
#ifdef __NR_open
#define OLD_CALL_FOR(call) KILL_FOR(call),
#define THIS_MACHINE       AUDIT_ARCH_X86_64
#else
#define OLD_CALL_FOR(call)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

/* Lets this process, and the program that it becomes, do no more than read: it is killed (SIGSYS)
 * when it opens a file for writing, changes a folder, connects, or starts a program. Only execve()
 * of `program`, this very pointer, goes through. */
static void confine(const char *program)
{
	uint64_t allowed = (uint64_t)(uintptr_t)program;
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
#ifdef __NR_open
		/* open(path, flags) */
		UNLESS(__NR_open, 4),
		LOW_HALF(1),
		UNLESS_ANY(WRITING, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
#endif
		/* openat(folder, path, flags) */
		UNLESS(__NR_openat, 4),
		LOW_HALF(2),
		UNLESS_ANY(WRITING, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
		/* execve(path, ...) */
		UNLESS(__NR_execve, 6),
		LOW_HALF(0),
		UNLESS((uint32_t)allowed, 3),
		HIGH_HALF(0),
		UNLESS((uint32_t)(allowed >> 32), 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		KILL_FOR(execveat),
		KILL_FOR(openat2),
		OLD_CALL_FOR(creat) OLD_CALL_FOR(unlink) KILL_FOR(unlinkat),
		KILL_FOR(fchmodat),
		OLD_CALL_FOR(rename) KILL_FOR(renameat2),
		OLD_CALL_FOR(mkdir) KILL_FOR(mkdirat),
		KILL_FOR(truncate),
		OLD_CALL_FOR(chmod) KILL_FOR(socket),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog code = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code)) {
		perror("seccomp");
		_exit(126);
	}
}

/* ---- running programs ---- */

static void read_back(FILE *file, struct strbuf *result)
{
	char buffer[4096];
	size_t count;

	rewind(file);
	while ((count = fread(buffer, 1, sizeof(buffer), file)))
		strbuf_add(result, buffer, count);
	fclose(file);
}

static void run_child(const char *const *argv, bool confined, FILE *output, FILE *errors)
{
	int nothing = open("/dev/null", O_RDONLY);

	dup2(nothing, STDIN_FILENO);
	dup2(fileno(output), STDOUT_FILENO);
	dup2(fileno(errors), STDERR_FILENO);
	if (confined) {
		confine(argv[0]);
		execv(argv[0], (char *const *)argv);
	} else {
		execvp(argv[0], (char *const *)argv);
	}
	perror(argv[0]);
	_exit(127);
}

/* Opens a file in memory, which needs no writable folder. */
static FILE *unnamed_file(void)
{
	int fd = memfd_create("output", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		perror("memfd_create");
		abort();
	}
	return file;
}

static void run(const char *const *argv, bool confined, struct process_result *result)
{
	FILE *output = unnamed_file();
	FILE *errors = unnamed_file();
	int status = 0;

	*result = (struct process_result){ .output = STRBUF_INIT, .errors = STRBUF_INIT };
	fflush(NULL);

	pid_t pid = fork();

	if (pid == 0)
		run_child(argv, confined, output, errors);
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror(argv[0]);
		abort();
	}
	result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	read_back(output, &result->output);
	read_back(errors, &result->errors);
}

void process_run(const char *const *argv, struct process_result *result)
{
	run(argv, false, result);
}

void process_run_confined(const char *const *argv, struct process_result *result)
{
	run(argv, true, result);
}

void process_shell(const char *command, struct process_result *result)
{
	process_run((const char *const[]){ "/bin/sh", "-c", command, NULL }, result);
}

void process_result_deinit(struct process_result *result)
{
	strbuf_deinit(&result->output);
	strbuf_deinit(&result->errors);
}

void process_check_status_at(const struct process_result *result, int status, const char *file,
			     int line)
{
	if (result->status == status)
		return;
	print_error("the exit status is %d, and %d is expected; output and errors:\n%s\n%s\n",
		    result->status, status, result->output.data ? result->output.data : "",
		    result->errors.data ? result->errors.data : "");
	_fail(file, line);
}

bool process_exists(const char *name)
{
	_cleanup_free_ char *command = xasprintf("command -v %s", name);
	_cleanup_process_ struct process_result result = { 0 };

	process_shell(command, &result);
	return result.status == 0;
}

static bool try_compiler(const char *compiler)
{
	static const char c[] = "#include <stdlib.h>\nint main(void) { return abs(0); }",
			  cxx[] = "#include <string>\n#include <vector>\n"
				  "int main() { return std::vector<std::string>(1)[0].size(); }",
			  rust[] = "fn main() { println!(\"{}\", 1); }";
	bool is_rust = strncmp(compiler, "rustc", 5) == 0, is_cxx = strstr(compiler, "++");
	const char *extension = is_rust ? "rs" : is_cxx ? "cc" : "c";
	_cleanup_process_ struct process_result result = { 0 };
	char *folder = scratch_create();
	_cleanup_free_ char *command =
		xasprintf("cd '%s' && cat >trial.%s <<'END' && %s -o trial trial.%s\n%s\nEND",
			  folder, extension, compiler, extension,
			  is_rust  ? rust
			  : is_cxx ? cxx
				   : c);

	process_shell(command, &result);
	scratch_remove(folder);
	return result.status == 0;
}

bool compiler_works(const char *compiler)
{
	static struct {
		char name[64];
		bool works;
	} known[16];
	unsigned int i;

	for (i = 0; i < COUNT_OF(known) && known[i].name[0]; i++)
		if (strcmp(known[i].name, compiler) == 0)
			return known[i].works;

	bool works = try_compiler(compiler);

	if (i < COUNT_OF(known) && strlen(compiler) < sizeof(known[i].name)) {
		strcpy(known[i].name, compiler);
		known[i].works = works;
	}
	return works;
}

void need_compiler(const char *compiler)
{
	if (!compiler_works(compiler))
		skip_because("no %s here that makes a program", compiler);
}

const char *process_compiler(void)
{
	return compiler_works("gcc") ? "gcc" : "clang";
}

const char *dtprof_path(void)
{
	const char *path = getenv("DTPROF");

	return path ? path : "build/dtprof";
}

char *scratch_create(void)
{
	const char *parent = getenv("TMPDIR");
	_cleanup_free_ char *folder = xasprintf("%s/dtprof-test-XXXXXX", parent ? parent : "/tmp");
	char *real = mkdtemp(folder) ? realpath(folder, NULL) : NULL;

	if (!real) {
		perror(folder);
		abort();
	}
	return real;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

void scratch_remove(char *folder)
{
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

/* ---- at a pseudoterminal, which the test reads ---- */

static void become_command(const char *command, const char *path)
{
	int terminal;

	setsid();
	terminal = open(path, O_RDWR);
	if (terminal < 0)
		_exit(127);
	ioctl(terminal, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(terminal, fd);
	if (terminal > 2)
		close(terminal);
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("DTPROF_PAGER", "", 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Reads until the command's end is closed, which read() reports as EIO. */
static void read_all(int master, struct strbuf *output)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(master, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			if (bytes[i] != '\r')
				strbuf_add_char(output, bytes[i]);
}

void terminal_run(const char *command, unsigned int columns, unsigned int rows,
		  struct process_result *result)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	const char *path;
	pid_t child;

	if (master < 0 || grantpt(master) || unlockpt(master) || !(path = ptsname(master)))
		skip_because("no pseudoterminals here");
	*result = (struct process_result){ .output = STRBUF_INIT, .errors = STRBUF_INIT };
	ioctl(master, TIOCSWINSZ, &size);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		become_command(command, path);
	read_all(master, &result->output);
	close(master);
	assert_int_equal(waitpid(child, &status, 0), child);
	result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
