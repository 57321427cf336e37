# SPDX-License-Identifier: GPL-2.0-or-later
# Records of five languages, as gfortran 12, gnat 12, fpc 3.2 and LDC 1.30 describe them, one unit a language.
	.text
	.globl	nothing
nothing:
	ret

	.section .debug_abbrev,"",@progbits
abbreviations:
	.macro abbreviation code tag children attributes:vararg
	.uleb128 \code, \tag
	.byte \children
	.uleb128 \attributes, 0, 0
	.endm
	# forms: 8 string, 0xb data1, 5 data2, 0x13 ref4, 0x18 exprloc
	abbreviation 1, 0x11, 1, 0x13,0xb, 0x3,0x8                       # unit: language, name
	abbreviation 2, 0x24, 0, 0x3,0x8, 0xb,0xb, 0x3e,0xb              # base: name, size, encoding
	abbreviation 3, 0x13, 1, 0x3,0x8, 0xb,0xb                        # record: name, size
	abbreviation 4, 0x13, 1, 0x3,0x8, 0xb,0x18                       # record of a computed size
	abbreviation 5, 0xd, 0, 0x3,0x8, 0x49,0x13, 0x38,0xb             # member: name, type, place
	abbreviation 6, 0x1, 1, 0x49,0x13                                # array: element
	abbreviation 7, 0x21, 0, 0x2f,0xb                                # subrange: upper bound
	abbreviation 8, 0x21, 0, 0x2f,0x18                               # subrange: computed bound
	abbreviation 9, 0x1, 1, 0x49,0x13, 0x2e,0xb                      # array: bit stride
	abbreviation 10, 0x1, 1, 0x49,0x13, 0x51,0xb                     # array: byte stride
	abbreviation 11, 0x1, 1, 0x49,0x13, 0x50,0x18                    # array: data location
	abbreviation 12, 0x21, 0, 0x22,0x18, 0x2f,0x18, 0x51,0x18        # subrange of a descriptor
	abbreviation 13, 0xd, 0, 0x3,0x8, 0x49,0x13, 0x38,0x18           # member at a computed place
	abbreviation 14, 0x33, 1, 0x15,0x13                              # variant part: discriminant
	abbreviation 15, 0x19, 1, 0x16,0xb                               # variant: value
	abbreviation 16, 0xf, 0, 0xb,0xb, 0x49,0x13                      # pointer: size, target
	abbreviation 17, 0x12, 0, 0xb,0xb                                # string: size
	abbreviation 18, 0x20, 0, 0xb,0xb, 0x49,0x13                     # set: size, element
	abbreviation 19, 0x21, 0, 0x22,0xb, 0x2f,0xb, 0x49,0x13          # subrange of a type
	abbreviation 20, 0x13, 1, 0x3,0x8, 0xb,0xb, 0x88,0xb         # record: name, size, alignment
	.byte 0

	.macro unit language name
	.section .debug_info,"",@progbits
start\@:
	.set unit, start\@
	.long end\@ - begin\@
	.macro finish
	.byte 0
end\@:
	.purgem finish
	.endm
begin\@:
	.value 4
	.long abbreviations
	.byte 8
	.uleb128 1
	.byte \language
	.string "\name"
	.endm
	.macro expression bytes:vararg
	.uleb128 1f - 0f
0:	.byte \bytes
1:
	.endm

	# type particle; real(8) :: x(3); real(8), allocatable :: hist(:); integer(8) :: tag; character(12) :: name; end type
	unit 0xe "fortran.f90"
real = . - unit
	.uleb128 2
	.string "real(kind=8)"
	.byte 8, 4
three = . - unit
	.uleb128 6
	.long real
	.uleb128 7
	.byte 3, 0
name = . - unit
	.uleb128 17
	.byte 12
