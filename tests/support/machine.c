// SPDX-License-Identifier: GPL-2.0-or-later
/* Stepping a child: see machine.h. */
#include "tests/support/machine.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

#ifdef __x86_64__

#include <cpuid.h>

#define CODE_SIZE  4096
#define GUARD_SIZE 4096

/* Parts of the XSAVE area in its standard form (Intel SDM vol. 1, 13.4). */
enum {
	XSAVE_CONTROL = 0,
	XSAVE_MXCSR = 24,
	XSAVE_XMM = 160,
	XSAVE_HEADER = 512,
};

struct machine {
	uint8_t *code;
	uint8_t *data;
	pid_t child;
	struct user_regs_struct start; /* the registers at the child's first stop */
	uint8_t xsave[16384];
	size_t xsave_size;
	uint64_t components; /* the components that the system saves */
	unsigned int ymm;    /* offsets of the upper parts: 0: the processor has none */
	unsigned int masks;
	unsigned int zmm;
	unsigned int high;
};

static unsigned int component_offset(const struct machine *machine, unsigned int component)
{
	unsigned int size, offset, ecx, edx;

	if (!(machine->components >> component & 1))
		return 0;
	__cpuid_count(0xd, component, size, offset, ecx, edx);
	return offset + size <= machine->xsave_size ? offset : 0;
}

static bool start_child(struct machine *machine)
{
	int status;

	machine->child = fork();
	if (machine->child < 0)
		return false;
	if (!machine->child) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(machine->child, &status, 0) != machine->child || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_SETOPTIONS, machine->child, 0, PTRACE_O_EXITKILL);
	struct iovec area = { machine->xsave, sizeof(machine->xsave) };

	if (ptrace(PTRACE_GETREGS, machine->child, 0, &machine->start) ||
	    ptrace(PTRACE_GETREGSET, machine->child, NT_X86_XSTATE, &area))
		return false;
	machine->xsave_size = area.iov_len;
	/* the components that the system has enabled, in the bytes that the format leaves to it
	 * (Linux: xfeatures) */
	memcpy(&machine->components, machine->xsave + 464, sizeof(machine->components));
	machine->ymm = component_offset(machine, 2);
	machine->masks = component_offset(machine, 5);
	machine->zmm = component_offset(machine, 6);
	machine->high = component_offset(machine, 7);
	return true;
}

struct machine *machine_create(void)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));

	machine->code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	machine->data = mmap(NULL, MACHINE_DATA_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (machine->code != MAP_FAILED && machine->data != MAP_FAILED &&
	    !mprotect(machine->data + MACHINE_DATA_SIZE, GUARD_SIZE, PROT_NONE) &&
	    start_child(machine))
		return machine;
	machine_destroy(machine);
	return NULL;
}

void machine_destroy(struct machine *machine)
{
	if (!machine)
		return;
	if (machine->child > 0) {
		kill(machine->child, SIGKILL);
		waitpid(machine->child, NULL, 0);
	}
	if (machine->code != MAP_FAILED)
		munmap(machine->code, CODE_SIZE);
	if (machine->data != MAP_FAILED)
		munmap(machine->data, MACHINE_DATA_SIZE + GUARD_SIZE);
	free(machine);
}

uint8_t *machine_data(struct machine *machine)
{
	return machine->data;
}

uint64_t machine_code(const struct machine *machine)
{
	return (uint64_t)machine->code;
}

/* Returns the field of a general register, by DWARF's number. */
static unsigned long long *general_field(struct user_regs_struct *registers, unsigned int number)
{
	unsigned long long *const fields[16] = {
		&registers->rax, &registers->rdx, &registers->rcx, &registers->rbx,
		&registers->rsi, &registers->rdi, &registers->rbp, &registers->rsp,
		&registers->r8,  &registers->r9,  &registers->r10, &registers->r11,
		&registers->r12, &registers->r13, &registers->r14, &registers->r15,
	};

	return fields[number];
}

/* Returns 16 bytes of a vector register in the XSAVE area; NULL: there is no such part. */
static uint8_t *vector_part(struct machine *machine, unsigned int number, unsigned int part)
{
	if (number >= 16)
		return machine->high
			       ? machine->xsave + machine->high + 64 * (number - 16) + 16 * part
			       : NULL;
	if (part == 0)
		return machine->xsave + XSAVE_XMM + 16 * number;
	if (part == 1)
		return machine->ymm ? machine->xsave + machine->ymm + 16 * number : NULL;
	return machine->zmm ? machine->xsave + machine->zmm + 32 * number + 16 * (part - 2) : NULL;
}

