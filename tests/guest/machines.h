/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines that the module of this folder can be: which PMUs each has, with the files that each
 * PMU has in sysfs.
 *
 * All facts are from Linux 7.2, arch/x86/events: the sets of files are the arrays that
 * intel_pmu_init() (intel/core.c) chooses for the model, those of amd_core_pmu_init() (amd/core.c),
 * and those that the capabilities of amd/ibs.c make visible. The data sources are those of
 * intel/ds.c (pebs_data_source and its patches) and of amd/ibs.c (g_data_src, g_zen4_data_src).
 * Arm's SPE has the files of drivers/perf/arm_spe_pmu.c.
 *
 * A new machine is a row of `machines`; the processor that the guest claims to be is in
 * machines.txt.
 */

/* The rules by which a PMU takes events: see refuse() in pmus.c. */
enum unit_kind { INTEL_CORE, AMD_CORE, AMD_IBS_OP, AMD_IBS_FETCH, ARM_SPE };

/* Differences between PMUs of a kind. */
enum unit_flag {
	LOADS_NEED_AUX = 1 << 0, /* PMU_FL_MEM_LOADS_AUX */
	LATENCY_FILTER = 1 << 1, /* IBS_CAPS_OPLDLAT */
	LEVEL_FILTER = 1 << 2, /* IBS_CAPS_BIT63_FILTER: excludes privilege levels without swfilt */
	L3_MISS_ONLY = 1 << 3, /* IBS_CAPS_ZEN4 */
	NO_BRANCHES = 1 << 4,  /* neither LBR nor BRS */
	XMM_REGISTERS = 1 << 5, /* PERF_PMU_CAP_EXTENDED_REGS: pebs_baseline */
};

#define UNITS_MAX 3
#define SETS_MAX  10

struct unit {
	const char *name;
	enum unit_kind kind;
	unsigned int flags;
	const char *cpus; /* of a kind of core in a hybrid machine; NULL: all, and no file of that
			     name */
	const struct source *sources;
	const char *const *sets[SETS_MAX]; /* "group/file=text" */
};

struct machine {
	const char *name;
	struct unit units[UNITS_MAX];
};

/* ---- where data comes from: one line of data in 16 has a row, by its address ---- */

struct source {
	u64 load, store;
	u16 latency;
};

#define SOURCES 16

#ifndef PERF_MEM_LVLNUM_L2_MHB
#define PERF_MEM_LVLNUM_L2_MHB 0x05
#endif
#define S(field, value) PERF_MEM_S(field, value)
#define LOAD_HIT        (S(OP, LOAD) | S(LVL, HIT))
#define STORE_HIT       (S(OP, STORE) | S(LVL, HIT))
#define TLB_HIT         (S(TLB, HIT) | S(TLB, L1) | S(TLB, L2))
#define REMOTE          S(REMOTE, REMOTE)
#define INTEL_STORE     (S(OP, STORE) | S(SNOOP, NA) | S(LVL, L1) | S(TLB, L2) | S(TLB, HIT))

#define L1_ROW(latency)                                                                            \
	{                                                                                          \
		LOAD_HIT | S(LVL, L1) | S(LVLNUM, L1) | S(SNOOP, NONE) | TLB_HIT,                  \
			INTEL_STORE | S(LVL, HIT), latency                                         \
	}
#define LEVEL_ROW(level, latency)                                                                  \
	{                                                                                          \
		LOAD_HIT | S(LVL, level) | S(LVLNUM, level) | S(SNOOP, NONE) | TLB_HIT,            \
			INTEL_STORE | S(LVL, MISS), latency                                        \
	}
#define OTHER_ROW(bits, latency)                                                                   \
	{                                                                                          \
		LOAD_HIT | (bits) | TLB_HIT, INTEL_STORE | S(LVL, MISS), latency                   \
	}
#define L3(snoop) S(LVL, L3) | S(LVLNUM, L3) | snoop
#define LOCAL_RAM S(LVL, LOC_RAM) | S(LVLNUM, RAM)

#define INTEL_NEAR_ROWS                                                                            \
	L1_ROW(4), L1_ROW(5), L1_ROW(5), L1_ROW(7), L1_ROW(35), L1_ROW(40), L1_ROW(90),            \
		L1_ROW(33), LEVEL_ROW(LFB, 60), LEVEL_ROW(L2, 14), LEVEL_ROW(L2, 38),              \
		LEVEL_ROW(L3, 70)

static const struct source intel_server[SOURCES] = {
	INTEL_NEAR_ROWS,
	OTHER_ROW(L3(S(SNOOP, HIT)), 90),
	OTHER_ROW(L3(S(SNOOP, HITM)), 140),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, HIT), 280),
	OTHER_ROW(S(LVLNUM, ANY_CACHE) | REMOTE | S(SNOOP, HITM), 420),
};