described = . - unit
	.uleb128 11
	.long real
	expression 0x97, 0x6
	.uleb128 12
	expression 0x97, 0x23, 48, 0x6
	expression 0x97, 0x23, 56, 0x6
	expression 0x97, 0x23, 40, 0x6, 0x97, 0x23, 32, 0x6, 0x1e
	.byte 0
	.uleb128 3
	.string "particle"
	.byte 108
	.uleb128 5
	.string "x"
	.long three
	.byte 0
	.uleb128 5
	.string "hist"
	.long described
	.byte 24
	.uleb128 5
	.string "tag"
	.long real
	.byte 88
	.uleb128 5
	.string "name"
	.long name
	.byte 96, 0
	finish

	# type Flags is record Set : Bits; Count : Integer; case Kind ... end; Tail : String (1 .. N); end
	unit 0xd "ada.adb"
boolean = . - unit
	.uleb128 2
	.string "boolean"
	.byte 1, 2
integer = . - unit
	.uleb128 2
	.string "integer"
	.byte 4, 5
bits = . - unit
	.uleb128 9
	.long boolean
	.byte 1
	.uleb128 7
	.byte 65, 0
text = . - unit
	.uleb128 6
	.long boolean
	.uleb128 8
	expression 0x97, 0x94, 4
	.byte 0
flags = . - unit
	.uleb128 4
	.string "pkg__flags"
	expression 0x97, 0x94, 4, 0x23, 23
	.uleb128 5
	.string "set"
	.long bits
	.byte 0
	.uleb128 5
	.string "count"
	.long integer
	.byte 12
	.uleb128 14
	.long flags
	.uleb128 15
	.byte 0
	.uleb128 5
	.string "low"
	.long integer
	.byte 16, 0
	.uleb128 15
	.byte 1
	.uleb128 5
	.string "high"
	.long boolean
	.byte 16, 0, 0
	.uleb128 5
	.string "text"
	.long text
	.byte 20
	.uleb128 13
	.string "tail"
	.long integer
	expression 0x97, 0x94, 4, 0x22
	.byte 0
many = . - unit
	.uleb128 10
	.long flags
	.byte 64
	.uleb128 7
	.byte 3, 0
	.uleb128 3
	.string "pkg__holder"
	.byte 200
	.uleb128 5
	.string "many"
	.long many
	.byte 0
	.uleb128 5
	.string "last"
	.long integer
	.byte 192, 0
	finish

	# record Name: string[15]; Code: Char; Used: set of Char; end
	unit 0x9 "pascal.pas"
char = . - unit
	.uleb128 2
	.string "Char"
	.byte 1, 8
short = . - unit
	.uleb128 6
	.long char
	.uleb128 8
	expression 0x97, 0x94, 1
	.byte 0
range = . - unit
	.uleb128 19
	.byte 0, 255
	.long char
used = . - unit
	.uleb128 18
	.byte 32
	.long range
	.uleb128 3
	.string "TPART"
	.byte 52
	.uleb128 5
	.string "Name"
	.long short
	.byte 0
	.uleb128 5
	.string "Code"
	.long char
	.byte 16
	.uleb128 5
	.string "Used"
	.long used
	.byte 20, 0
	# case Tag of 0: (Text: Name); 1: (First, Second: Char)
	.uleb128 3
	.string "TCASES"
	.byte 52
	.uleb128 5
	.string "Tag"
	.long char
	.byte 0
	.uleb128 5
	.string "Set"
	.long used
	.byte 4
	.uleb128 5
	.string "First"
	.long char
	.byte 4
	.uleb128 5
	.string "Second"
	.long char
	.byte 5
	.uleb128 5
	.string "Last"
	.long char
	.byte 36, 0
	# case Tag of 0: (Name: Char; Text: string[15]); 1: (Key: Char; Code, Mark: Char)
	.uleb128 3
	.string "TPAIRS"
	.byte 24
	.uleb128 5
	.string "Tag"
	.long char
	.byte 0
	.uleb128 5
	.string "Name"
	.long char
	.byte 4
	.uleb128 5
	.string "Text"
	.long short
	.byte 8
	.uleb128 5
	.string "Key"
	.long char
	.byte 4
	.uleb128 5
	.string "Code"
	.long char
	.byte 8
	.uleb128 5
	.string "Mark"
	.long char
	.byte 10, 0
	finish

	unit 0x13 "d.d"
