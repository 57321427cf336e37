# SPDX-License-Identifier: GPL-2.0-or-later
# dtprof: build. First cut; see `make help` once the set-up is whole.
BUILD   ?= build
CC      ?= gcc
CFLAGS  ?= -O2 -g
PKGS    := libdw libelf capstone libtraceevent libzstd libbpf
CPPFLAGS += -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PKGS))
ALL_CFLAGS := -std=gnu11 -Wall -Wextra $(CFLAGS) $(if $(SAN),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer)
comma := ,
LDLIBS  += $(shell pkg-config --libs $(PKGS)) -lpthread
SRCS    := $(filter-out profiler/main.c,$(wildcard profiler/*.c profiler/*/*.c report/*.c annotate/*.c disasm/*.c dwarf/*.c))
OBJS    := $(SRCS:%.c=$(BUILD)/%.o)

all: $(BUILD)/libdtprof.a
$(BUILD)/libdtprof.a: $(OBJS)
	rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
-include $(OBJS:.o=.d)