static const struct source intel_client[SOURCES] = {
	INTEL_NEAR_ROWS,
	OTHER_ROW(L3(S(SNOOP, HIT)), 80),
	OTHER_ROW(L3(S(SNOOP, HITM)), 120),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, HIT), 240),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, NONE) | S(SNOOP, MISS), 260),
};

static const struct source intel_atom[SOURCES] = {
	/* Crestmont and later; Gracemont differs in forwarded lines */
	INTEL_NEAR_ROWS,
	OTHER_ROW(L3(S(SNOOPX, FWD)), 80),
	OTHER_ROW(L3(S(SNOOP, HITM)), 130),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, NONE), 250),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, NONE), 270),
};

static const struct source intel_lion_cove[SOURCES] = {
	INTEL_NEAR_ROWS,
	OTHER_ROW(L3(S(SNOOPX, FWD)), 80),
	OTHER_ROW(L3(S(SNOOP, HITM)), 120),
	OTHER_ROW(LOCAL_RAM | S(SNOOP, NONE), 240),
	OTHER_ROW(S(LVLNUM, L2_MHB) | S(SNOOP, NONE), 42),
};

#define AMD_TLB (S(TLB, HIT) | S(TLB, L1))
#define AMD_ROW(level, latency)                                                                    \
	{                                                                                          \
		LOAD_HIT | S(LVL, level) | S(LVLNUM, level) | AMD_TLB,                             \
			STORE_HIT | S(LVL, level) | S(LVLNUM, level) | AMD_TLB, latency            \
	}
#define AMD_FAR_ROW(bits, latency)                                                                 \
	{                                                                                          \
		LOAD_HIT | (bits) | AMD_TLB, S(OP, STORE) | S(LVL, NA) | S(LVLNUM, NA) | AMD_TLB,  \
			latency                                                                    \
	}
#define AMD_NEAR_ROWS                                                                              \
	AMD_ROW(L1, 0), AMD_ROW(L1, 0), AMD_ROW(L1, 0), AMD_ROW(L1, 0), AMD_ROW(L1, 0),            \
		AMD_ROW(L1, 0), AMD_ROW(L1, 0), AMD_ROW(L1, 0), AMD_ROW(L2, 14), AMD_ROW(L2, 15),  \
		AMD_ROW(L2, 130)

static const struct source amd_zen2[SOURCES] = {
	AMD_NEAR_ROWS,
	AMD_FAR_ROW(S(LVL, L3) | S(LVL, REM_CCE1) | S(LVLNUM, ANY_CACHE), 60),
	AMD_FAR_ROW(S(LVL, L3) | S(LVL, REM_CCE1) | S(LVLNUM, ANY_CACHE), 150),
	AMD_FAR_ROW(S(LVL, L3) | S(LVL, REM_CCE1) | S(LVLNUM, ANY_CACHE) | S(SNOOP, HITM), 180),
	AMD_FAR_ROW(LOCAL_RAM, 400),
	AMD_FAR_ROW(S(LVL, REM_RAM1) | S(LVLNUM, RAM) | REMOTE | S(HOPS, 1), 700),
};

static const struct source amd_zen4[SOURCES] = {
	AMD_NEAR_ROWS,
	AMD_FAR_ROW(S(LVL, L3) | S(LVLNUM, L3), 60),
	AMD_FAR_ROW(S(LVL, REM_CCE1) | S(LVLNUM, ANY_CACHE) | REMOTE | S(HOPS, 0), 150),
	AMD_FAR_ROW(S(LVL, L3) | S(LVLNUM, L3) | S(SNOOP, HITM), 180),
	AMD_FAR_ROW(LOCAL_RAM, 400),
	AMD_FAR_ROW(S(LVL, REM_CCE2) | S(LVLNUM, ANY_CACHE) | REMOTE | S(HOPS, 1) | S(SNOOP, HITM),
		    700),
};

/* ---- files ---- */

#define FILES(name, ...) static const char *const name[] = { __VA_ARGS__, NULL }

FILES(intel_core, "format/event=config:0-7", "format/edge=config:18", "format/pc=config:19",
      "format/inv=config:23", "format/cmask=config:24-31", "format/offcore_rsp=config1:0-63",
      "format/ldlat=config1:0-15", "caps/max_precise=3", "caps/branches=32");
