//go:build cgo

// Command mlir-lint reports errors and outdated operations in MLIR modules: text, bytecode
// and StableHLO portable artifacts. `mlir-lint -h` prints its usage. Built without cgo, it has
// only -quick.
package main

import (
	"os"

	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
)

func main() { os.Exit(command.Main(rules.All()...)) }
