package execution_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestExecutionMissing checks the error of a library without an execution engine, or without
// LLVM's own C API.
func TestExecutionMissing(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		m := mlirtest.Parse(t, mlirtest.ContextOf(t, e.Library), "module {}")
		engine, err := execution.New(m, execution.Options{})
		_, textErr := m.LLVMIR()
		if e.Library.Has("mlirExecutionEngineLookupPacked") {
			if err != nil || textErr != nil {
				t.Fatal(err, textErr)
			}
			engine.Close()
			return
		}
		for _, err := range []error{err, textErr} {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("the error is %v, want ErrUnsupported", err)
			}
		}
	})
}
