package legacy_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin, native.MLIR) }

// A shared is a library that all tests of this process use. It stays loaded when its file is gone.
type shared struct {
	files   []string
	once    sync.Once
	library *legacy.Library
}

func (s *shared) open(t testing.TB) *legacy.Library {
	t.Helper()
	s.once.Do(func() { s.library = check.Must(legacy.Open(cctest.Library(t, s.files...))) })
	return s.library
}

var (
	functions = shared{files: []string{"testdata/functions.c", "testdata/more.cc"}}
	document  = shared{files: []string{"testdata/document.c", "testdata/more.cc"}}
)

// library returns the functions of testdata/functions.c.
func library(t testing.TB) *legacy.Library { return functions.open(t) }

var client = sync.OnceValues(func() (*bridge.Client, error) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return plugin.NewClient(bridge.ClientOptions{})
})

// serve registers a function for a target in a registry of the test.
func serve(t testing.TB, f *legacy.Function, target string, o callbacks.Options) *callbacks.Registry {
	t.Helper()
	r := check.Must(callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{}))
	t.Cleanup(func() { _ = r.Close() })
	check.NoError(t, f.Register(r, target, o))
	return r
}

// A site is a module with one call, of the name f.
type site struct {
	version           int
	opaque, tuples    string
	operands, results []tensor.Shape
}

func (s site) module(registry string) string {
	types := func(shapes []tensor.Shape) (list []string) {
		for _, shape := range shapes {
			text := "tensor<"
			for _, d := range shape.Dims {
				text += fmt.Sprint(d, "x")
			}
			list = append(list, text+shape.DType.MLIR()+">")
		}
		return list
	}
	in, out := types(s.operands), types(s.results)
	var parameters, arguments, results []string
	for i, text := range in {
		parameters, arguments = append(parameters, fmt.Sprintf("%%a%d: %s", i, text)),
			append(arguments, fmt.Sprintf("%%a%d", i))
	}
	for i := range out {
		results = append(results, fmt.Sprintf("%%r#%d", i))
	}
	config := fmt.Sprintf("callback = %q, form = %q, legacy = %d : i64, registry = %q, v = 2 : i64", "f", "call",
		s.version, registry)
	if s.opaque != "" {
		config += fmt.Sprintf(", legacy_opaque = \"%x\"", s.opaque)
	}
	if s.tuples != "" {
		config += fmt.Sprintf(", legacy_tuples = %q", s.tuples)
	}
	return fmt.Sprintf(`func.func @main(%s) -> (%s) {
  %%r:%d = stablehlo.custom_call @calliope_runtime_call(%s) {api_version = 4 : i32, has_side_effect = true, backend_config = {%s}} : (%s) -> (%s)
  return %s : %s
}`, strings.Join(parameters, ", "), strings.Join(out, ", "), len(out), strings.Join(arguments, ", "), config, strings.Join(in, ", "), strings.Join(out, ", "), strings.Join(results, ", "), strings.Join(out, ", "))
}

func (s site) compile(t testing.TB, registry string) (*bridge.Executable, error) {
	t.Helper()
	e, err := check.Must(client()).Compile(t.Context(), bridge.Source(s.module(registry)), engine.CompileOptions{})
	if err == nil {
		t.Cleanup(func() { check.NoError(t, e.Close()) })
	}
	return e, err
}

// run runs the module of a call on XLA, and on package jit, which must do the same.
func (s site) run(t testing.TB, registry string, args ...tensor.View) ([]tensor.View, error) {
	t.Helper()
	e, err := s.compile(t, registry)
	if err != nil {
		return nil, err
	}
	got, err := run(t, e, args...)
	sameOnJIT(t, mlirtest.Parse(t, mlirtest.Context(t), s.module(registry)), got, err, args)
	return got, err
}

// sameOnJIT compares what package jit makes of a module with the results and the error of XLA.
func sameOnJIT(t testing.TB, m *mlir.Module, want []tensor.View, failure error, args []tensor.View) {
	t.Helper()
	e, err := jit.Compile(t.Context(), m, jit.Options{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), args...)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || (err == nil) != (failure == nil) {
		t.Errorf("jit returned the error %v in place of %v, and (-want +got):\n%s", err, failure, diff)
	}
}

// run runs an executable on arrays, and returns its results.
func run(t testing.TB, e *bridge.Executable, args ...tensor.View) ([]tensor.View, error) {
	t.Helper()
	var inputs []engine.Input
	for _, a := range args {
		inputs = append(inputs, engine.Input(a))
	}
	buffers, err := e.Run(t.Context(), inputs...)
	var results []tensor.View
	for _, b := range buffers {
		results = append(results, check.Must(b.ToHost(t.Context())))
		check.NoError(t, b.Close())
	}
	return results, err
}

// shapes parses shapes such as f32[4].
func shapes(list ...string) (parsed []tensor.Shape) {
	for _, text := range list {
		parsed = append(parsed, check.Must(tensor.ParseShape(text)))
	}
	return parsed
}
