# The front door: `make help` lists what there is. Everything runs on the Node that the project's own install brings.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -o pipefail -c
.PHONY: help install check format test manifests demo bench-annotator bench-dns bench-dns-loss bench-load-guard bench-rotation bench-restarts bench-webhook bench-soak chaos reliability-page tools bundle image clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: node_modules/.package-lock.json ## install the project's dependencies, Node 24 among them

node_modules/.package-lock.json: package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js with npm, any version from 20 on" >&2; exit 1; }
	npm ci --no-audit --no-fund --loglevel=error

check: install ## check types, lint and format
	npm run --silent check

format: install ## format the code and apply safe lint fixes
	npm run --silent format

# tests of these folders need none of the test cluster's programs
LIGHT := $(addsuffix /%,$(addprefix test/,annotator bench certs cli lib webhook))

test: check $(if $(filter-out $(LIGHT),$(or $(T),all)),tools) ## run all tests, or some: make test T=test/lib/zone.test.ts
	@mkdir -p build
	@echo "running $(if $(T),$(T),all tests: some twenty minutes); details go to build/test.tap"
	@npm test --silent -- --reporter=tap $(T) | tee build/test.tap \
	  | grep -E --line-buffered '^(not )?ok |^ +not ok |# SKIP|^# \{'

manifests: tools ## render what is installed without Helm from the chart
	npm run --silent manifests

demo: install ## see the whole system work: a real cluster of three zones, KEEP=1 leaves it up
	npm run --silent demo

bench-annotator: tools ## measure the annotator: 1,000 Services, 10,000 pods (ANNOTATOR_BENCH_SERVICES=100 for less)
	npm run --silent bench-annotator

bench-dns: tools ## measure resolvers settings: questions against reaction times, with real HAProxy and CoreDNS
	npm run --silent bench-dns

bench-dns-loss: tools ## measure how often HAProxy should ask again: reaction, questions, requests while the DNS loses answers
	npm run --silent bench-dns-loss

bench-load-guard: install ## simulate the load guard on a large cluster
	npm run --silent bench-load-guard

bench-rotation: tools ## renew certificates of a real cert-manager every 20 s under load (ROTATION_SECONDS)
	npm run --silent bench-rotation

bench-webhook: install ## measure the webhook beside a Go one (its source in the folder ZONEFIRST_PEER)
	npm run --silent bench-webhook

bench-restarts: install ## end pods in four ways under load, with zonefirst and without (RESTARTS_PAIRS, RESTARTS_SEED)
	npm run --silent bench-restarts

bench-soak: tools ## watch the webhook's memory under load for five minutes, or ZONEFIRST_SOAK_SECONDS
	npm run --silent bench-soak

chaos: tools ## put the system through every fault, or some: make chaos F=zone-lost,dns-down CHAOS_SEED=7
	CHAOS_FAULTS='$(F)' npm run --silent chaos

reliability-page: install ## write what make chaos found into docs/reliability.md
	npm run --silent reliability-page

tools: install ## build the test cluster's programs (minutes, once; test and demo do it by themselves)
	npm run --silent tools

bundle: install ## put the image's files together, in build/image
	npm run --silent bundle

IMAGE ?= zonefirst:dev
image: bundle ## build the image IMAGE; needs docker
	docker build build/image --file image/Dockerfile --tag $(IMAGE)

clean: ## remove what was built, the test cluster's programs too
	rm -rf build .cache .tap node_modules
