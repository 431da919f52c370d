# The two commands of the README: make demo, make test. The rest is for
# people who change etrace.

GO ?= go

# Tests of laws draw the same cases each time, so that what is green stays green; make long draws
# others. RAPID_SEED=0 make test draws others, too.
export RAPID_SEED ?= 1

.PHONY: all build demo test race spark outside parquet man lint format bench costs fuzz long update clean

all: build

build:
	@echo "Building bin/etrace. The first time takes a minute or two: SQLite is compiled from its C source."
	$(GO) build -o bin/etrace ./cmd/etrace

# The lecture example, recorded, checked, counted and drawn into ./demo/.
demo: build
	@rm -rf demo && mkdir demo
	@cd demo && for command in record check stats "render --format svg --diagram sequence,ring"; do \
	  printf '\n$$ etrace %s\n' "$$command"; ../bin/etrace $$command || exit 1; \
	done
	@echo
	@echo "The run is in demo/trace.db; open demo/trace.sequence.svg and demo/trace.ring.svg in a browser."

test:
	$(GO) test -timeout 20m ./...

# Only what starts goroutines, or uses what does, can race. In short laws draw fewer cases, and what takes minutes on
# one goroutine is left out.
race:
	$(GO) test -race -short -timeout 20m $$(.ci/racing)

# cmd/etrace-spark on a cluster of this machine; installs Spark and Java, or says why it is skipped.
spark: build bin/etrace-parquet
	.ci/spark

.PHONY: bin/etrace-parquet
bin/etrace-parquet:
	$(GO) -C cmd/etrace-parquet build -o ../../$@ .

# cmd/etrace-parquet, a module of its own, since its library takes long to build.
parquet:
	cd cmd/etrace-parquet && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test ./...

# What a module of somebody else makes of etrace.
outside:
	cd fixtures/outside && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test ./...

# The manual pages, one for each command, in bin/man.
man:
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null) $(GO) -C cmd/etrace-man run . "$(CURDIR)/bin/man"

# Everything in here must print nothing.
lint:
	$(GO) vet ./...
	$(GO) -C fixtures/outside vet ./...
	$(GO) -C cmd/etrace-parquet vet ./...
	$(GO) tool -modfile=tools.mod staticcheck ./...
	$(GO) -C cmd/etrace-parquet tool -modfile=../../tools.mod staticcheck ./...
	@unformatted=$$($(GO) tool -modfile=tools.mod gofumpt -modpath etrace -l .); \
	  if [ -n "$$unformatted" ]; then echo "not formatted (make format):"; echo "$$unformatted"; exit 1; fi

format:
	$(GO) tool -modfile=tools.mod gofumpt -modpath etrace -w .

# Figures for ARCHITECTURE.md; ratios are measured side by side in one run.
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./tracefmt/tracedb
	$(GO) -C cmd/etrace-parquet test -run '^$$' -bench . -benchtime 1x ./parquetfile
	$(GO) test -run '^$$' -bench . ./record/... ./replay/... ./analyze/... ./tracefmt ./render ./tracefmt/interop
	$(GO) test -run '^$$' -bench 'BenchmarkPasses|BenchmarkRecord' -benchtime 1x ./fixtures/database

# The table of ARCHITECTURE.md of what each property costs, in half an hour.
costs:
	@ETRACE_COSTS=1 $(GO) test -count=1 -timeout 120m ./analyze/property -run 'TestCosts$$' -v | grep '^|'

# Ten thousand random fault plans, every writing command killed 200 times, faults
# put into the source, and the like.
long:
	ETRACE_LONG=1 RAPID_SEED=0 $(GO) test -count=1 -timeout 60m ./...

# Every fuzz target, a minute each.
fuzz:
	@grep -r --include='*_test.go' -o '^func Fuzz[A-Za-z0-9]*' . | sed 's,/[^/]*:func , ,' | sort | while read package target; do \
	  echo "$$package $$target"; \
	  $(GO) -C $$package test -run '^$$' -fuzz "^$$target\$$" -fuzztime 60s -fuzzminimizetime 1x . < /dev/null || exit 1; \
	done

# Rewrites every golden file.
update:
	ETRACE_UPDATE=1 $(GO) test -count=1 ./...

clean:
	rm -rf bin demo
