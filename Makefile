# The two commands of the README: make demo, make test. The rest is for
# people who change etrace.

GO ?= go

# Tests draw the same random cases each time, so that what is green stays green; make long draws others.
# RAPID_SEED=0 make test draws others, too.
export RAPID_SEED ?= 1

# SQLite is one C file, a quarter of the first build. At -O1 without debugging information gcc takes 17 CPU seconds for
# it, at cgo's own -O2 -g 44; the store is 1.05 to 1.10 times as slow. A release is built at -O2.
export CGO_CFLAGS ?= -O1 -g0

# Compilers and tests collect garbage a quarter as often: a seventh less CPU time, and 100 MB more for the largest package.
export GOGC ?= 400

# Test programs are linked without debugging information, which halves the time to link them. make lint runs vet.
TEST = $(GO) test -vet=off -ldflags=-w

.PHONY: gallery lab all build demo quick test race spark outside parquet mcp bubble man release release-check notice vuln lint format bench costs fuzz long update clean

all: build

build:
	@echo "Fetching modules."
	@$(GO) mod download
	@echo "Compiling bin/etrace: some 300 packages the first time, and SQLite, which is C and takes longest."
	$(GO) build -v -o bin/etrace ./cmd/etrace

# The lecture example, recorded, checked, counted and drawn into ./demo/.
demo: build
	@rm -rf demo && mkdir demo
	@cd demo && for command in record check stats "render --format svg --diagram sequence,ring"; do \
	  printf '\n$$ etrace %s\n' "$$command"; ../bin/etrace $$command || exit 1; \
	done
	@echo
	@echo "The run is in demo/trace.db; open demo/trace.sequence.svg and demo/trace.ring.svg in a browser."

# Three sizes: quick while you work, test before you commit, long at night. fixtures/size decides what each does.
quick:
	$(TEST) -short ./...

test:
	$(TEST) ./...
	@$(GO) run ./fixtures/size/samples

long:
	ETRACE_LONG=1 RAPID_SEED=0 RAPID_CHECKS=1000 $(TEST) -count=1 -timeout 3h ./...

# The packages that start goroutines, in short form.
race:
	packages=$$(.ci/racing) && $(GO) test -race -short $$packages

# cmd/etrace-spark on a cluster of this machine; installs Spark and Java, or says why it is skipped.
spark: build bin/etrace-parquet
	.ci/spark

.PHONY: bin/etrace-parquet
bin/etrace-parquet:
	$(GO) -C cmd/etrace-parquet build -o ../../$@ .

# cmd/etrace-parquet, a module of its own, since its library takes long to build.
parquet:
	cd cmd/etrace-parquet && $(GO) mod tidy -diff && $(GO) vet ./... && $(TEST) ./...

.PHONY: bin/etrace-mcp
bin/etrace-mcp:
	$(GO) -C cmd/etrace-mcp build -o ../../$@ .

# cmd/etrace-mcp, a module of its own, since etrace does not need its library.
mcp:
	cd cmd/etrace-mcp && $(GO) mod tidy -diff && $(GO) vet ./... && $(TEST) ./...

# What a module of somebody else makes of etrace, in a folder of its own that requires etrace as theirs would.
outside:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cp -R fixtures/outside/. "$$folder" && cd "$$folder" && \
	  set -x && $(GO) mod edit -replace etrace="$(CURDIR)" && $(GO) mod tidy -diff && $(GO) vet ./... && $(TEST) ./...

# Two Rafts that other people wrote, unmodified, in virtual time: a module of its own, which etrace does not depend on.
bubble:
	cd fixtures/bubble && $(GO) mod tidy -diff && $(GO) vet ./... && $(TEST) ./...

# The manual pages, one for each command, in bin/man.
man:
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null) $(GO) -C cmd/etrace-man run -trimpath . "$(CURDIR)/bin/man"

# The program that is published, without symbols, in bin/release. Its bytes depend on the commit, Go and
# the C compiler, not on the folder. The commit is passed: Go finds none in a work tree of git.
# The laboratory: a page that runs the simulator and the checker in a browser.
lab:
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags="-s -w" -o bin/etrace.wasm ./cmd/etrace-lab
	$(GO) run ./cmd/etrace-lab bin/etrace.wasm bin/lab.html

