# The everyday commands. What every change must pass is .ci/run.

.PHONY: build test lint check

build:
	go build ./...

test: # without the further libraries and plugins
	go test ./...

lint: # what needs no tests
	.ci/run format vet staticcheck actions

check:
	.ci/run
