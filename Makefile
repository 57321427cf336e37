# SPDX-License-Identifier: GPL-2.0-or-later
#
# dtprof's build. `make help` lists the targets and the variables.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
# -mtune: for the generic processor, gcc copies some hundred bytes with string instructions, which start slowly on
# all processors in use. The program still runs on any x86-64.
TUNE    := $(if $(filter x86_64,$(shell uname -m)),-mtune=skylake)
CFLAGS  ?= -O3 $(TUNE) -g
JOBS    ?= $(shell nproc)
POINTS  ?=
T       ?= 60
SUITE   ?= bookworm
ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,$(if $(shell command -v clang),clang,gcc))
endif
VERSION := 0.1

# Builds with other flags have directories of their own. VARIANT is for `make fuzz` only.
VARIANT := $(if $(SAN),$(if $(filter thread,$(SAN)),tsan,san))
OUT     := $(BUILD)$(addprefix /,$(VARIANT))

# Parts of the system. `make` says which package is missing (tests/setup/needs.sh), so pkg-config may fail in silence.
MODULES := libdw libelf libbpf capstone libtraceevent libzstd zlib liblzma libprotobuf-c ncursesw sqlite3
module   = $(shell pkg-config $(1) $(2) 2>/dev/null)

# libperf: the system's, else built from the kernel's sources.
ifneq ($(shell pkg-config --exists libperf 2>/dev/null && echo yes),)
LIBPERF_CPPFLAGS := $(call module,--cflags,libperf)
LIBPERF_LIBS     := $(call module,--libs,libperf)
LIBPERF          :=
else
LIBPERF_CPPFLAGS := -isystem $(BUILD)/libperf/include
LIBPERF_LIBS     := $(BUILD)/libperf/lib/libperf.a $(BUILD)/libperf/lib/libapi.a
LIBPERF          := $(BUILD)/libperf/lib/libperf.a
endif

