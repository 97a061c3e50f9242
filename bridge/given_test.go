package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// A method that is called on a zero value or a nil pointer says so.
func TestZeroValues(t *testing.T) {
	check.Receivers(t, "bridge: ",
		&Borrowed{}, &Buffer{}, &BufferView{}, &BusyError{}, &Cache{}, &CacheOptions{}, &CacheStats{}, &CallSite{},
		&Client{}, &ClientOptions{}, &ClientStats{}, &CompileOptions{}, &Donation{}, &Executable{}, &FlagError{},
		&TargetError{}, &ForeignTarget{}, &Info{}, &InputCountError{}, &InputError{}, &LayoutError{}, &LoadedError{},
		&MemoryError{}, &MemoryUse{}, &OpenOptions{}, &PlatformError{}, &Plugin{}, &PluginError{}, &Process{}, &Run{},
		&SavedError{}, &Sequence{}, &SequenceError{}, &StallError{}, &UnsavableError{})

	ctx := t.Context()
	b := new(Buffer)
	check.Panics(t, "bridge: Buffer.ToHost called on a zero value: get one from a Client or Executable.Run",
		func() { _, _ = b.ToHost(ctx) })
	b = nil
	check.Panics(t, "bridge: Buffer.ToHost called on a nil pointer: check the error that was returned with it",
		func() { _, _ = b.ToHost(ctx) })
	check.Panics(t, "bridge: Buffer.Take called on a zero value", func() { _, _ = Donate(new(Buffer)).Take() })

	_, err := testPlugin(t).NewClient(ClientOptions{Cache: new(Cache)})
	check.Error(t, err, "the Cache is a zero value; give one of OpenCache")
	e := compile(t, testClient(t), mainFunc("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>"),
		CompileOptions{})
	for _, in := range []Input{nil, (*Buffer)(nil), new(Buffer), Donation{}, Donate(new(Buffer)), Borrowed{}} {
		_, err := e.Run(WithSequence(ctx, new(Sequence)), in)
		check.Error(t, err, "input 0: ")
	}
	check.Panics(t, "bridge: Run.Wait called on a zero value", func() { _ = WaitAll(ctx, new(Run)) })
}
