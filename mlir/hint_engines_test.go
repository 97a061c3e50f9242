//go:build engines

package mlir_test

import (
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/native"
)

// TestHintIREE checks that files of another version of IREE than the library are said to be of one.
func TestHintIREE(t *testing.T) {
	engines := mlirtest.Engines(t)
	i := slices.IndexFunc(engines, func(e mlirtest.Engine) bool { return e.Name == native.IREE.String() })
	for _, text := range []string{
		"util.global private @x {inlining_policy = #util.inline.never} : i32",
		"func.func @f() { iree_codegen.no_such_operation }",
	} {
		_, err := mlirtest.ContextOf(t, engines[i].Library).Parse("x", []byte(text))
		check.Error(t, err, "the file may be of another version of IREE than the library")
	}
}
