// SPDX-License-Identifier: GPL-2.0-or-later
/* The languages of units, by DWARF's codes. */
#include <dwarf.h>

#include "dwarf/dwarf/unit.h"
#include "dwarf/types/language.h"

/* Codes of dwarfstd.org's list after DWARF 5, which dwarf.h of elfutils does not have yet. */
enum {
	LANG_ZIG = 0x27,
	LANG_CRYSTAL = 0x28,
	LANG_CXX_17 = 0x2a,
	LANG_CXX_20 = 0x2b,
	LANG_C17 = 0x2c,
	LANG_FORTRAN_18 = 0x2d,
	LANG_ADA_2005 = 0x2e,
	LANG_ADA_2012 = 0x2f,
	LANG_ASSEMBLY = 0x31,
	LANG_CXX_23 = 0x3a,
	LANG_C23 = 0x3e,
	LANG_FORTRAN_23 = 0x3f,
	LANG_ALGOL_68 = 0x44,
};

uint8_t unit_language(uint64_t code)
{
	switch (code) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
	case LANG_C23: return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CXX_17:
	case LANG_CXX_20:
	case LANG_CXX_23: return LANGUAGE_CXX;
	case DW_LANG_Rust: return LANGUAGE_RUST;
	case DW_LANG_Go: return LANGUAGE_GO;
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case LANG_FORTRAN_18:
	case LANG_FORTRAN_23: return LANGUAGE_FORTRAN;
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case LANG_ADA_2005:
	case LANG_ADA_2012: return LANGUAGE_ADA;
	case DW_LANG_Pascal83: return LANGUAGE_PASCAL;
	case DW_LANG_D: return LANGUAGE_D;
	case DW_LANG_Swift: return LANGUAGE_SWIFT;
	case DW_LANG_OCaml: return LANGUAGE_OCAML;
	case DW_LANG_Haskell: return LANGUAGE_HASKELL;
	case LANG_CRYSTAL: return LANGUAGE_CRYSTAL;
	case LANG_ZIG: return LANGUAGE_ZIG;
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus: return LANGUAGE_OBJECTIVE_C;
	case LANG_ALGOL_68: return LANGUAGE_ALGOL_68;
	case DW_LANG_Cobol74:
	case DW_LANG_Cobol85: return LANGUAGE_COBOL;
	case DW_LANG_Julia: return LANGUAGE_JULIA;
	case DW_LANG_Modula2:
	case DW_LANG_Modula3: return LANGUAGE_MODULA;
	case LANG_ASSEMBLY:
	case DW_LANG_Mips_Assembler: return LANGUAGE_ASSEMBLER;
	}
	return LANGUAGE_OTHER;
}

uint8_t unit_default_lower_bound(uint64_t code)
{
	switch (unit_language(code)) {
	case LANGUAGE_FORTRAN:
	case LANGUAGE_ADA:
	case LANGUAGE_PASCAL:
	case LANGUAGE_ALGOL_68:
	case LANGUAGE_COBOL:
	case LANGUAGE_JULIA:
	case LANGUAGE_MODULA: return 1;
	}
	return code == DW_LANG_PLI;
}