FILES(umask, "format/umask=config:8-15");
FILES(umask2, "format/umask=config:8-15,40-47", "format/eq=config:36");
FILES(any, "format/any=config:21");
FILES(big_format, "format/frontend=config1:0-23");
FILES(snoop, "format/snoop_rsp=config1:0-63");
FILES(tsx, "format/in_tx=config:32", "format/in_tx_cp=config:33",
      "events/tx-start=event=0xc9,umask=0x1", "events/tx-commit=event=0xc9,umask=0x2",
      "events/tx-abort=event=0xc9,umask=0x4", "events/cycles-t=event=0x3c,in_tx=1",
      "events/cycles-ct=event=0x3c,in_tx=1,in_tx_cp=1");
FILES(generic, "events/cpu-cycles=event=0x3c", "events/instructions=event=0xc0",
      "events/cache-references=event=0x2e,umask=0x4f", "events/cache-misses=event=0x2e,umask=0x41",
      "events/branch-instructions=event=0xc4", "events/branch-misses=event=0xc5",
      "events/bus-cycles=event=0x3c,umask=0x1", "events/ref-cycles=event=0x00,umask=0x3");
FILES(loads, "events/mem-loads=event=0xcd,umask=0x1,ldlat=3");
FILES(stores_haswell, "events/mem-stores=event=0xd0,umask=0x82");
FILES(stores, "events/mem-stores=event=0xcd,umask=0x2");
FILES(loads_aux, "events/mem-loads-aux=event=0x03,umask=0x82");
FILES(atom_memory, "events/mem-loads=event=0xd0,umask=0x5,ldlat=3",
      "events/mem-stores=event=0xd0,umask=0x6");
FILES(topdown, "events/slots=event=0x00,umask=0x4", "events/topdown-retiring=event=0x00,umask=0x80",
      "events/topdown-bad-spec=event=0x00,umask=0x81",
      "events/topdown-fe-bound=event=0x00,umask=0x82",
      "events/topdown-be-bound=event=0x00,umask=0x83");

FILES(amd_core, "format/event=config:0-7,32-35", "format/umask=config:8-15",
      "format/edge=config:18", "format/inv=config:23", "format/cmask=config:24-31",
      "caps/max_precise=0", "events/cpu-cycles=event=0x76", "events/instructions=event=0xc0",
      "events/cache-references=event=0x60,umask=0xff", "events/cache-misses=event=0x64,umask=0x09",
      "events/branch-instructions=event=0xc2", "events/branch-misses=event=0xc3",
      "events/stalled-cycles-frontend=event=0xa9");
FILES(amd_branches, "caps/branches=16");
FILES(ibs_op, "format/cnt_ctl=config:19", "format/swfilt=config2:0");
FILES(ibs_op_zen4, "format/l3missonly=config:16", "caps/zen4_ibs_extensions=1");
FILES(ibs_op_zen5, "format/ldlat=config1:0-11", "caps/ldlat=1", "caps/dtlb_pgsize=1");
FILES(ibs_op_zen6, "format/strmst=config1:12", "caps/strmst=1", "caps/rmtsocket=1");
FILES(ibs_fetch, "format/rand_en=config:57", "format/swfilt=config2:0");
FILES(ibs_fetch_zen4, "format/l3missonly=config:59", "caps/zen4_ibs_extensions=1");
FILES(ibs_fetch_zen6, "format/fetchlat=config1:0-10", "caps/fetchlat=1");

/* The name that caps/pmu_name has; on a hybrid machine all PMUs have it. */
#define PMU_NAME(name)                                                                             \
	(const char *const[])                                                                      \
	{                                                                                          \
		"caps/pmu_name=" name, NULL                                                        \
	}
#define HYBRID_BIG(name, loads_need_aux, data_sources, ...)                                        \
	{                                                                                          \
		"cpu_core", INTEL_CORE, XMM_REGISTERS | (loads_need_aux), "0-1", data_sources,     \
		{                                                                                  \
			intel_core, big_format, topdown, generic, loads, stores, PMU_NAME(name),   \
				__VA_ARGS__                                                        \
		}                                                                                  \
	}
#define HYBRID_SMALL(unit, name, cpus, ...)                                                        \
	{                                                                                          \
		unit, INTEL_CORE, XMM_REGISTERS, cpus, intel_atom,                                 \
		{                                                                                  \
			intel_core, generic, atom_memory, PMU_NAME(name), __VA_ARGS__              \
		}                                                                                  \
	}
#define AMD(core_flags, op_flags, data_sources, core_set, op_set, op_set5, op_set6, fetch_set,     \
	    fetch_set6)                                                                            \
	{                                                                                          \
		{ "cpu", AMD_CORE, core_flags, NULL, data_sources, { amd_core, core_set } },       \
			{ "ibs_op", AMD_IBS_OP,   op_flags,                                        \
			  NULL,     data_sources, { ibs_op, op_set, op_set5, op_set6 } },          \
		{                                                                                  \
			"ibs_fetch", AMD_IBS_FETCH, op_flags, NULL, data_sources,                  \
			{                                                                          \
				ibs_fetch, fetch_set, fetch_set6                                   \
			}                                                                          \
		}                                                                                  \
	}

