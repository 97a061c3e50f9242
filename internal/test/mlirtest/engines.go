package mlirtest

import (
	"testing"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// An Engine is one of the libraries that the test suite runs on.
type Engine struct {
	Name    string
	Library *mlir.Library
}

// furtherEngines are empty without the build tag engines.
var furtherEngines []native.Part

// Engines returns the libraries that the tests of this build run on: the default one and, with
// the build tag engines, also IREE's, upstream LLVM 22 and jaxlib's.
func Engines(t testing.TB) []Engine {
	t.Helper()
	list := []Engine{{"default", Library(t)}}
	for _, part := range furtherEngines {
		list = append(list, Engine{part.String(), library(t, part)})
	}
	return list
}

// EachEngine runs a test on every engine of this build.
func EachEngine(t *testing.T, test func(t *testing.T, e Engine)) {
	t.Helper()
	for _, e := range Engines(t) {
		t.Run(e.Name, func(t *testing.T) { test(t, e) })
	}
}

// Upstream returns upstream LLVM 22, which has what the default library lacks: the execution
// engine, rewriting, most dialects. Only tests with the build tag engines may call it.
func Upstream(t testing.TB) *mlir.Library {
	t.Helper()
	return library(t, native.LLVM)
}
