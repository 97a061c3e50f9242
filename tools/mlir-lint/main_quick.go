//go:build !cgo

package main

import (
	"os"

	"github.com/calliope-mlir/calliope/lint/command"
)

func main() { os.Exit(command.QuickMain()) }