FILES(spe, "format/ts_enable=config:0", "format/pa_enable=config:1", "format/pct_enable=config:2",
      "format/jitter=config:16", "format/branch_filter=config:32", "format/load_filter=config:33",
      "format/store_filter=config:34", "format/event_filter=config1:0-63",
      "format/min_latency=config2:0-11", "caps/arch_inst=0", "caps/ernd=0", "caps/count_size=12",
      "caps/min_interval=1024");

static const struct machine machines[] = {
	{ "skylake",
	  { { "cpu",
	      INTEL_CORE,
	      0,
	      NULL,
	      intel_client,
	      { intel_core, umask, any, big_format, tsx, generic, loads, stores_haswell,
		PMU_NAME("skylake") } } } },
	{ "icelake",
	  { { "cpu",
	      INTEL_CORE,
	      XMM_REGISTERS,
	      NULL,
	      intel_server,
	      { intel_core, umask, big_format, topdown, generic, loads, stores_haswell,
		PMU_NAME("icelake") } } } },
	{ "sapphirerapids",
	  { { "cpu",
	      INTEL_CORE,
	      XMM_REGISTERS | LOADS_NEED_AUX,
	      NULL,
	      intel_server,
	      { intel_core, umask, big_format, topdown, tsx, generic, loads, stores, loads_aux,
		PMU_NAME("sapphire_rapids") } } } },
	{ "graniterapids",
	  { { "cpu",
	      INTEL_CORE,
	      XMM_REGISTERS,
	      NULL,
	      intel_server,
	      { intel_core, umask, big_format, topdown, tsx, generic, loads, stores,
		PMU_NAME("granite_rapids") } } } },
	{ "alderlake",
	  { HYBRID_BIG("alderlake_hybrid", LOADS_NEED_AUX, intel_client, umask, loads_aux),
	    HYBRID_SMALL("cpu_atom", "alderlake_hybrid", "2-3", umask) } },
	{ "raptorlake",
	  { HYBRID_BIG("alderlake_hybrid", LOADS_NEED_AUX, intel_client, umask, loads_aux),
	    HYBRID_SMALL("cpu_atom", "alderlake_hybrid", "2-3", umask) } },
	{ "arrowlake_h",
	  { HYBRID_BIG("arrowlake_h_hybrid", 0, intel_lion_cove, umask2),
	    HYBRID_SMALL("cpu_atom", "arrowlake_h_hybrid", "2", umask2, snoop),
	    HYBRID_SMALL("cpu_lowpower", "arrowlake_h_hybrid", "3", umask, snoop) } },
	{ "lunarlake",
	  { HYBRID_BIG("lunarlake_hybrid", 0, intel_lion_cove, umask2),
	    HYBRID_SMALL("cpu_atom", "lunarlake_hybrid", "2-3", umask2, snoop) } },
	{ "pantherlake",
	  { HYBRID_BIG("pantherlake_hybrid", 0, intel_lion_cove, umask2),
	    HYBRID_SMALL("cpu_atom", "pantherlake_hybrid", "2-3", umask2, snoop) } },
	/* a core of this machine, beside which SPE is what matters */
	{ "neoverse",
	  { { "cpu", INTEL_CORE, 0, NULL, intel_server, { intel_core, umask, generic } },
	    { "arm_spe_0", ARM_SPE, 0, "0-3", intel_server, { spe } } } },
	{ "zen2", AMD(NO_BRANCHES, 0, amd_zen2, NULL, NULL, NULL, NULL, NULL, NULL) },
	{ "zen3", AMD(NO_BRANCHES, 0, amd_zen2, NULL, NULL, NULL, NULL, NULL, NULL) },
	{ "zen4", AMD(0, L3_MISS_ONLY, amd_zen4, amd_branches, ibs_op_zen4, NULL, NULL,
		      ibs_fetch_zen4, NULL) },
	{ "zen5", AMD(0, L3_MISS_ONLY | LATENCY_FILTER, amd_zen4, amd_branches, ibs_op_zen4,
		      ibs_op_zen5, NULL, ibs_fetch_zen4, NULL) },
	{ "zen6", AMD(0, L3_MISS_ONLY | LATENCY_FILTER | LEVEL_FILTER, amd_zen4, amd_branches,
		      ibs_op_zen4, ibs_op_zen5, ibs_op_zen6, ibs_fetch_zen4, ibs_fetch_zen6) },
};
