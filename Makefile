# Weft's build: GNU make and a C compiler. `make help` lists the targets.
#
# Everything is made under $(BUILD). Objects are position independent and serve both libraries.
# A change of compiler or flags rebuilds what it concerns, so variants may share a folder, but each
# keeps its own: make BUILD=build/asan SAN=address,undefined check

BUILD   ?= build
PREFIX  ?= /usr/local
SAN     ?=#              sanitizers, as -fsanitize= takes them
DEBUG   ?=#              1: no optimisation, assertions on
WERROR  ?= -Werror
T       ?=#              make test T=gemm runs only the tests with gemm in their name
ONLY    ?=#              make test ONLY=weft_gather runs only those whose source matches the pattern
QUICK   ?=#              1: make bench takes a minute, and its figures mean nothing
V       ?=#              1: show whole command lines
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS    ?= 2
TEST_TIMEOUT ?= 280

ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,clang)
endif

VERSION := $(shell sed -n 's/^\#define WEFT_VERSION  *"\([0-9.]*\)".*/\1/p' include/weft/weft.h)
MAJOR   := $(firstword $(subst ., ,$(VERSION)))

# Assertions are for debug and sanitizer builds. Sanitizers make gcc guess wrongly about what may be
# uninitialised or overflow, hence no -Werror there.
ifneq ($(SAN),)
MODE   := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all
WERROR :=
else ifneq ($(DEBUG),)
MODE   := -O0 -g3
else
MODE   := -O2 -DNDEBUG
SODEFS := -Wl,-z,defs
# What waits for files, or is asked once, is built for size: libweft.so stays below 3 MB.
SMALL  := src/train/% src/kern/% src/lm/% src/nn/% src/optim/%
endif

FLAGS := -std=c11 $(MODE) -fno-math-errno -fno-trapping-math -ffp-contract=off -fPIC \
	-fvisibility=hidden -Wall -Wextra -Wpedantic $(WERROR) -Iinclude -Isrc $(CFLAGS)
# Applications include headers of the command, tests those of any part, by their path.
FLAGS_apps  := -I.
FLAGS_tests := -Itests -I.
LIBS  := -lm -lpthread -ldl

