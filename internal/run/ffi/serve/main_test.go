package serve

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

var errSentinel = errors.New("the callback's own error")

// ways are the values of Dispatch for calls with results.
var ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}

// register binds fn to a name of the test until the test ends.
func register(t testing.TB, o callbacks.Options, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	check.NoError(t, callbacks.Default.Register(name, fn, o))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
	return name
}

// negate writes the negated operand to the result.
func negate(call *callbacks.Frame) error {
	in, err := tensor.Slice[float32](call.Args[0])
	if err != nil {
		return err
	}
	out, err := tensor.Slice[float32](call.Results[0])
	for i := range out {
		out[i] = -in[i]
	}
	return err
}
