package mlirtest

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// EachContext runs a test in a new context of every engine of this build.
func EachContext(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	t.Helper()
	EachEngine(t, func(t *testing.T, e Engine) { test(t, ContextOf(t, e.Library)) })
}

// Type parses a type.
func Type(c *mlir.Context, text string) mlir.Type { return check.Must(c.ParseType(text)) }

// Types parses types.
func Types(c *mlir.Context, texts ...string) (types []mlir.Type) {
	for _, text := range texts {
		types = append(types, Type(c, text))
	}
	return types
}

// Attribute parses an attribute.
func Attribute(c *mlir.Context, text string) mlir.Attribute {
	return check.Must(c.ParseAttribute(text))
}

// Unsupported checks that the error matches mlir.ErrUnsupported.
func Unsupported(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, mlir.ErrUnsupported) {
		t.Errorf("the error is %v, want one that matches mlir.ErrUnsupported", err)
	}
}

// Supported checks that there is no error if the library has all functions, and that the error
// matches mlir.ErrUnsupported if it lacks one. It reports whether the library has them all.
func Supported(t testing.TB, l *mlir.Library, err error, functions ...string) bool {
	t.Helper()
	for _, f := range functions {
		if !l.Has(f) {
			Unsupported(t, err)
			return false
		}
	}
	check.NoError(t, err)
	return true
}
