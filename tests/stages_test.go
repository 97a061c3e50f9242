package tests

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// notCut are the modules of the corpus that stages cannot have, with the reason.
var notCut = map[string]string{
	"hook_2024_tuple_shape.mlir":    "a value of type tuple<tensor<4xf32>> would cross",
	"jax0430_callbacks.mlir":        "has the address of a Python object",
	"jit_named_sharding_gspmd.mlir": "partition",
	"shard_map_psum_sdy.mlir":       "partition",
}

// A stagedCorpus serves all callbacks of the corpus with one function.
type stagedCorpus struct {
	jax     []string
	foreign []callbacks.ForeignTarget
	names   []string // of the callbacks

	mu    sync.Mutex
	calls []string
}

// serve computes results that depend on all operands, and logs the operands.
func (s *stagedCorpus) serve(f *callbacks.Frame) error {
	s.mu.Lock()
	s.calls = append(s.calls, fmt.Sprint(f.Name, " ", f.Attributes, shapesOf(f.Args)))
	s.mu.Unlock()
	sum := 0.0
	for _, a := range f.Args {
		for i := range a.Shape.NumElements() {
			sum += asFloat(a.At(i)) / float64(1+a.Shape.NumElements())
		}
	}
	for k, r := range f.Results {
		for i := range r.Shape.NumElements() {
			setNumber(r, i, math.Floor(math.Mod(sum, 16))+float64(k)+float64(i%3))
		}
	}
	return nil
}

func shapesOf(views []tensor.View) (list []string) {
	for _, v := range views {
		list = append(list, v.Shape.String())
	}
	return list
}

