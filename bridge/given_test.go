package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A method that is called on a zero value or a nil pointer says so.
func TestZeroValues(t *testing.T) {
	check.Receivers(t, "bridge: ",
		&BusyError{}, &Cache{}, &CacheOptions{}, &CacheStats{}, &CallSite{},
		&Client{}, &ClientOptions{}, &ClientStats{}, &engine.CompileOptions{}, &Executable{}, &FlagError{},
		&TargetError{}, &Info{}, &LayoutError{},
		&MemoryError{}, &MemoryUse{}, &OpenOptions{}, &Plugin{}, &PluginError{}, &Process{}, &Run{},
		&SavedError{}, &Sequence{}, &StallError{}, &UnsavableError{})

	ctx := t.Context()
	_, err := testPlugin(t).NewClient(ClientOptions{Cache: new(Cache)})
	check.Error(t, err, "the Cache is a zero value; give one of OpenCache")
	e := compile(t, testClient(t), mainFunc("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>"),
		engine.CompileOptions{})
	for _, in := range []engine.Input{nil, (*engine.Array)(nil), new(engine.Array), engine.Donation{},
		engine.Donate(new(engine.Array)), engine.Borrowed{}} {
		_, err := e.Run(WithSequence(ctx, new(Sequence)), in)
		check.Error(t, err, "input 0: ")
	}
	check.Panics(t, "bridge: Run.Wait called on a zero value", func() { _ = WaitAll(ctx, new(Run)) })
}