/* Clears components in their initial state, which may not have been written: they are all zeros. */
static void clear_initial(struct machine *machine)
{
	uint64_t present;

	memcpy(&present, machine->xsave + XSAVE_HEADER, sizeof(present));
	if (!(present & 2))
		memset(machine->xsave + XSAVE_XMM, 0, 256);
	if (machine->ymm && !(present & 4))
		memset(machine->xsave + machine->ymm, 0, 256);
	if (machine->zmm && !(present & 64))
		memset(machine->xsave + machine->zmm, 0, 512);
	if (machine->high && !(present & 128))
		memset(machine->xsave + machine->high, 0, 1024);
}

static void copy_vectors(struct machine *machine, struct machine_registers *registers, bool out)
{
	for (unsigned int number = 0; number < 32; number++)
		for (unsigned int part = 0; part < 4; part++) {
			uint8_t *saved = vector_part(machine, number, part);
			uint8_t *value = registers->vectors[number] + 16 * part;

			if (saved && out)
				memcpy(saved, value, 16);
			else if (saved)
				memcpy(value, saved, 16);
		}
}

static bool set_state(struct machine *machine, struct machine_registers *registers)
{
	struct user_regs_struct general = machine->start;
	struct iovec area = { machine->xsave, machine->xsave_size };
	const uint64_t components = machine->components & 0xe7; /* x87, SSE, AVX, AVX-512 */
	const uint16_t x87_control = 0x37f;
	const uint32_t sse_control = 0x1f80;

	for (unsigned int i = 0; i < 16; i++)
		*general_field(&general, i) = registers->general[i];
	general.rip = (uint64_t)machine->code;
	general.orig_rax = -1;
	general.eflags = 0x202;
	memset(machine->xsave, 0, 464);
	memcpy(machine->xsave + XSAVE_CONTROL, &x87_control, sizeof(x87_control));
	memcpy(machine->xsave + XSAVE_MXCSR, &sse_control, sizeof(sse_control));
	memcpy(machine->xsave + XSAVE_HEADER, &components, sizeof(components));
	if (machine->masks)
		memset(machine->xsave + machine->masks, 0xff, 64);
	copy_vectors(machine, registers, true);
	return !ptrace(PTRACE_SETREGS, machine->child, 0, &general) &&
	       !ptrace(PTRACE_SETREGSET, machine->child, NT_X86_XSTATE, &area);
}

static bool get_state(struct machine *machine, struct machine_registers *registers,
		      uint64_t *length)
{
	struct user_regs_struct general;
	struct iovec area = { machine->xsave, machine->xsave_size };

	if (ptrace(PTRACE_GETREGS, machine->child, 0, &general) ||
	    ptrace(PTRACE_GETREGSET, machine->child, NT_X86_XSTATE, &area))
		return false;
	clear_initial(machine);
	for (unsigned int i = 0; i < 16; i++)
		registers->general[i] = *general_field(&general, i);
	copy_vectors(machine, registers, false);
	*length = general.rip - (uint64_t)machine->code;
	return true;
}

int machine_step(struct machine *machine, const uint8_t *bytes, struct machine_registers *registers,
		 uint64_t *length)
{
	int status;

	memset(machine->code, 0xcc, 64);
	memcpy(machine->code, bytes, 15);
	if (!set_state(machine, registers) || ptrace(PTRACE_SINGLESTEP, machine->child, 0, 0) ||
	    waitpid(machine->child, &status, 0) != machine->child)
		return -1;
	if (!WIFSTOPPED(status)) {
		machine->child = 0;
		return -1;
	}
	if (WSTOPSIG(status) != SIGTRAP)
		return WSTOPSIG(status);
	return get_state(machine, registers, length) ? 0 : -1;
}

#else /* instructions of other machines are not stepped */

struct machine *machine_create(void)
{
	return NULL;
}

void machine_destroy(struct machine *machine)
{
	(void)machine;
}

uint8_t *machine_data(struct machine *machine)
{
	(void)machine;
	return NULL;
}

uint64_t machine_code(const struct machine *machine)
{
	(void)machine;
	return 0;
}

int machine_step(struct machine *machine, const uint8_t *bytes, struct machine_registers *registers,
		 uint64_t *length)
{
	(void)machine, (void)bytes, (void)registers, (void)length;
	return -1;
}

#endif
