// Command mlir-lint reports what is wrong or outdated in MLIR modules: text, bytecode
// and StableHLO portable artifacts. `mlir-lint -h` tells how it is used.
package main

import (
	"os"

	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/tools/mlir-lint/command"
)

func main() { os.Exit(command.Main(rules.All()...)) }
