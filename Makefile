# The daily tasks; `make help` lists them. CMake does the work (CMakePresets.json), this file only gives it short names.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SOURCES = git ls-files '*.cpp' '*.hpp'

COMPILE = cmake --build build --parallel $(JOBS)

.PHONY: build help packages developer-packages clang-packages solver-packages all demo test test-solvers bench asan tsan clang fuzz format format-check tidy \
        mutants verification install clean

build: packages build/build.ninja ## Build the command build/koppla and our FMUs in build/fmus (default)
	$(COMPILE) --target koppla koppla_fmus

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

packages: ## Install the Debian packages of packages.txt that are missing
	@scripts/packages

developer-packages:
	@scripts/packages --developer

clang-packages:
	@scripts/packages --clang

solver-packages:
	@scripts/packages --solvers

# Once; after that the build itself notices when CMake's files change.
build/build.ninja: CMakePresets.json packages.txt | packages
	cmake --preset release
	@touch $@

all: packages build/build.ninja
	$(COMPILE)

demo: build ## Run an example and plot its results
	@echo
	build/koppla run examples/math003/gauss-seidel.toml --folder build/demo --overwrite
	build/koppla plot build/demo part2.x3 part3.x4

test: all ## Build and run all tests
	@ctest --test-dir build --output-on-failure --parallel $(JOBS)

test-solvers: packages solver-packages build/build.ninja ## Install FreeFem++, ngspice, octave and run the examples that couple them
	$(COMPILE) --target koppla solvers_test
	@KOPPLA_NEED_SOLVERS=1 ctest --test-dir build --label-regex '^solvers$$' --output-on-failure

bench: packages build/build.ninja ## Measure what Koppla costs; one figure a line: name value unit
	@$(COMPILE) --target coupling_benchmark iteration_benchmark trajectory_benchmark csv_benchmark acceleration_benchmark \
	  chain_benchmark mapping_benchmark program_benchmark calibration_benchmark field_benchmark startup_benchmark >&2
	@build/benchmarks/coupling_benchmark
	@build/benchmarks/iteration_benchmark
	@build/benchmarks/trajectory_benchmark
	@build/benchmarks/csv_benchmark
	@build/benchmarks/acceleration_benchmark
	@build/benchmarks/chain_benchmark
	@build/benchmarks/mapping_benchmark
	@build/benchmarks/program_benchmark
	@build/benchmarks/calibration_benchmark
	@build/benchmarks/field_benchmark
	@build/benchmarks/startup_benchmark

# The search for leaks follows what the loader told of thread-local memory even where a closed library took it along, and
# crashes; the preset of the tests has it not listen (intercept_tls_get_addr).
asan tsan: packages
	cmake --preset $@
	cmake --build --preset $@ --parallel $(JOBS)
	@ctest --preset $@ --parallel $(JOBS)

asan: ## Run the tests under AddressSanitizer and UBSan
tsan: ## Run the tests under ThreadSanitizer

clang: packages clang-packages ## Build all with clang, whose warnings are errors too
	cmake --preset clang
	cmake --build --preset clang --parallel $(JOBS)

FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= archive description csv hdf5

# What libFuzzer finds interesting stays in the build folder; an input that crashes, hangs or breaks a promise goes to the
# corpus, which `make test` feeds to the same targets.
fuzz: packages clang-packages ## Feed damaged files to the readers, FUZZ_SECONDS (600) each (libFuzzer)
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS) --target $(FUZZ_TARGETS:%=fuzz_%)
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p build-fuzz/corpus/$$target && \
	  LSAN_OPTIONS=suppressions=fuzz/leaks.txt \
	  build-fuzz/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
	    -artifact_prefix=fuzz/corpus/$$target/ build-fuzz/corpus/$$target fuzz/corpus/$$target || exit 1; \
	done

format: developer-packages ## Lay out the code (clang-format)
	@$(SOURCES) | xargs clang-format -i

format-check: developer-packages ## Fail where the layout differs
	@$(SOURCES) | xargs clang-format --dry-run --Werror

# g++'s warning options are no mistakes only because clang does not know them; nor can it read g++'s precompiled headers,
# so it gets a configured folder without them.
tidy: packages developer-packages ## Look for mistakes (clang-tidy)
	@cmake --preset release -B build-tidy -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
	@git ls-files 'src/*.cpp' | xargs --max-procs $(JOBS) --max-args 4 \
	  clang-tidy -p build-tidy --quiet --extra-arg=-Wno-unknown-warning-option

# SEED chooses what is drawn, by default the present minute; not part of CI.
COUNT ?= 60
mutants: packages developer-packages ## Change single lines of src/ and look which test notices: SEED=1 COUNT=60
	@scripts/mutants $(if $(SEED),--seed $(SEED)) --count $(COUNT) --jobs $(JOBS)

verification: all ## Compare with the theory notes' requirements; writes docs/verification.md
	@scripts/verification build

install: all ## Install the command, the libraries and the headers below PREFIX
	cmake --install build --prefix "$(PREFIX)"

clean: ## Remove what was built
	rm -rf build build-debug build-asan build-tsan build-clang build-fuzz build-coverage build-tidy build-mutants
