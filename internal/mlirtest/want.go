package mlirtest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/mlir"
)

// EachContext runs a test in a new context of every engine of this build.
func EachContext(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	t.Helper()
	EachEngine(t, func(t *testing.T, e Engine) { test(t, ContextOf(t, e.Library)) })
}

// Must is a value that a test cannot go on without.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Type parses a type.
func Type(c *mlir.Context, text string) mlir.Type { return Must(c.ParseType(text)) }

// Types parses types.
func Types(c *mlir.Context, texts ...string) (types []mlir.Type) {
	for _, text := range texts {
		types = append(types, Type(c, text))
	}
	return types
}

// Attribute parses an attribute.
func Attribute(c *mlir.Context, text string) mlir.Attribute { return Must(c.ParseAttribute(text)) }

// Same compares what a test wants with what it got.
func Same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Refused wants an error that says part.
func Refused(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("the error is %v, want it to say %q", err, part)
	}
}

// Unsupported wants an error that says that the library lacks something.
func Unsupported(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, mlir.ErrUnsupported) {
		t.Errorf("the error is %v, want one that matches mlir.ErrUnsupported", err)
	}
}

// Supported wants no error where the library has all functions, and one that matches
// mlir.ErrUnsupported where it lacks one. It reports whether it has them all.
func Supported(t testing.TB, l *mlir.Library, err error, functions ...string) bool {
	t.Helper()
	for _, f := range functions {
		if !l.Has(f) {
			Unsupported(t, err)
			return false
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// Panics wants f to panic with a sentence.
func Panics(t testing.TB, sentence string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.Contains(got, sentence) {
			t.Errorf("the panic is %q, want it to say %q", got, sentence)
		}
	}()
	f()
}