man release: export CGO_CFLAGS = -O2 -g0
release: lab
	cp bin/lab.html cmd/etrace/cli/lab.html
	$(GO) build -tags lab -trimpath -buildvcs=false -o bin/release/etrace \
	  -ldflags "-s -w -X etrace/cmd/etrace/cli.commit=$$(git describe --always --abbrev=40 --dirty --exclude '*')" ./cmd/etrace

# Two clones give the same program: builds it twice, once with an empty cache.
release-check:
	ETRACE_LONG=1 $(GO) test -count=1 -timeout 60m ./fixtures/house -run 'TestRelease$$'

# The licence texts of what the programs link, as a release must carry them: THIRD_PARTY.txt in docs, cmd/etrace-parquet
# and cmd/etrace-mcp.
notice:
	ETRACE_UPDATE=1 $(GO) test -count=1 -run 'TestThirdParty$$' ./fixtures/notice
	ETRACE_UPDATE=1 $(GO) -C cmd/etrace-parquet test -count=1 -run 'TestThirdParty$$' .
	ETRACE_UPDATE=1 $(GO) -C cmd/etrace-mcp test -count=1 -run 'TestThirdParty$$' .

# Known vulnerabilities in what the programs link; says so where the database of these cannot be reached.
vuln:
	@GO="$(GO)" .ci/vuln

# Everything in here must print nothing.
lint:
	$(GO) vet ./...
	$(GO) run ./fixtures/vet
	GOOS=windows CGO_ENABLED=0 $(GO) vet ./tracefmt/atomicfile ./tracefmt/textfile ./analyze/experiment/trial ./analyze/property/...
	$(GO) -C fixtures/outside vet ./...
	$(GO) -C cmd/etrace-parquet vet ./...
	$(GO) -C cmd/etrace-mcp vet ./...
	$(GO) -C fixtures/bubble vet ./...
	$(GO) -C cmd/etrace-man vet ./...
	$(GO) tool -modfile=tools.mod staticcheck ./...
	$(GO) -C cmd/etrace-parquet tool -modfile=../../tools.mod staticcheck ./...
	$(GO) -C cmd/etrace-mcp tool -modfile=../../tools.mod staticcheck ./...
	@unformatted=$$($(GO) tool -modfile=tools.mod gofumpt -modpath etrace -l .); \
	  if [ -n "$$unformatted" ]; then echo "not formatted (make format):"; echo "$$unformatted"; exit 1; fi

format:
	$(GO) tool -modfile=tools.mod gofumpt -modpath etrace -w .

# Figures for docs/performance.md; ratios are measured side by side in one run.
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./tracefmt/tracedb
	$(GO) -C cmd/etrace-parquet test -run '^$$' -bench . -benchtime 1x ./parquetfile
	$(GO) test -run '^$$' -bench . ./record/... ./replay/... ./analyze/... ./tracefmt ./render ./tracefmt/interop
	$(GO) test -run '^$$' -bench 'BenchmarkPasses|BenchmarkRecord' -benchtime 1x ./fixtures/database

# The table of docs/performance.md of what each property costs, in half an hour.
costs:
	@ETRACE_COSTS=1 $(GO) test -count=1 -timeout 120m ./analyze/property -run 'TestCosts$$' -v | grep '^|'

# Every fuzz target, a minute each.
fuzz:
	@grep -r --include='*_test.go' -o '^func Fuzz[A-Za-z0-9]*' . | sed 's,/[^/]*:func , ,' | sort | while read package target; do \
	  echo "$$package $$target"; \
	  $(GO) -C $$package test -run '^$$' -fuzz "^$$target\$$" -fuzztime 60s -fuzzminimizetime 1x . < /dev/null || exit 1; \
	done

gallery: # the pictures of docs/gallery.md; look at them
	ETRACE_UPDATE=1 $(GO) test -count=1 ./cmd/etrace/cli -run TestPages/gallery

# Rewrites every golden file.
update:
	ETRACE_UPDATE=1 $(GO) test -count=1 ./...

clean:
	rm -rf bin demo
