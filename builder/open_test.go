package builder_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

const foreign = `module @foreign {
  func.func public @main(%arg0: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = call @cos(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.sine %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @cos(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @declared(tensor<4xf32>)
}
`

func open(t *testing.T) *builder.Builder {
	t.Helper()
	m, err := mlirtest.Context(t).Parse("foreign.mlir", []byte(foreign))
	check.NoError(t, err)
	return builder.Open(m)
}

// TestOpen continues a function, calls another one, and adds one.
func TestOpen(t *testing.T) {
	b := open(t)
	main, cos := b.Lookup("main"), b.Lookup("cos")
	if b.Lookup("main") != main {
		t.Error("a function was found twice")
	}
	results := main.Reopen()
	called := main.Values(func(v mlir.Value) bool { return v.IsResult() && v.Owner().Name() == "func.call" })
	if len(results) != 1 || len(called) != 1 {
		t.Fatalf("%d results, %d calls", len(results), len(called))
	}
	double := b.Func("double", vector)
	double.Return(builder.Add(double.Param(0), double.Param(0)))
	x := builder.Add(results[0], called[0])
	x = builder.Call[builder.Value](double, builder.Call[builder.Value](cos, x))
	main.Return(results[0], x)
	want := strings.Replace(foreign, `return %1 : tensor<4xf32>
`, `%2 = stablehlo.add %1, %0 : tensor<4xf32>
    %3 = call @cos(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = call @double(%3) : (tensor<4xf32>) -> tensor<4xf32>
    return %1, %4 : tensor<4xf32>, tensor<4xf32>
`, 1)
	want = strings.Replace(want, `(tensor<4xf32> {jax.result_info = "result"})`,
		`(tensor<4xf32> {jax.result_info = "result"}, tensor<4xf32>)`, 1)
	want = strings.TrimSuffix(want, "}\n") + `  func.func @double(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`
	if diff := cmp.Diff(want, finish(t, b).String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestOpenUnchanged checks that everything else stays unchanged.
func TestOpenUnchanged(t *testing.T) {
	b := open(t)
	main := b.Lookup("main")
	main.Return(main.Reopen()...)
	b.Lookup("cos")
	if diff := cmp.Diff(foreign, finish(t, b).String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(foreign, finish(t, open(t)).String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

func TestTapAfter(t *testing.T) {
	b := open(t)
	n := b.TapAfter(passes.ByOp("stablehlo.cosine", "stablehlo.sine"),
		builder.Callback{Name: "see", Effect: "e", Optional: true})
	main := b.Lookup("main")
	results := main.Reopen()
	builder.Tap(results, builder.Callback{Name: "end"})
	main.Return(results...)
	m := finish(t, b)
	var got []contract.Config
	for call := range callop.Calls(m) {
		call.Config.Signature, call.Config.Loc = "", ""
		got = append(got, call.Config)
	}
	see := contract.Config{Form: contract.Observe, Callback: "see", Effect: "e", Optional: true, NumTokens: 1}
	end := contract.Config{Form: contract.Observe, Callback: "end", NumTokens: 1}
	if diff := cmp.Diff([]contract.Config{see, end, see}, got); n != 2 || diff != "" {
		t.Errorf("%d taps (-want +got):\n%s", n, diff)
	}
}

func TestOpenMistakes(t *testing.T) {
	everything := func(mlir.Value) bool { return true }
	for _, test := range []struct {
		name  string
		build func(b *builder.Builder) (line int)
		want  string
	}{
		{"no such function", func(b *builder.Builder) int {
			b.Lookup("nobody").Reopen()
			return here(1)
		}, `lookup: there is no function "nobody" in the module`},
		{"no body", func(b *builder.Builder) int {
			b.Lookup("declared")
			return here(1)
		}, `the function "declared" has 0 blocks`},
		{"name taken", func(b *builder.Builder) int {
			b.Func("cos")
			return here(1)
		}, `the name "cos" is taken already, at `},
		{"not returned again", func(b *builder.Builder) int {
			f := b.Lookup("main")
			line := here(1)
			f.Reopen()
			return line
		}, `function "main" has no Return`},
		{"reopened twice", func(b *builder.Builder) int {
			f := b.Lookup("main")
			f.Reopen()
			f.Reopen()
			return here(1)
		}, `the function "main" has no Return yet`},
		{"not reopened", func(b *builder.Builder) int {
			builder.Cos(b.Lookup("main").Param(0))
			return here(1)
		}, `function "main" has returned already`},
		{"tapped while open", func(b *builder.Builder) int {
			b.Lookup("main").Reopen()
			b.TapAfter(everything, builder.Callback{Name: "see"})
			return here(1)
		}, `the function "main" has no Return yet`},
		{"tap without name", func(b *builder.Builder) int {
			b.TapAfter(everything, builder.Callback{})
			return here(1)
		}, "a callback needs a name"},
		{"tap in another encoding", func(b *builder.Builder) int {
			b.TapAfter(everything,
				builder.Callback{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "x"}})
			return here(2)
		}, "leave Callback.Encoding out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := open(t)
			line := test.build(b)
			wantMistake(t, b, "open_test.go", line, test.want)
		})
	}
}

// TestOpenedFunctionWithOrder makes a function of an opened module take tokens. The
// attributes of its parameters and results must stay.
func TestOpenedFunctionWithOrder(t *testing.T) {
	m, err := mlirtest.Context(t).Parse("", []byte(`module {
  func.func private @f(%arg0: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<4xf32> {jax.result_info = "y"}) {
    return %arg0 : tensor<4xf32>
  }
}
`))
	check.NoError(t, err)
	b := builder.Open(m)
	f := b.Lookup("f")
	results := f.Reopen()
	tap("in f", f.Param(0))
	f.Return(results...)
	g := b.Func("main", vector)
	g.Return(builder.Call[builder.Value](f, g.Param(0)))
	want := `module {
  func.func private @f(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<1xi8>) -> (tensor<4xf32> {jax.result_info = "y"}, tensor<1xi8>) {
    %0 = tap "in f"(%arg0, %arg1) : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    return %arg0, %0 : tensor<4xf32>, tensor<1xi8>
  }
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0:2 = call @f(%arg0, %c) : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
    return %0#0 : tensor<4xf32>
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestOpenedFunctionIsCalled checks that a function that others call cannot be changed.
func TestOpenedFunctionIsCalled(t *testing.T) {
	b := open(t)
	cos := b.Lookup("cos")
	results := cos.Reopen()
	tap("late", cos.Param(0))
	cos.Return(results...)
	f := b.Func("f", vector)
	cos.Call(f.Param(0))
	want := `the function "cos" was called before it had ordered callbacks`
	check.Error(t, b.Err(), want)
	b.Close()
}
