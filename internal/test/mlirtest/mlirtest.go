// Package mlirtest provides the MLIR libraries that tests run on.
package mlirtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

var opened sync.Map // native.Part -> func() (*mlir.Library, error)

// openPart opens a part once. It fetches it if it is missing.
func openPart(part native.Part) (*mlir.Library, error) {
	open, _ := opened.LoadOrStore(part, sync.OnceValues(func() (*mlir.Library, error) {
		found, err := native.Ensure(context.Background(), part, native.EnsureOptions{})
		if err != nil {
			return nil, err
		}
		return mlir.Open(mlir.OpenOptions{Path: found.Path})
	}))
	return open.(func() (*mlir.Library, error))()
}

// Default returns the default library for examples, which have no testing.TB.
func Default() (*mlir.Library, error) { return openPart(native.MLIR) }

// Library returns the default library, and fetches it if it is missing. If that fails, the test
// fails with the command that fetches it.
func Library(t testing.TB) *mlir.Library {
	t.Helper()
	return library(t, native.MLIR)
}

func library(t testing.TB, part native.Part) *mlir.Library {
	t.Helper()
	l, err := openPart(part)
	check.NoError(t, err)
	return l
}

// LibraryFor returns the library that mlir.OpenFor opens for a module, and fetches it if it is
// missing.
func LibraryFor(t testing.TB, source []byte) *mlir.Library {
	t.Helper()
	l, err := mlir.OpenFor(source)
	if missing, ok := errors.AsType[*native.NotFoundError](err); ok {
		l, err = openPart(missing.Part)
	}
	check.NoError(t, err)
	if l.Path() == Library(t).Path() {
		return Library(t) // with what it has learned
	}
	return l
}

// Jaxlib returns the library that has the dialect mhlo, which the default one lacks.
func Jaxlib(t testing.TB) *mlir.Library {
	t.Helper()
	return library(t, native.Jaxlib)
}

// Context returns a new context of the default library, which is closed when the test ends.
func Context(t testing.TB) *mlir.Context {
	t.Helper()
	return ContextOf(t, Library(t))
}

// ContextOf returns a new context of a library, which is closed when the test ends.
func ContextOf(t testing.TB, l *mlir.Library) *mlir.Context {
	t.Helper()
	c := l.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, c)
	return c
}

// Parse parses a module. The context closes it.
func Parse(t testing.TB, c *mlir.Context, text string) *mlir.Module {
	t.Helper()
	m, err := c.Parse("test.mlir", []byte(text))
	check.NoError(t, err)
	return m
}

// Find returns the operations of a name in a module, in the order of its text.
func Find(m *mlir.Module, name string) (found []mlir.Operation) {
	m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
		if o.Name() == name {
			found = append(found, o)
		}
		return mlir.WalkContinue
	})
	return found
}

// Main is the TestMain of packages whose examples open the library themselves. It fetches the
// library first.
func Main(m *testing.M) {
	if _, err := openPart(native.MLIR); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
