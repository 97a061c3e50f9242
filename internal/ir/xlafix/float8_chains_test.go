package xlafix_test

import (
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestSplitFloat8s splits a chain of fifteen operations once.
func TestSplitFloat8s(t *testing.T) {
	m := parse(t, string(check.Must(os.ReadFile("../../../tests/deviations/testdata/float8-chain.mlir"))))
	for _, want := range []int{7, 0} {
		n, err := xlafix.SplitFloat8s(m)
		check.NoError(t, err)
		check.Diff(t, "barriers", want, n)
	}
}
