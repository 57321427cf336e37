/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints as kernels describe them, records of them, and the text that is printed. The fields
 * of a record follow each other without gaps and are little-endian. */
#ifndef DTPROF_TESTS_TRACE_CASES_H
#define DTPROF_TESTS_TRACE_CASES_H

#define TRACE_COMMON                                                                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The bytes after the eight of the common fields. */
struct trace_case {
	const char *name;
	const char *fields;
	const char *print; /* after "print fmt: " */
	const char *data;
	unsigned int size;
	const char *text;
};

#define DATA(bytes) bytes, sizeof(bytes) - 1

static const struct trace_case trace_cases[] = {
	{ "sched_switch",
	  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	  "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	  "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n",
	  "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
	  "next_prio=%d\", "
	  "REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | "
	  "0x00000001 | "
	  "0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) "
	  "- 1)) ? "
	  "__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | "
	  "0x00000008 | "
	  "0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { "
	  "0x00000002, \"D\" "
	  "}, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, "
	  "\"Z\" }, { "
	  "0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | "
	  "0x00000001 "
	  "| "
	  "0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) "
	  "? \"+\" : "
	  "\"\", "
	  "REC->next_comm, REC->next_pid, REC->next_prio",
	  DATA("swapper/0\0\0\0\0\0\0\0\0\0\0\0\170\0\0\0\1\1\0\0\0\0\0\0"
	       "work\0\0\0\0\0\0\0\0\0\0\0\0\052\0\0\0\163\0\0\0"),
	  "prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=S+ ==> next_comm=work "
	  "next_pid=42 "
	  "next_prio=115" },
	{ "kmalloc",
	  "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	  "\tfield:unsigned long gfp_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	  "\tfield:int node;\toffset:40;\tsize:4;\tsigned:1;\n",
	  "\"call_site=%pS ptr=%p bytes_req=%zu gfp_flags=%s node=%d accounted=%s\", (void "
	  "*)REC->call_site, "
	  "REC->ptr, "
	  "REC->bytes_req, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", { (unsigned "
	  "long)(((((gfp_t)("
	  "0x400u|0x800u)) | ((gfp_t)0x40u) | ((gfp_t)0x80u)) | ((gfp_t)0x100000u))), \"GFP_USER\" "
	  "}, { "
	  "(unsigned "
	  "long)((((gfp_t)(0x400u|0x800u)) | ((gfp_t)0x40u) | ((gfp_t)0x80u))), \"GFP_KERNEL\" }, "
	  "{ "
	  "(unsigned "
	  "long)((gfp_t)0x100u), \"__GFP_ZERO\"}) : \"none\", REC->node, (REC->gfp_flags & "
	  "((((gfp_t)0x400000u)))) ? "
	  "\"true\" : \"false\"",
	  DATA("\x20\x10\0\x82\xff\xff\xff\xff\0\x10\x20\x30\1\x88\xff\xff\x40\0\0\0\0\0\0\0"
	       "\xc0\x1d\0\0\0\0\0\0\xff\xff\xff\xff"),
	  "call_site=work+0x20 ptr=0xffff880130201000 bytes_req=64 "
	  "gfp_flags=GFP_KERNEL|__GFP_ZERO|0x1000 "
	  "node=-1 "
	  "accounted=false" },
	{ "block_rq_issue",
	  "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:unsigned int nr_sector;\toffset:12;\tsize:4;\tsigned:0;\n"
	  "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:char rwbs[8];\toffset:24;\tsize:8;\tsigned:0;\n"
	  "\tfield:__data_loc char[] cmd;\toffset:32;\tsize:4;\tsigned:0;\n",
	  "\"%d,%d %s (%s) %llu + %u [%d]\", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) "
	  "((REC->dev) & ((1U << "
	  "20) - 1))), REC->rwbs, __get_str(cmd), (unsigned long long)REC->sector, REC->nr_sector, "
	  "0",
	  DATA("\1\0\x80\0\10\0\0\0\0\x10\0\0\1\0\0\0WS\0\0\0\0\0\0\44\0\4\0abc\0"),
	  "8,1 WS (abc) 4294971392 + 8 [0]" },
	{ "sys_enter_write",
	  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:const char * buf;\toffset:24;\tsize:8;\tsigned:0;\n",
	  "\"fd: 0x%08lx, buf: 0x%08lx\", ((unsigned long)(REC->fd)), ((unsigned long)(REC->buf))",
	  DATA("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\x20\0\0\xfd\x7f\0\0"),
	  "fd: 0x00000002, buf: 0x7ffd00002000" },
	{ "softirq_entry", "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n",
	  "\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, "
	  "\"TIMER\" }, { "
	  "2, "
	  "\"NET_TX\" }, { 9, \"RCU\" })",
	  DATA("\1\0\0\0"), "vec=1 [action=TIMER]" },
	{ "no_name", "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n",
	  "\"[%s] %s\", __print_symbolic(REC->vec, { 0, \"HI\" }), __print_flags(REC->vec, \"\", { "
	  "1, \"A\" "
	  "})",
	  DATA("\6\0\0\0"), "[0x6] 0x6" },
	{ "sys_exit",
	  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\tfield:long "
	  "ret;\toffset:16;\tsize:8;\tsigned:1;\n",
	  "\"NR %ld = %ld 0x%lx %-4ld| %+d %5.2u\", REC->id, REC->ret, REC->ret, REC->id, "
	  "(int)REC->id, "
	  "(u8)REC->ret",
	  DATA("\1\0\0\0\0\0\0\0\xf2\xff\xff\xff\xff\xff\xff\xff"),
	  "NR 1 = -14 0xfffffffffffffff2 1   | +1   242" },
	{ "i2c_write",
	  "\tfield:int adapter_nr;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:__u16 "
	  "len;\toffset:12;\tsize:2;\tsigned:0;\n"
	  "\tfield:__data_loc __u8[] buf;\toffset:16;\tsize:4;\tsigned:0;\n",
	  "\"i2c-%d l=%u [%*phD]\", REC->adapter_nr, REC->len, REC->len, __get_dynamic_array(buf)",
	  DATA("\2\0\0\0\3\0\0\0\24\0\3\0\xa0\1\xff\0"), "i2c-2 l=3 [a0-01-ff]" },
	{ "spi",
	  "\tfield:int len;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:__data_loc u8[] "
	  "buf;\toffset:12;\tsize:4;\tsigned:0;\n"
	  "\tfield:u32 words[2];\toffset:16;\tsize:8;\tsigned:0;\n",
	  "\"tx=[%s] %s {%s} %s\", __print_hex(__get_dynamic_array(buf), REC->len), "
	  "__print_hex_str(__get_dynamic_array(buf), 2), __print_array(REC->words, 2, 4), REC->len "
	  "> 2 ? "
	  "\"long\" : "
	  "\"short\"",
	  DATA("\3\0\0\0\30\0\4\0\1\0\0\0\0\1\0\0\xde\xad\xbe\xef"),
	  "tx=[de ad be] dead {{0x1,0x100}} long" },
	{ "net_dev_xmit",
	  "\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n\tfield:u8 "
	  "v4[4];\toffset:16;\tsize:4;\tsigned:0;\n"
	  "\tfield:u8 v6[16];\toffset:20;\tsize:16;\tsigned:0;\n",
	  "\"%pM %pI4 %pI6c %pI6 100%%\", REC->mac, REC->v4, REC->v6, REC->v6",
	  DATA("\x52\x54\0\1\2\3\0\0\x0a\0\2\xf\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1"),
	  "52:54:00:01:02:03 10.0.2.15 fe80::1 fe80:0000:0000:0000:0000:0000:0000:0001 100%" },
	{ "ipi", "\tfield:__data_loc cpumask_t target_cpus;\toffset:8;\tsize:4;\tsigned:0;\n",
	  "\"target_mask=%s\", __get_bitmask(target_cpus)", DATA("\14\0\10\0\7\0\0\0\1\0\0\0"),
	  "target_mask=00000001,00000007" },
	{ "chars",
	  "\tfield:char op;\toffset:8;\tsize:1;\tsigned:1;\n\tfield:bool "
	  "on;\toffset:9;\tsize:1;\tsigned:0;\n",
	  "\"%c %d \\\"%s\\\"\" \" more\", REC->op, REC->on, REC->on ? \"on\" : \"off\"",
	  DATA("x\1"), "x 1 \"on\" more" },
};

#define TRACE_CASES (sizeof(trace_cases) / sizeof(*trace_cases))

#endif
