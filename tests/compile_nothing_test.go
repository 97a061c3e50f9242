package tests

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// calledNames counts calls by name.
type calledNames struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *calledNames) function(name string) callbacks.Func {
	return func(*callbacks.Frame) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n[name]++
		return nil
	}
}

// take is what was called since the last time.
func (c *calledNames) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = map[string]int{}
	return n
}

// TestCompileCallsNothing holds that a function is called by runs and by nothing else: not
// while the module is built and verified, not by preflight, not while XLA compiles the
// module and binds its calls, whatever the form of the call, its dispatch and how it is
// bound. The arguments of some are constants, which XLA folds where it can.
func TestCompileCallsNothing(t *testing.T) {
	called := &calledNames{n: map[string]int{}}
	want := map[string]int{}
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()

	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	b := builder.New(ctx, builder.Options{Overlap: true})
	shape := tensor.ShapeOf(tensor.F32, 3)
	f := b.Func("main", shape)
	var results []builder.Value
	// call builds a call of a form, of the parameter or of a constant.
	call := func(form contract.Form, cb builder.Callback, constant bool) {
		x := f.Param(0)
		if constant {
			x = f.Constant(tensor.Vector[float32](1, 2, 3))
		}
		switch form {
		case contract.Passthrough:
			results = append(results, builder.Passthrough(builder.Neg(x), cb))
		case contract.Observe:
			builder.Tap(x, cb)
		case contract.Call:
			results = append(results, builder.RuntimeCall(x, x, cb))
		case contract.Pure:
			results = append(results, builder.PureCall(x, x, cb))
		}
	}
	forms := []contract.Form{contract.Passthrough, contract.Observe, contract.Call, contract.Pure}
	for _, dispatch := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		for _, form := range forms {
			if dispatch == callbacks.Async && form.Target() == contract.TargetRuntimeCall {
				continue // refused
			}
			for _, constant := range []bool{false, true} {
				name := fmt.Sprint(form, " ", dispatch, " of a constant: ", constant)
				want[name] = 1
				if err := registry.Register(name, called.function(name), callbacks.Options{Dispatch: dispatch}); err !=
					nil {
					t.Fatal(err)
				}
				call(form, builder.Callback{Name: name, Registry: registry.Name()}, constant)
			}
			name := fmt.Sprint(form, " ", dispatch, " by id")
			want[name] = 1
			id, err := callbacks.Default.RegisterFunc(called.function(name), callbacks.Options{Dispatch: dispatch})
			check.NoError(t, err)
			defer callbacks.Default.UnregisterID(id)
			call(form, builder.Callback{ID: id}, true)
			// What names its function in an operand looks it up when it is called.
			if form == contract.Call {
				want[name]++
				call(form, builder.Callback{ID: id, Host: contract.Host{Encoding: contract.EncodingOperand}}, true)
			}
			// Words do not say whether they pass through, and results would have to wait.
			if form == contract.Call || form == contract.Passthrough && dispatch != callbacks.Async {
				opaque := callbacks.OpaqueID{ID: name, Server: "s"}
				name += ", opaque"
				want[name] = 2
				if err := callbacks.RegisterOpaque(opaque, called.function(name),
					callbacks.Options{Dispatch: dispatch}); err != nil {
					t.Fatal(err)
				}
				defer callbacks.UnregisterOpaque(opaque)
				for _, encoding := range []contract.Encoding{contract.EncodingWords, contract.EncodingServer} {
					call(form, builder.Callback{
						Host: contract.Host{Encoding: encoding, Opaque: opaque.ID, Server: opaque.Server}}, true)
				}
			}
		}
	}
	f.Return(results...)
	m, err := b.Module()
	check.NoError(t, err)
	nothing := func(when string) {
		t.Helper()
		if diff := cmp.Diff(map[string]int{}, called.take()); diff != "" {
			t.Errorf("called %s (-want +got):\n%s", when, diff)
		}
	}
	nothing("while the module was built")
	check.NoError(t, preflight.Check(m, preflight.Options{}))
	preflight.Waits(m, preflight.Options{})
	nothing("by preflight")
	client := newClient(t, 0)
	var executables []*bridge.Executable
	for range 2 {
		e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
		check.NoError(t, err)
		executables = append(executables, e)
		check.NoError(t, client.Barrier(t.Context(), ""))
		nothing("while the module was compiled")
	}
	ours := func(s callbacks.Stat) bool { return s.Registry == registry.Name() && s.Fired > 0 }
	if stats := callbacks.Stats(); slices.ContainsFunc(stats, ours) {
		t.Errorf("calls were counted: %v", stats)
	}
	for range 2 {
		outputs, err := executables[0].Run(t.Context(), tensor.Vector[float32](1, 2, 3))
		check.NoError(t, err)
		for _, o := range outputs {
			check.Report(t, o.Close())
		}
		check.NoError(t, client.Barrier(t.Context(), ""))
		if diff := cmp.Diff(want, called.take()); diff != "" {
			t.Errorf("calls of one run (-want +got):\n%s", diff)
		}
	}
	for _, e := range executables {
		check.Report(t, e.Close())
	}
	nothing("when the executables were closed")
}