long = . - unit
	.uleb128 2
	.string "long"
	.byte 8, 5
double = . - unit
	.uleb128 2
	.string "double"
	.byte 8, 4
	# union value { long i; double d; }
	.uleb128 3
	.string "value"
	.byte 8
	.uleb128 5
	.string "i"
	.long long
	.byte 0
	.uleb128 5
	.string "d"
	.long double
	.byte 0, 0
	finish

	unit 0xc "c.c"
byte = . - unit
	.uleb128 2
	.string "char"
	.byte 1, 6
four = . - unit
	.uleb128 6
	.long byte
	.uleb128 7
	.byte 3, 0
	.uleb128 3
	.string "plain"
	.byte 4
	.uleb128 5
	.string "four"
	.long four
	.byte 0, 0
	# a BOLT of 2022 writes pointers without a size
empty = . - unit
	.uleb128 16
	.byte 0
	.long byte
	.uleb128 3
	.string "pointing"
	.byte 16
	.uleb128 5
	.string "first"
	.long empty
	.byte 0
	.uleb128 5
	.string "second"
	.long empty
	.byte 8, 0
	finish
	# mode Node = struct (int key, real cost, long long int weight, bool live, [2] bool marks); gcc 16 knows no names
	unit 0x44 "algol.a68"
signed = . - unit
	.uleb128 2
	.string "__unknown__"
	.byte 4, 5
float = . - unit
	.uleb128 2
	.string "__unknown__"
	.byte 4, 4
wide = . - unit
	.uleb128 2
	.string "__unknown__"
	.byte 8, 5
truth = . - unit
	.uleb128 2
	.string "__unknown__"
	.byte 1, 2
marks = . - unit
	.uleb128 6
	.long truth
	.uleb128 7
	.byte 2, 0
	.uleb128 3
	.string "NODE"
	.byte 32
	.uleb128 5
	.string "key"
	.long signed
	.byte 0
	.uleb128 5
	.string "cost"
	.long float
	.byte 4
	.uleb128 5
	.string "weight"
	.long wide
	.byte 8
	.uleb128 5
	.string "live"
	.long truth
	.byte 16
	.uleb128 5
	.string "marks"
	.long marks
	.byte 17, 0
	finish

	# struct Colour; @red, @green, @blue : Int32; end; struct Wide; @x, @y : Int64; end
	# class Dot; @number : Int32, @colour : Colour, @wide : Wide; end
	unit 0x28 "crystal.cr"
number = . - unit
	.uleb128 2
	.string "Int32"
	.byte 4, 5
colour = . - unit
	.uleb128 20
	.string "Colour"
	.byte 12, 12
	.uleb128 5
	.string "red"
	.long number
	.byte 0
	.uleb128 5
	.string "green"
	.long number
	.byte 4
	.uleb128 5
	.string "blue"
	.long number
	.byte 8, 0
long = . - unit
	.uleb128 2
	.string "Int64"
	.byte 8, 5
vast = . - unit
	.uleb128 20
	.string "Wide"
	.byte 16, 16
	.uleb128 5
	.string "x"
	.long long
	.byte 0
	.uleb128 5
	.string "y"
	.long long
	.byte 8, 0
	.uleb128 20
	.string "Dot"
	.byte 40, 40
	.uleb128 5
	.string "number"
	.long number
	.byte 4
	.uleb128 5
	.string "colour"
	.long colour
	.byte 8
	.uleb128 5
	.string "wide"
	.long vast
	.byte 24, 0
	finish
	.section .note.GNU-stack,"",@progbits