// asFloat returns an element as a float, and 0 for types that are not numbers.
func asFloat(x any) float64 {
	switch x := x.(type) {
	case bool:
		if x {
			return 1
		}
	case int8:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case uint8:
		return float64(x)
	case uint32:
		return float64(x)
	case float32:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

// setNumber sets an element of a type that callbacks of the corpus have.
func setNumber(v tensor.View, i int, x float64) {
	switch v.Shape.DType {
	case tensor.Pred:
		check.Must(tensor.Slice[bool](v))[i] = x > 3
	case tensor.U8:
		check.Must(tensor.Slice[uint8](v))[i] = uint8(x)
	case tensor.S32:
		check.Must(tensor.Slice[int32](v))[i] = int32(x)
	case tensor.S64:
		check.Must(tensor.Slice[int64](v))[i] = int64(x)
	case tensor.U32:
		check.Must(tensor.Slice[uint32](v))[i] = uint32(x)
	case tensor.F32:
		check.Must(tensor.Slice[float32](v))[i] = float32(x)
	case tensor.F64:
		check.Must(tensor.Slice[float64](v))[i] = x
	default:
		panic(v.Shape.String())
	}
}

// TestCorpusInStages cuts each module of the corpus at its callbacks. It must compute what the whole module computes.
func TestCorpusInStages(t *testing.T) {
	check.NoRaces(t)
	s := &stagedCorpus{}
	register := func(registry *callbacks.Registry, name string) {
		check.NoError(t, registry.Register(name, s.serve, callbacks.Options{}))
		t.Cleanup(func() { check.NoError(t, registry.Unregister(name)) })
	}
	for i := range 8 {
		s.jax = append(s.jax, fmt.Sprintf("corpus.%d", i))
		register(callbacks.Default, s.jax[i])
	}
	s.names = slices.Clone(s.jax)
	for _, target := range []string{"host_axpy", "host_stats"} {
		register(callbacks.Default, target)
		s.foreign = append(s.foreign, callbacks.ForeignTarget{Target: target})
		s.names = append(s.names, target)
	}
	check.Must(native.Ensure(t.Context(), native.LAPACK, native.EnsureOptions{}))
	of, err := lapack.Foreign()
	check.NoError(t, err)
	for _, f := range of {
		s.names = append(s.names, f.Callback)
	}
	s.foreign = append(s.foreign, of...)
	old, err := callbacks.NewRegistry(passes.LegacyRegistry, callbacks.RegistryOptions{})
	check.NoError(t, err)
	t.Cleanup(func() { check.NoError(t, old.Close()) })
	for _, target := range []string{"legacy_scale", "legacy_orig"} {
		register(old, target)
		s.names = append(s.names, target)
	}
	client := newClient(t, 0)
	without := withoutFFI(t)
	staged := 0
	eachFile(t, isGood, func(t *testing.T, c *mlir.Context, row corpusRow) {
		m := parse(t, c, row.file(), row.read(t))
		if _, err := passes.ReplaceLegacy(m, passes.LegacyOptions{}); err != nil {
			t.Fatal(err)
		}
		for call := range callop.Calls(m) {
			if call.Config.Host.Opaque != "" {
				id := callbacks.OpaqueID{ID: call.Config.Host.Opaque}
				check.NoError(t, callbacks.RegisterOpaque(id, s.serve, callbacks.Options{}))
				t.Cleanup(func() { check.NoError(t, callbacks.UnregisterOpaque(id)) })
			}
		}
		plan, err := stages.Cut(m,
			stages.Options{Devices: stages.On(without.Engine()),
				Compile: engine.CompileOptions{JAXCallbacks: s.jax, Foreign: s.foreign}})
		if why := notCut[row.file()]; why != "" || err != nil {
			check.Error(t, err, why)
			return
		}
		n := len(plan.Callbacks())
		check.NoError(t, plan.Close())
		if n > 0 {
			staged++
			s.compare(t, m, client, without)
		}
	})
	check.Diff(t, "modules with callbacks", 8, staged)
}

// compare runs a module in every way.
func (s *stagedCorpus) compare(t *testing.T, m *mlir.Module, client, without *bridge.Client) {
	t.Helper()
	all := map[string]stages.Decision{}
	plan, err := stages.Cut(m,
		stages.Options{Devices: stages.On(without.Engine()),
			Compile: engine.CompileOptions{JAXCallbacks: s.jax, Foreign: s.foreign}})
	check.NoError(t, err)
	for _, c := range plan.Callbacks() {
		all[c.Name] = stages.Boundary
	}
	check.NoError(t, plan.Close())
	var want []tensor.View
	var wantCalls string
	for _, w := range []struct {
		name string
		o    stages.Options
	}{
		{"inline", stages.Options{Devices: stages.On(client.Engine())}},
		{"cut", stages.Options{Devices: stages.On(client.Engine()), Force: all}},
		{"without FFI", stages.Options{Devices: stages.On(without.Engine())}},
		{"by the JIT compiler", stages.Options{}},
		{"on the interpreter", stages.Options{Devices: []stages.Device{stages.Interpreter()}}},
	} {
		var jax []string
		for _, index := range contract.JAXIndices(stablehlo.CustomCalls(m)) {
			jax = s.jax[:max(len(jax), index+1)]
		}
		w.o.Compile.JAXCallbacks, w.o.Compile.Foreign = jax, s.foreign
		e, err := stages.Compile(t.Context(), m, w.o)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		s.calls = nil
		var in []tensor.View
		for k, shape := range e.Inputs() {
			v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
			for i := range shape.NumElements() {
				setNumber(v, i, float64((i*7+k)%11)/4)
			}
			in = append(in, v)
		}
		got, err := e.Call(t.Context(), in...)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		check.NoError(t, e.Close())
		slices.Sort(s.calls)
		calls := strings.Join(s.calls, "\n")
		if want == nil {
			want, wantCalls = got, calls
			continue
		}
		check.Diff(t, w.name+": results", fmt.Sprint(want), fmt.Sprint(got))
		check.Diff(t, w.name+": calls", wantCalls, calls)
	}
}

// withoutFFI returns a client of the CPU plugin whose FFI extension is hidden.
func withoutFFI(t *testing.T) *bridge.Client {
	t.Helper()
	found, err := native.Find(native.PJRTPlugin)
	check.NoError(t, err)
	t.Setenv("HIDDEN_PLUGIN", found.Path)
	p, err := bridge.Open(bridge.OpenOptions{Path: cctest.Library(t, "../stages/testdata/hidden.c")})
	check.NoError(t, err)
	c, err := p.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}