comma        := ,
SAN_FLAGS    := -fsanitize=$(if $(filter thread,$(SAN)),thread,address$(comma)undefined -fno-sanitize-recover=undefined) -fno-omit-frame-pointer
# dtprof reads files that others made, often as root, so it is built hardened (tests/whole/test_hardening.sh reads the
# result). A compiler that lacks an option goes without it. The C library's checks need optimization, and the address
# sanitizer has its own.
accepts       = $(shell echo 'int main(void) { return 0; }' | $(CC) -Werror $(1) -xc - -o /dev/null 2>/dev/null && echo '$(1)')
FORTIFY      := $(if $(SAN)$(findstring FORTIFY,$(CPPFLAGS) $(CFLAGS))$(filter fuzz,$(VARIANT))$(filter -O0,$(CFLAGS)),,$(if \
		$(filter -O%,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDENING    := -fPIE $(call accepts,-fstack-protector-strong) $(call accepts,-fcf-protection)
HARDENED_LINK := -pie $(call accepts,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
# capstone is loaded when an instruction needs it (disasm/capstone.h); a static program has it from the start.
STATIC       := $(filter -static%,$(LDFLAGS))
LINKED       := $(if $(STATIC),$(MODULES),$(filter-out capstone,$(MODULES)))
ALL_CPPFLAGS := $(FORTIFY) $(if $(STATIC),-DCAPSTONE_LINKED) -I. -D_GNU_SOURCE -DDTPROF_VERSION='"$(VERSION)"' $(call module,--cflags,$(MODULES)) \
		$(LIBPERF_CPPFLAGS) $(CPPFLAGS)
# From version 15 on, gcc clears only the member of a union that is initialized; bpf(2) refuses attributes whose rest is not 0.
CLEAR_UNIONS := $(call accepts,-fzero-init-padding-bits=unions)
ALL_CFLAGS   := -std=gnu11 -Wall -Wextra -Wformat-security $(if $(WERROR),-Werror) $(HARDENING) $(CLEAR_UNIONS) $(CFLAGS) $(if $(SAN),$(SAN_FLAGS)) -pthread
ALL_LDFLAGS  := $(HARDENED_LINK) -Wl,--as-needed $(LDFLAGS)
ALL_LDLIBS   := $(LIBPERF_LIBS) $(call module,--libs $(if $(STATIC),--static),$(LINKED)) -liberty -lm -ldl $(LDLIBS)
CMOCKA_LIBS  := $(or $(call module,--libs,cmocka),-lcmocka)

# Rooms may have folders of any depth.
ROOMS    := base profiler report annotate disasm dwarf
SOURCES  := $(filter-out profiler/main.c,$(sort $(shell find $(ROOMS) -name '*.c')))
HEADERS  := $(sort $(shell find $(ROOMS) tests/support -name '*.h'))
PROTOCOLS := $(sort $(shell find $(ROOMS) -name '*.proto'))
GENERATED := $(PROTOCOLS:%.proto=$(OUT)/generated/%.pb-c.c)
OBJECTS  := $(SOURCES:%.c=$(OUT)/%.o) $(GENERATED:%.c=%.o)
LIBRARY  := $(OUT)/libdtprof.a
PROGRAM  := $(OUT)/dtprof
SUPPORT_OBJECTS := $(patsubst %.c,$(OUT)/%.o,$(sort $(shell find tests/support -name '*.c')))
SUPPORT  := $(OUT)/libsupport.a
TESTS    := $(patsubst %.c,$(OUT)/%,$(sort $(shell find tests -name 'test_*.c')))
SCRIPTS  := $(sort $(shell find tests -name 'test_*.sh'))
FUZZ     := $(patsubst %.c,$(OUT)/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCH    := $(patsubst %.c,$(OUT)/%,$(wildcard tests/bench/*.c))
PAGES    := $(wildcard Documentation/*.1)

# The program has the files of the engine optimized together: 2.5 % fewer instructions for half a minute of building,
# with -O3 alone. Tests link them one by one. clang cannot write such an object.
JOINS    := $(if $(filter -O3,$(CFLAGS)),$(if $(VARIANT),,$(call accepts,-Wno-error -flto -flinker-output=nolto-rel -r)))
JOINED   := $(if $(JOINS),$(patsubst %.c,$(OUT)/joined/%.o,$(filter annotate/% base/% disasm/% dwarf/%,$(SOURCES))))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)
# A plain `make check` uses all processors; one that was given -j keeps to it.
submake = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: all install plugin check check-root demo bench damage inject guest fuzz format lint lint-house clean help FORCE
.PHONY: build-check build-inject run-inject build-guest run-guest build-bench build-damage build-fuzz run-check run-demo run-bench run-damage run-fuzz run-lint
.DELETE_ON_ERROR:

all: $(PROGRAM)

help:
	@echo 'Targets:'
	@echo '  all       build $(BUILD)/dtprof; name the packages that are missing'
	@echo '  demo      install what is missing, build, record a workload, show its types'
	@echo '  check     install what is missing, build, run the tests'
	@echo '  check-root  the same and demo, on the commit, in a minimal Debian SUITE=$(SUITE) that debootstrap makes (root)'
	@echo '  install   install into $$(DESTDIR)$$(PREFIX), which is $(DESTDIR)$(PREFIX)'
	@echo '  plugin    build dtprof-gcc, and the plugin of PLUGIN_CC=gcc that records what the compiler knows of each access'
	@echo '  bench     measure time and memory of dtprof, and of perf if there is one (PERF=program: compare tables, too)'
	@echo '  damage    show what is printed for real perf.data files that are truncated or have bytes changed'
	@echo '  inject    let allocations and system calls fail (POINTS=N: at N points of each command), and judge what follows'
	@echo '  guest     record with dtprof and with PERF=program in virtual machines that have the PMUs of real ones'
	@echo '  fuzz      run libFuzzer on each target for T=$(T) seconds'
	@echo '  format    lay the sources out with clang-format'
	@echo '  lint      check the house rules (tests/lint); run cppcheck, clang-tidy and clang-format'
	@echo '  clean     remove $(BUILD)'
	@echo 'Variables:'
	@echo '  BUILD=DIR CC=gcc|clang CFLAGS= CPPFLAGS= LDFLAGS= PREFIX= DESTDIR='
	@echo '  SAN=1     use the address and undefined behaviour sanitizers, and build in $(BUILD)/san'
	@echo '  SAN=thread  use the thread sanitizer, and build in $(BUILD)/tsan'
	@echo '  WERROR=1  make warnings errors'
	@echo '  INSTALL=no  check, demo ...: only name the packages that are missing'
	@echo '  V=1       show the commands'
	@echo '  ONLY=TEXT check, fuzz: run only programs whose path contains TEXT'
	@echo '  JOBS=N    check: run N tests at a time (default: one for each processor)'
	@echo '  REPEAT=N  check: run each test program N times, to find tests that fail by chance'

# ---- the program

$(PROGRAM): $(OUT)/profiler/main.o $(if $(JOINS),$(OUT)/joined.o) $(LIBRARY)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(LIBRARY): $(OBJECTS) $(OUT)/objects
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(OBJECTS)

$(SUPPORT): $(SUPPORT_OBJECTS) $(OUT)/objects
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(SUPPORT_OBJECTS)

$(OUT)/%.o: %.c $(OUT)/flags | $(OUT)/needs $(LIBPERF)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/joined/%.o: %.c $(OUT)/flags | $(OUT)/needs
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -flto -MMD -MP -c $< -o $@
$(OUT)/joined.o: $(JOINED) $(OUT)/objects
	$(call say,JOIN,$@)$(CC) $(ALL_CFLAGS) -w -flto=$(JOBS) -flinker-output=nolto-rel -r -o $@ $(JOINED)

# Written only if the text changes, so that its dependents are rebuilt for other flags, another compiler or a removed file.
define remember
	@mkdir -p $(@D)
	$(file >$@.new,$(1))@cmp -s $@.new $@ || cp $@.new $@; rm -f $@.new
endef
# Messages of Protocol Buffers: protoc-c makes the code that packs them.
$(OUT)/generated/%.pb-c.c: %.proto | $(OUT)/needs
	@mkdir -p $(@D)
	$(call say,PROTOC,$@)protoc-c --proto_path=. --c_out=$(OUT)/generated $<
$(OUT)/generated/%.o: $(OUT)/generated/%.c
	$(call say,CC,$@)$(CC) $(ALL_CPPFLAGS) -I$(OUT)/generated $(ALL_CFLAGS) -c $< -o $@
$(OUT)/report/export/%.o: ALL_CPPFLAGS += -I$(OUT)/generated/report/export
$(OUT)/report/export/pprof.o: $(OUT)/generated/report/export/profile.pb-c.c
$(OUT)/report/export/otlp.o: $(OUT)/generated/report/export/otlp.pb-c.c
# The assembler includes the page's sources, which -MMD does not see.
$(OUT)/report/html/html_page.o: report/html/page.html report/html/page.css $(wildcard report/html/*.js)
$(OUT)/flags: FORCE | $(OUT)/needs
	$(call remember,$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS))
$(OUT)/objects: FORCE | $(OUT)/needs
	$(call remember,$(OBJECTS) $(SUPPORT_OBJECTS))

$(OUT)/needs: tests/setup/needs.sh
	@mkdir -p $(@D)
	@CC='$(CC)' BUILD='$(BUILD)' tests/setup/needs.sh build
	@touch $@

ifneq ($(LIBPERF),)
$(LIBPERF): tests/setup/libperf.sh | $(OUT)/needs
	@CC='$(CC)' tests/setup/libperf.sh $(BUILD)/libperf
endif

# ---- the plugin of gcc for exact mode (Documentation/exact.md), by the compiler's version

PLUGIN_CC  ?= gcc
# A plugin of a cross compiler is built by a compiler for this machine: PLUGIN_CXX=g++.
PLUGIN_CXX ?= $(subst gcc,g++,$(PLUGIN_CC))
PLUGIN_DIR  = $(BUILD)/plugin/$(shell $(PLUGIN_CC) -dumpversion | cut -d. -f1)
plugin:
	@headers=$$($(PLUGIN_CC) -print-file-name=plugin)/include; [ -f "$$headers/gcc-plugin.h" ] || { \
		echo "no plugin headers of $(PLUGIN_CC): install gcc-$$($(PLUGIN_CC) -dumpversion | cut -d. -f1)-plugin-dev" >&2; exit 1; }
	@mkdir -p $(PLUGIN_DIR)
	$(call say,CXX,$(PLUGIN_DIR)/dtprof_exact.so)$(PLUGIN_CXX) -std=gnu++17 -O2 -fPIC -shared -fno-rtti -Wall -Wextra \
		-isystem "$$($(PLUGIN_CC) -print-file-name=plugin)/include" annotate/exact/plugin/dtprof_exact.cc \
		-o $(PLUGIN_DIR)/dtprof_exact.so
	@install -m 755 annotate/exact/plugin/dtprof-gcc $(BUILD)/dtprof-gcc && ln -sf dtprof-gcc $(BUILD)/dtprof-g++

install: all
	[ ! -f '$(BUILD)/dtprof-gcc' ] || { cd '$(BUILD)' && for each in plugin/*/dtprof_exact.so; do \
		install -D -m 755 "$$each" '$(abspath $(DESTDIR)$(PREFIX))/lib/dtprof/'"$$each"; done && \
		install -D -m 755 dtprof-gcc '$(abspath $(DESTDIR)$(PREFIX))/bin/dtprof-gcc' && \
		ln -sf dtprof-gcc '$(abspath $(DESTDIR)$(PREFIX))/bin/dtprof-g++'; }
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/dtprof'
	install -m 644 $(PAGES) '$(DESTDIR)$(PREFIX)/share/man/man1/'
	install -D -m 644 completion/dtprof.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/dtprof'
	install -D -m 644 completion/_dtprof '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_dtprof'

# ---- tests

# It needs only the build, so it runs before clang-tidy and cppcheck, and also without them.
lint: lint-house
# It asks objects for names of symbols alone: those that were built with other flags will do.
built_otherwise = $(and $(wildcard $(PROGRAM)),$(subst x$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)x,,x$(file <$(OUT)/flags)x))
lint-house: $(if $(built_otherwise),,all)
	tests/lint/dependencies.sh '$(OUT)'
	tests/lint/opens.sh
	tests/lint/prints.sh
	tests/lint/options.sh '$(OUT)'
	tests/lint/reads.sh
	tests/lint/recursion.sh
	tests/lint/picture.sh --check

# Installs what is missing, then runs make again, which sees what was installed.
check demo bench damage inject guest fuzz lint:
	@CC='$(CC)' BUILD='$(BUILD)' tests/setup/needs.sh $@ $(if $(filter no,$(INSTALL)),,--install)
	+@$(submake) build-$@
	+@$(MAKE) --no-print-directory run-$@

# The commit, as on a new machine: `make demo` and `make check` in a minimal Debian.
check-root:
	@tests/setup/root.sh '$(SUITE)'

# Only the programs that ONLY chooses: linking all of them takes minutes.
chosen = $(if $(ONLY),$(foreach program,$(1),$(if $(findstring $(ONLY),$(program)),$(program))),$(1))
# Scripts run these.
build-check: all $(OUT)/tests/annotate/test_cases $(OUT)/tests/report/test_html_pack
build-check: $(call chosen,$(TESTS) $(FUZZ)) $(OUT)/tests/inject/faults.so $(OUT)/tests/inject/slow_threads.so
run-check:
	@OUT='$(OUT)' BUILD='$(BUILD)' CC='$(CC)' CPPFLAGS='$(subst ','\'',$(ALL_CPPFLAGS))' DTPROF='$(abspath $(PROGRAM))' HEADERS='$(HEADERS)' \
		JOBS='$(JOBS)' ONLY='$(ONLY)' REPEAT='$(REPEAT)' EMULATOR='$(EMULATOR)' tests/run.sh $(TESTS) $(SCRIPTS) $(FUZZ)

$(TESTS): $(OUT)/%: $(OUT)/%.o $(OUT)/tests/support/line_buffered.o $(SUPPORT) $(LIBRARY)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) $(ALL_LDLIBS)

# Without a fuzzer: the same entry points over files.
$(FUZZ): $(OUT)/%: $(OUT)/%.o $(if $(filter fuzz,$(VARIANT)),,$(OUT)/tests/fuzz/driver.o) $(LIBRARY)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(FUZZ_LDFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
build-fuzz:
	+@$(submake) VARIANT=fuzz SAN= CC=clang CFLAGS='$(FUZZ_FLAGS)' FUZZ_LDFLAGS=-fsanitize=fuzzer build-fuzz-programs
build-fuzz-programs: $(FUZZ)
# Random bytes find opcodes as fast as traced comparisons do, and a decoder only compares.
ifeq ($(VARIANT),fuzz)
$(OUT)/disasm/%.o $(OUT)/tests/fuzz/fuzz_decoder.o: ALL_CFLAGS += -fno-sanitize-coverage=trace-cmp
endif
run-fuzz:
	@tests/fuzz/run.sh '$(BUILD)/fuzz' '$(T)' '$(ONLY)'

# Faults in allocations and system calls, and threads in another order: tests/inject.
$(OUT)/tests/inject/%.so: tests/inject/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -O1 -Wall -Wextra -shared -fPIC -o $@ $< -ldl
build-inject: all $(OUT)/tests/inject/faults.so
run-inject:
	@tests/inject/inject.py --dtprof '$(PROGRAM)' --preload '$(OUT)/tests/inject/faults.so' $(if $(POINTS),--points $(POINTS)) \
		--only '$(ONLY)' --show

# Virtual machines with the PMUs of real ones: tests/guest. PERF is an ELF file, in PERF_ROOT if that is given.
build-guest: all
run-guest:
	@JOBS='$(JOBS)' tests/guest/guest.sh '$(PROGRAM)' '$(OUT)/guest' '$(PERF)' '$(PERF_ROOT)' $(MACHINES)

build-bench: all $(BENCH)
run-bench:
	@OUT='$(OUT)' DTPROF='$(abspath $(PROGRAM))' PERF='$(PERF)' tests/bench/bench.sh
	@[ -z '$(PERF)' ] || DTPROF='$(abspath $(PROGRAM))' PERF='$(PERF)' tests/bench/compare_perf.sh

build-damage: build-bench
run-damage:
	@OUT='$(OUT)' DTPROF='$(abspath $(PROGRAM))' PERF='$(PERF)' tests/bench/damage.sh

$(BENCH): $(OUT)/%: $(OUT)/%.o $(SUPPORT) $(LIBRARY)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

build-demo: all
run-demo:
	@OUT='$(OUT)' CC='$(CC)' DTPROF='$(PROGRAM)' tests/workloads/demo.sh

# ---- the sources themselves

# Tests name the lines of workloads, which therefore stay where they are.
OWN_C = $(shell git ls-files '*.c' '*.h' | grep -v '^tests/workloads/')
format:
	clang-format -i $(OWN_C)

build-lint: $(OUT)/needs $(LIBPERF) $(GENERATED)
run-lint:
	cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,performance,portability \
		--suppressions-list=.cppcheck -I. -D_GNU_SOURCE -D__x86_64__ -DDTPROF_VERSION='"$(VERSION)"' \
		-j$(JOBS) $(SOURCES) profiler/main.c
	printf '%s\n' $(SOURCES) profiler/main.c | xargs -P$(JOBS) -n4 \
		sh -c 'clang-tidy --quiet --warnings-as-errors="*" "$$@" -- -include tests/lint/analyzed.h -std=gnu11 $(subst ','\'',$(ALL_CPPFLAGS)) \
		-I$(OUT)/generated/report/export' tidy
	clang-format --dry-run --Werror $(OWN_C)

clean:
	rm -rf '$(BUILD)'

-include $(OBJECTS:.o=.d) $(JOINED:.o=.d) $(SUPPORT_OBJECTS:.o=.d) $(OUT)/profiler/main.d $(addsuffix .d,$(TESTS) $(FUZZ) $(BENCH))