SRC      := $(sort $(shell find src -name '*.c'))
CLI      := $(sort $(shell find cli apps -name '*.c'))
OBJ      := $(SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ  := $(CLI:%.c=$(BUILD)/obj/%.o)
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(sort $(wildcard examples/*.c)))

# What `check` builds and runs, by its sources: all, or those that match ONLY, with T in their name.
# tests/core/test_ops.c becomes $(BUILD)/tests/test_ops.
TESTS    := $(sort $(shell find tests -name 'test_*.c' -not -path 'tests/golden/*'))
SCRIPTS  := $(sort $(shell find tests -name 'test_*.sh'))
checked := $(sort $(TESTS) $(wildcard tests/fuzz/fuzz_*.c examples/*.c) $(if $(SAN),,$(SCRIPTS)))
checked := $(if $(ONLY),$(shell grep -lE '$(ONLY)' $(checked)),$(checked))
checked := $(foreach x,$(checked),$(if $(or $(if $(T),,all),$(findstring $(T),$(basename $(notdir $(x))))),$(x)))
program  = $(if $(filter %.sh,$(1)),$(1),$(BUILD)/$(or $(if $(filter tests/fuzz/%,$(1)),fuzz),$(firstword $(subst /, ,$(1))))/$(basename $(notdir $(1))))
CHECKED := $(foreach x,$(checked),$(call program,$(x)))

STATIC   := $(BUILD)/libweft.a
SHARED   := $(BUILD)/libweft.so
PROGRAM  := $(if $(CLI),$(BUILD)/weft)
PAGES    := $(if $(CLI),$(BUILD)/man/weft.1 $(BUILD)/completion/weft.bash)

say = $(if $(V),,@echo '  $(1)  $@';)

# Sub-makes use all cores unless the caller has said how many.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory

.PHONY: all demo check test test-long test-full test-slow test-clang test-asan test-tsan test-fuzz test-amalgamation \
	examples bench install uninstall amalgamation lines format format-check clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: $(STATIC) $(SHARED) $(PROGRAM) $(PAGES)

help:
	@echo 'make              build/libweft.a, build/libweft.so, build/weft, manual pages, completion'
	@echo 'make demo         build, train a small network; installs a compiler if there is none'
	@echo 'make test         set up, build, run all tests (T=part of a name, ONLY=pattern in the source)'
	@echo 'make test-long    slow tests, and the tests with clang, under sanitizers and as one file'
	@echo 'make test-full    every test in every build, slow variants too: an hour and more'
	@echo 'make bench        all benchmarks beside their peers, a quarter of an hour; writes docs/benchmarks.md'
	@echo 'make install      into PREFIX=$(PREFIX), under DESTDIR; make uninstall removes it'
	@echo 'make amalgamation build/weft.c and build/weft.h'
	@echo 'make lines        line counts, long files marked'
	@echo 'make format       clang-format on what it may touch; format-check only looks'
	@echo 'make clean        remove build/'
	@echo 'variables: CC BUILD SAN DEBUG V T ONLY QUICK CFLAGS LDFLAGS JOBS TEST_JOBS TEST_TIMEOUT PREFIX DESTDIR'

# Each of these files changes only with its text; what depends on that text depends on the file.
define note
	@mkdir -p $(@D)
	@printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' > $@
endef
$(BUILD)/flags: FORCE
	$(call note,$(CC) $(FLAGS) $(LDFLAGS) $(SMALL))
$(BUILD)/sources: FORCE
	$(call note,$(SRC) $(CLI))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc  )$(CC) $(FLAGS) $(FLAGS_$(firstword $(subst /, ,$*))) $(if $(filter $(SMALL),$*),-Os) $(CPPFLAGS) -MMD -MP -c $< -o $@

$(STATIC): $(OBJ) $(BUILD)/sources
	@rm -f $@
	$(call say,ar  )$(AR) rcs $@ $(OBJ)

$(SHARED).$(VERSION): $(OBJ) $(BUILD)/sources
	$(call say,link)$(CC) $(FLAGS) $(LDFLAGS) -shared -Wl,-soname,libweft.so.$(MAJOR) $(SODEFS) $(OBJ) $(LIBS) -o $@

$(SHARED): $(SHARED).$(VERSION)
	@ln -sf libweft.so.$(VERSION) $@.$(MAJOR)
	@ln -sf libweft.so.$(VERSION) $@

$(BUILD)/weft: $(CLI_OBJ) $(STATIC) $(BUILD)/sources
	$(call say,link)$(CC) $(FLAGS) $(LDFLAGS) $(CLI_OBJ) $(STATIC) $(LIBS) -o $@

# Manual pages and completion come from the program itself: weft.1, and weft-NAME.1 for each command;
# weft.bash, _weft (zsh) and weft.fish.
$(BUILD)/man/weft.1: $(BUILD)/weft
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call say,man )for name in $$($< help --names); do \
		$< help --man $$name > $(@D)/weft-$$name.1 || exit 1; done && $< help --man > $@
$(BUILD)/completion/weft.bash: $(BUILD)/weft
	@mkdir -p $(@D)
	$(call say,help)$< help --completion zsh > $(@D)/_weft && \
		$< help --completion fish > $(@D)/weft.fish && $< help --completion bash > $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/test.o $(STATIC)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(FLAGS) $(LDFLAGS) $(filter %.o,$^) $(STATIC) $(LIBS) -o $@
$(foreach x,$(TESTS),$(eval $(call program,$(x)): $(x:%.c=$(BUILD)/obj/%.o)))

# Fuzz targets with a driver of our own; test-fuzz links them with clang's.
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/fuzz/driver.o $(STATIC)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(FLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(STATIC)
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(FLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

examples: $(EXAMPLES)

# Needs a compiler and nothing else, and builds no more than the command.
demo:
	@tools/setup build
	@$(MAKE) $(PARALLEL) -s $(BUILD)/weft
	@$(BUILD)/weft demo

test:
	@tools/setup
	@$(MAKE) $(PARALLEL) check

# Running out of memory is an ordinary error of the library, so the sanitizers' allocators must
# allow it.
RUN_ENV = WEFT_BUILD=$(BUILD) WEFT_CC='$(CC)' UBSAN_OPTIONS=print_stacktrace=1 \
	ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1

# What `make test` does once the machine is set up.
check: $(STATIC) $(if $(SAN),,$(SHARED)) $(PROGRAM) $(filter $(BUILD)/%,$(CHECKED))
	@$(RUN_ENV) tools/runtests -j $(TEST_JOBS) -t $(TEST_TIMEOUT) $(CHECKED)

# What `make test` leaves out, each suite once in each build. Tests with a slow variant (asked for by
# WEFT_TEST_LONG, and by WEFT_TEST_LEARN if it trains for a minute) run it in the fastest build;
# ThreadSanitizer sees the tests that have threads; tests that compile plans also run on the device
# whose memory no pointer reaches. Every part runs, whatever failed before.
# make test-full runs every test in every build, slow variants too, and fuzzes for longer.
PARTS   = test-slow test-far test-clang test-asan test-tsan test-fuzz test-amalgamation
CHECK   = $(MAKE) $(PARALLEL) TEST_TIMEOUT=900
SLOW    ?= test_long\(|test_learn\(|WEFT_TEST_L
THREADS ?= thread|loader
PLANS   = weft_compile|weft_state_new|weft_open|one_graph\.h|models\.h|_world\.h
export SLOW THREADS
test-full: export WEFT_TEST_LONG = 1
test-full: export WEFT_FUZZ_SECONDS ?= 60
test-full: SLOW =
test-full: THREADS =
test-long test-full:
	@tools/setup
	+@MAKE='$(MAKE)' tools/test-long $(BUILD) $(PARTS)
test-slow:
	@WEFT_TEST_LONG=1 WEFT_TEST_LEARN=1 $(CHECK) ONLY='$(SLOW)' check
test-far: # what opens the CPU gets its arithmetic behind memory of its own (src/backend/far.c)
	@WEFT_DEVICE=far $(CHECK) ONLY='$(PLANS)' SCRIPTS= check
test-clang:
	@$(CHECK) BUILD=$(BUILD)/clang CC=clang check
test-asan:
	@$(CHECK) BUILD=$(BUILD)/asan SAN=address,undefined check
test-tsan:
	@$(CHECK) BUILD=$(BUILD)/tsan SAN=thread ONLY='$(THREADS)' check
test-fuzz:
	@$(CHECK) BUILD=$(BUILD)/clang CC=clang $(BUILD)/clang/libweft.a
	@$(RUN_ENV) tools/runtests -t 900 tests/fuzz/long_fuzz.sh
test-amalgamation: amalgamation
	@$(RUN_ENV) tools/runtests -t 900 tests/package/long_amalgamation.sh

# All suites beside their peers; the page is $(PAGE). QUICK=1 only shows that it works.
PAGE = $(if $(QUICK),$(BUILD)/benchmarks.md,docs/benchmarks.md)
bench: all
	@command -v python3 >/dev/null || { echo 'make bench: python3 writes the page; $(BUILD)/weft bench' \
		'measures without it' >&2; exit 1; }
	@tools/benchmarks --weft $(BUILD)/weft --out $(PAGE) --raw $(BUILD)/benchmarks.jsonl $(if $(QUICK),--quick)

amalgamation:
	@tools/amalgamate $(BUILD)

INSTALL ?= install
LDCONFIG ?= ldconfig
root    := $(DESTDIR)$(PREFIX)
# A library in a folder that the linker searches is found once its cache has been renewed.
REFRESH_LINKER = export PATH="$$PATH:/usr/sbin:/sbin"; $(LDCONFIG) 2>/dev/null
fill    := sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@MAJOR@|$(MAJOR)|'

install: all
	$(INSTALL) -d '$(root)/include/weft' '$(root)/lib/pkgconfig' '$(root)/lib/cmake/weft'
	$(INSTALL) -m 644 include/weft/*.h '$(root)/include/weft'
	$(INSTALL) -m 644 $(STATIC) '$(root)/lib'
	$(INSTALL) -m 755 $(SHARED).$(VERSION) '$(root)/lib'
	ln -sf libweft.so.$(VERSION) '$(root)/lib/libweft.so.$(MAJOR)'
	ln -sf libweft.so.$(MAJOR) '$(root)/lib/libweft.so'
	$(fill) tools/weft.pc.in > '$(root)/lib/pkgconfig/weft.pc'
	$(fill) tools/weft-config.cmake.in > '$(root)/lib/cmake/weft/weft-config.cmake'
	$(fill) tools/weft-config-version.cmake.in > '$(root)/lib/cmake/weft/weft-config-version.cmake'
ifneq ($(PROGRAM),)
	$(INSTALL) -d '$(root)/bin'
	$(INSTALL) -m 755 $(PROGRAM) '$(root)/bin'
	$(INSTALL) -d '$(root)/share/man/man1' '$(root)/share/bash-completion/completions' \
		'$(root)/share/zsh/site-functions' '$(root)/share/fish/vendor_completions.d'
	$(INSTALL) -m 644 $(BUILD)/man/*.1 '$(root)/share/man/man1'
	$(INSTALL) -m 644 $(BUILD)/completion/weft.bash \
		'$(root)/share/bash-completion/completions/weft'
	$(INSTALL) -m 644 $(BUILD)/completion/_weft '$(root)/share/zsh/site-functions'
	$(INSTALL) -m 644 $(BUILD)/completion/weft.fish '$(root)/share/fish/vendor_completions.d'
	$(INSTALL) -d '$(root)/share/weft/digits'
	$(INSTALL) -m 644 data/*.csv data/README.md '$(root)/share/weft'
	$(INSTALL) -m 644 data/digits/*.npz '$(root)/share/weft/digits'
endif
ifeq ($(DESTDIR),)
	@$(REFRESH_LINKER) && $(LDCONFIG) -p | grep -q '$(root)/lib/libweft.so' || \
		echo 'The dynamic linker does not find $(root)/lib yet: run ldconfig as root (the folder must' \
		'be named in /etc/ld.so.conf), or set LD_LIBRARY_PATH'
endif

# Removes what install has put there, and the folders that are Weft's own if nothing else is in them.
OWN_FOLDERS = include/weft lib/cmake/weft share/weft/digits share/weft
uninstall:
	cd '$(root)/' && rm -f include/weft/*.h lib/libweft.a lib/libweft.so lib/libweft.so.* \
		lib/pkgconfig/weft.pc lib/cmake/weft/*.cmake bin/weft share/man/man1/weft.1 \
		share/man/man1/weft-*.1 share/bash-completion/completions/weft \
		share/zsh/site-functions/_weft share/fish/vendor_completions.d/weft.fish \
		share/weft/*.csv share/weft/README.md share/weft/digits/*.npz
	@cd '$(root)/' && for folder in $(OWN_FOLDERS); do rmdir $$folder 2>/dev/null || true; done
ifeq ($(DESTDIR),)
	@$(REFRESH_LINKER) || true
endif

lines:
	@tools/lines

# Headers are laid out by hand, and golden texts are what a test compares with.
FORMATTED = $(shell find src cli apps tests examples -name '*.c' -not -path 'tests/golden/*')
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
