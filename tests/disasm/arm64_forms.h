/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Forms of arm64's instructions that access memory, one of each: x0 has an address, x1 = 64 and
 * x5 = 0xffffffff00000040 are indexes, the other registers are data. FORM(before, instruction): the
 * instructions before it make its condition true.
 */
#define PLAIN(instruction) FORM("", instruction)

/* one register, all kinds of addresses */
#define ADDRESSES(load, reg, size)                                                                 \
	PLAIN(load " " reg ", [x0]")                                                               \
	PLAIN(load " " reg ", [x0, #" #size "]")                                                   \
	PLAIN(load " " reg ", [x0, #3 * " #size "]")                                               \
	PLAIN(load " " reg ", [x0, #2 * " #size "]!")                                              \
	PLAIN(load " " reg ", [x0, #-2 * " #size "]!")                                             \
	PLAIN(load " " reg ", [x0], #2 * " #size)                                                  \
	PLAIN(load " " reg ", [x0], #-2 * " #size)                                                 \
	PLAIN(load " " reg ", [x0, x1]")                                                           \
	PLAIN(load " " reg ", [x0, w5, uxtw]")                                                     \
	PLAIN(load " " reg ", [x0, w5, sxtw]")                                                     \
	PLAIN(load " " reg ", [x0, x1, sxtx]")

#define SHIFTED(load, reg, shift)                                                                  \
	PLAIN(load " " reg ", [x0, x1, lsl #" #shift "]")                                          \
	PLAIN(load " " reg ", [x0, w5, uxtw #" #shift "]")                                         \
	PLAIN(load " " reg ", [x0, w5, sxtw #" #shift "]")

#define UNSCALED(load, reg)                                                                        \
	PLAIN(load " " reg ", [x0, #-16]")                                                         \
	PLAIN(load " " reg ", [x0, #48]")

ADDRESSES("ldrb", "w2", 1)
ADDRESSES("strb", "w2", 1)
ADDRESSES("ldrsb", "x2", 1)
ADDRESSES("ldrsb", "w2", 1)
ADDRESSES("ldrh", "w2", 2)
ADDRESSES("strh", "w2", 2)
ADDRESSES("ldrsh", "x2", 2)
ADDRESSES("ldrsh", "w2", 2)
ADDRESSES("ldrsw", "x2", 4)
ADDRESSES("ldr", "w2", 4)
ADDRESSES("str", "w2", 4)
ADDRESSES("ldr", "x2", 8)
ADDRESSES("str", "x2", 8)
ADDRESSES("ldr", "b2", 1)
ADDRESSES("str", "b2", 1)
ADDRESSES("ldr", "h2", 2)
ADDRESSES("str", "h2", 2)
ADDRESSES("ldr", "s2", 4)
ADDRESSES("str", "s2", 4)
ADDRESSES("ldr", "d2", 8)
ADDRESSES("str", "d2", 8)
ADDRESSES("ldr", "q2", 16)
ADDRESSES("str", "q2", 16)
SHIFTED("ldrh", "w2", 1)
SHIFTED("ldrsw", "x2", 2)
SHIFTED("ldr", "w2", 2)
SHIFTED("str", "x2", 3)
SHIFTED("ldr", "s2", 2)
SHIFTED("str", "d2", 3)
SHIFTED("ldr", "q2", 4)
UNSCALED("ldur", "w2")
UNSCALED("stur", "x2")
UNSCALED("ldurb", "w2")
UNSCALED("ldursh", "x2")
UNSCALED("ldursw", "x2")
UNSCALED("stur", "q2")
UNSCALED("ldtr", "x2")
UNSCALED("sttrb", "w2")
UNSCALED("ldtrsw", "x2")
UNSCALED("ldapur", "x2")
UNSCALED("ldapursb", "w2")
UNSCALED("stlur", "w2")
UNSCALED("stlurh", "w2")

/* pairs */
#define PAIRS(load, regs, size)                                                                    \
	PLAIN(load " " regs ", [x0]")                                                              \
	PLAIN(load " " regs ", [x0, #3 * " #size "]")                                              \
	PLAIN(load " " regs ", [x0, #-2 * " #size "]!")                                            \
	PLAIN(load " " regs ", [x0], #4 * " #size)

PAIRS("ldp", "x2, x3", 8)
PAIRS("stp", "x2, x3", 8)
PAIRS("ldp", "w2, w3", 4)
PAIRS("stp", "w2, w3", 4)
PAIRS("ldpsw", "x2, x3", 4)
PAIRS("ldp", "s2, s3", 4)
PAIRS("stp", "d2, d3", 8)
PAIRS("ldp", "q2, q3", 16)
PAIRS("stp", "q2, q3", 16)
PLAIN("ldnp x2, x3, [x0, #32]")
PLAIN("stnp q2, q3, [x0, #-32]")
PLAIN("stp xzr, xzr, [x0, #16]")

/* exclusive and ordered accesses */
PLAIN("ldxrb w2, [x0]")
PLAIN("ldxrh w2, [x0]")
PLAIN("ldxr w2, [x0]")
PLAIN("ldaxr x2, [x0]")
PLAIN("ldxp x2, x3, [x0]")
PLAIN("ldaxp w2, w3, [x0]")
FORM("ldxrb w6, [x0]", "stxrb w4, w2, [x0]")
FORM("ldxrh w6, [x0]", "stlxrh w4, w2, [x0]")
FORM("ldxr w6, [x0]", "stxr w4, w2, [x0]")
FORM("ldxr x6, [x0]", "stlxr w4, x2, [x0]")
FORM("ldxp x6, x7, [x0]", "stxp w4, x2, x3, [x0]")
FORM("ldxp w6, w7, [x0]", "stlxp w4, w2, w3, [x0]")
PLAIN("ldar x2, [x0]")
PLAIN("ldarb w2, [x0]")
PLAIN("ldapr w2, [x0]")
PLAIN("ldaprh w2, [x0]")
PLAIN("stlr x2, [x0]")
PLAIN("stlrb w2, [x0]")

/* atomic operations */
PLAIN("ldadd x2, x3, [x0]")
PLAIN("ldaddal w2, w3, [x0]")
PLAIN("ldaddab w2, w3, [x0]")
PLAIN("ldclrh w2, w3, [x0]")
PLAIN("ldeor x2, x3, [x0]")
PLAIN("ldseta w2, w3, [x0]")
PLAIN("ldsmax x2, x3, [x0]")
PLAIN("ldumin w2, w3, [x0]")
PLAIN("stadd w2, [x0]")
PLAIN("stclr x2, [x0]")
PLAIN("swp x2, x3, [x0]")
PLAIN("swpalb w2, w3, [x0]")
FORM("ldr x2, [x0]", "cas x2, x3, [x0]")
FORM("ldr w2, [x0]", "casal w2, w3, [x0]")
FORM("ldrb w2, [x0]", "casab w2, w3, [x0]")
FORM("ldp x2, x3, [x0]", "caspal x2, x3, x6, x7, [x0]")
FORM("ldp w2, w3, [x0]", "casp w2, w3, w6, w7, [x0]")

/* vectors */
#define STRUCTURES(n, list, bytes)                                                                 \
	PLAIN("ld" n " " list ", [x0]")                                                            \
	PLAIN("st" n " " list ", [x0]")                                                            \
	PLAIN("ld" n " " list ", [x0], #" #bytes)                                                  \
	PLAIN("st" n " " list ", [x0], x1")

STRUCTURES("1", "{v2.16b}", 16)
STRUCTURES("1", "{v2.8b}", 8)
STRUCTURES("1", "{v2.4s, v3.4s}", 32)
STRUCTURES("1", "{v2.8h, v3.8h, v4.8h}", 48)
STRUCTURES("1", "{v2.2d, v3.2d, v4.2d, v5.2d}", 64)
STRUCTURES("2", "{v2.16b, v3.16b}", 32)
STRUCTURES("2", "{v2.4h, v3.4h}", 16)
STRUCTURES("3", "{v2.4s, v3.4s, v4.4s}", 48)
STRUCTURES("3", "{v2.8b, v3.8b, v4.8b}", 24)
STRUCTURES("4", "{v2.2d, v3.2d, v4.2d, v5.2d}", 64)
STRUCTURES("1", "{v2.b}[3]", 1)
STRUCTURES("1", "{v2.h}[2]", 2)
STRUCTURES("1", "{v2.s}[1]", 4)
STRUCTURES("1", "{v2.d}[1]", 8)
STRUCTURES("2", "{v2.s, v3.s}[1]", 8)
STRUCTURES("3", "{v2.h, v3.h, v4.h}[5]", 6)
STRUCTURES("4", "{v2.d, v3.d, v4.d, v5.d}[0]", 32)
PLAIN("ld1r {v2.4s}, [x0]")
PLAIN("ld1r {v2.8b}, [x0], #1")
PLAIN("ld2r {v2.2d, v3.2d}, [x0], #16")
PLAIN("ld3r {v2.4h, v3.4h, v4.4h}, [x0]")
PLAIN("ld4r {v2.4s, v3.4s, v4.4s, v5.4s}, [x0], x1")
#undef STRUCTURES
#undef PAIRS
#undef UNSCALED
#undef SHIFTED
#undef ADDRESSES
#undef PLAIN
