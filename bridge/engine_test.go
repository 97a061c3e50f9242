package bridge

import (
	"context"
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// A program is a compiled module on any engine.
type program interface {
	Inputs() []tensor.Shape
	Outputs() []tensor.Shape
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
}

// A testEngine compiles the modules of tests that say what callbacks do wherever they are called from.
type testEngine struct {
	name string
	with func(t testing.TB, module string, names []string) (program, error) // with CompileOptions.JAXCallbacks
}

// compile compiles a module.
func (on testEngine) compile(t testing.TB, module string) program {
	return on.compileJAX(t, module, nil)
}

// compileJAX compiles a module whose calls of JAX the named callbacks serve.
func (on testEngine) compileJAX(t testing.TB, module string, names []string) program {
	t.Helper()
	p, err := on.with(t, module, names)
	if err != nil {
		t.Fatalf("%v\n%s", err, module)
	}
	return p
}

var engines = []testEngine{{"XLA", onXLA}, {"jit", onJIT}}

// onEngines runs a test on each engine.
func onEngines(t *testing.T, test func(t *testing.T, on testEngine)) {
	for _, on := range engines {
		t.Run(on.name, func(t *testing.T) { test(t, on) })
	}
}

func onXLA(t testing.TB, module string, names []string) (program, error) {
	t.Helper()
	e, err := testClient(t).Compile(t.Context(), Source(module), engine.CompileOptions{JAXCallbacks: names})
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	return e, nil
}

// sdy is what modules have of Shardy, which the library does not know. It has no meaning on one device.
var sdy = regexp.MustCompile(`(?m)^ *sdy\.mesh .*\n|, sdy\.sharding = #sdy\.sharding_per_value<\[[^}]*?\]>\]>`)

func onJIT(t testing.TB, module string, names []string) (program, error) {
	t.Helper()
	e, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), sdy.ReplaceAllString(module, "")),
		jit.Options{JAXCallbacks: names, Foreign: foreignOfTests()})
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	return e, nil
}

// result returns the elements of an array.
func result[T tensor.Element](t testing.TB, v tensor.View) []T {
	t.Helper()
	values, err := tensor.Slice[T](v)
	check.NoError(t, err)
	return values
}
