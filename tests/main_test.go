package tests

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// library is the default MLIR library, which TestMain fetches where it is missing.
var library *mlir.Library

func TestMain(m *testing.M) {
	if err := native.EnsureAll(context.Background(), native.EnsureOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var err error
	if library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
