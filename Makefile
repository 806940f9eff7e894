# Lane's chores: `make help` lists them. Every target works as an ordinary user; only .ci/deps may need root.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

VERSION := $(shell cat VERSION)
COMMIT := $(shell git -c safe.directory='*' describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || echo unknown)
LDFLAGS := -X main.version=$(VERSION) -X main.commit=$(COMMIT)
FUZZTIME ?= 20s

# The commit goes in by LDFLAGS: Go's own stamp fails in a checkout that belongs to someone else. What the caller's
# shell says about git or Go workspaces must not reach the tests.
export GOFLAGS := -buildvcs=false
export GOWORK := off
unexport GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY

.PHONY: build demo examples test unit real long nix-current bench lint fuzz vendorhash clean help

build: ## build bin/lane
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/lane ./cmd/lane

demo: ## install what is missing, build, and check the good Go change of examples/
	@.ci/deps demo
	@$(MAKE) build
	@./examples/run go/good

examples: ## the same for every example
	@.ci/deps examples
	@$(MAKE) build
	@./examples/run

test: ## install what is missing and run everything: lint, unit tests, then real Nix, git and boxes
	@.ci/deps test
	@$(MAKE) lint
	@$(MAKE) unit
	@$(MAKE) real

unit: ## tests that need nothing but Go
	go test $$(.ci/packages unit)

real: ## tests that start Nix, git, boxes or the built command
	go test -count=1 -timeout=90m $$(.ci/packages real)

long: ## ten runs of each suite that is known to be stable, where make test has three
	@.ci/deps test
	LANE_LONG=1 go test -count=1 -timeout=90m -run='Stable|OtherNodeProjects' ./lane

nix-current: ## tests that call Nix, with a current release of it: Debian's newest, or NIX=/path/to/nix
	@.ci/nix-current

bench: ## the bars of docs/design.md, measured on this machine
	@.ci/deps bench
	go test -run='^$$' -bench=. -timeout=30m $$(go list ./...)

lint: ## gofmt, go vet, staticcheck, shell syntax, vendorHash
	@go list -f '{{$$dir := .Dir}}{{range .GoFiles}}{{$$dir}}/{{.}} {{end}}{{range .TestGoFiles}}{{$$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$dir}}/{{.}} {{end}}{{range .IgnoredGoFiles}}{{$$dir}}/{{.}} {{end}}' ./... \
		| xargs gofmt -l | { ! grep . || { echo 'lint: run gofmt -w on the files above' >&2; exit 1; }; }
	go vet ./...
	GOOS=darwin go vet ./...
	go tool -modfile=.ci/tools/go.mod staticcheck ./...
	@for script in .ci/apiserver .ci/deps .ci/nix-current .ci/packages .ci/run examples/run; do bash -n "$$script"; done
	go run ./nix/vendorhash --check

fuzz: ## run every fuzz target for FUZZTIME (20s) each
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "$$package"; \
		done; \
	done

vendorhash: ## after a change of go.mod: write the new vendorHash to nix/hashes.json
	go run ./nix/vendorhash --update

clean: ## remove what `make build` made
	rm -rf bin

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
