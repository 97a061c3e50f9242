package bridge

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Using what is closed is an error that errors.Is recognizes.
func TestErrClosed(t *testing.T) {
	ctx := t.Context()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2})
	check.NoError(t, err)
	register(t, "", func(*callbacks.Frame) error { return nil })
	source := Source(passthrough(t.Name(), "f32[2]->f32[2]", "tensor<2xf32>"))
	array := view(t, []float32{1, 2}, 2)
	buffer := func() *engine.Array { return check.Must(c.ArrayFromHost(ctx, array, 0)) }
	closed, donated, open := buffer(), buffer(), buffer()
	e, unused := check.Must(c.Compile(ctx, source, engine.CompileOptions{})),
		check.Must(c.Compile(ctx, source, engine.CompileOptions{}))
	for _, b := range check.Must(e.Run(ctx, engine.Donate(donated))) {
		check.NoError(t, b.Close())
	}
	check.NoError(t, closed.Close())
	check.NoError(t, unused.Close())

	type use struct {
		name string
		call func() error
	}
	test := func(uses []use) {
		t.Helper()
		for _, u := range uses {
			if err := u.call(); !errors.Is(err, ErrClosed) {
				t.Errorf("%s: got %v, want ErrClosed", u.name, err)
			}
		}
	}
	for name, b := range map[string]*engine.Array{"closed": closed, "donated": donated} {
		test([]use{
			{name + " ToHost", func() error { _, err := b.ToHost(ctx); return err }},
			{name + " CopyTo", func() error { return b.CopyTo(ctx, array) }},
			{name + " CopyToDevice", func() error { _, err := b.CopyToDevice(1); return err }},
			{name + " View", func() error { _, err := b.View(ctx); return err }},
			{name + " Share", func() error { _, err := b.Share(); return err }},
			{name + " MemorySpace", func() error { _, err := MemorySpace(b); return err }},
			{name + " Run", func() error { _, err := e.Run(ctx, b); return err }},
			{name + " Donate", func() error { _, err := e.Run(ctx, engine.Donate(b)); return err }},
			{name + " Take", func() error { _, err := engine.Donate(b).Take(); return err }},
		})
	}
	test([]use{
		{"executable Run", func() error { _, err := unused.Run(ctx, array); return err }},
		{"executable Start", func() error { _, err := unused.Start(ctx, array); return err }},
		{"executable Call", func() error { _, err := unused.Call(ctx, array); return err }},
		{"executable Serialize", func() error { _, err := unused.Serialize(); return err }},
	})
	check.NoError(t, c.Close())
	test([]use{
		{"client Compile", func() error { _, err := c.Compile(ctx, source, engine.CompileOptions{}); return err }},
		{"client Load", func() error { _, err := c.Load(ctx, []byte("saved")); return err }},
		{"client ArrayFromHost", func() error { _, err := c.ArrayFromHost(ctx, array, 0); return err }},
		{"client ArrayInSpace", func() error { _, err := c.ArrayInSpace(ctx, array, 0, "device"); return err }},
		{"client MemorySpaces", func() error { _, err := c.MemorySpaces(0); return err }},
		{"its buffer CopyToDevice", func() error { _, err := open.CopyToDevice(1); return err }},
		{"its executable Run", func() error { _, err := e.Run(ctx, array); return err }},
	})
	check.NoError(t, open.Close())
	check.NoError(t, e.Close())
}
