package builder_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	number = tensor.ShapeOf(tensor.F32)
	flag   = tensor.ShapeOf(tensor.Pred)
	count  = tensor.ShapeOf(tensor.S32)
)

// pair is a tree of two leaves.
type pair struct{ A, B builder.Value }

func tap(name string, x builder.Value) { builder.Tap(x, builder.Callback{Name: name}) }

// brief returns a module's text in which a callback shows its name only.
func brief(m *mlir.Module) string {
	callback := regexp.MustCompile(`stablehlo.custom_call @calliope_io_callback(\(.*?\)) .*callback = "(.*?)".* : \(`)
	return callback.ReplaceAllString(m.String(), `tap "$2"$1 : (`)
}

func TestIf(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", flag, number)
	x := f.Param(1)
	p := builder.If(f.Param(0), func() pair {
		return pair{builder.Cos(x), x}
	}, func() pair {
		s := builder.Sin(x)
		return pair{s, s}
	})
	builder.If(f.Param(0), func() struct{} { tap("then", x); return struct{}{} }, func() struct{} { return struct{}{} })
	tap("after", x)
	f.Return(p.A, p.B)
	want := `module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0:2 = "stablehlo.if"(%arg0) ({
      %3 = stablehlo.cosine %arg1 : tensor<f32>
      stablehlo.return %3, %arg1 : tensor<f32>, tensor<f32>
    }, {
      %3 = stablehlo.sine %arg1 : tensor<f32>
      stablehlo.return %3, %3 : tensor<f32>, tensor<f32>
    }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %1 = "stablehlo.if"(%arg0) ({
      %3 = tap "then"(%arg1, %c) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
      stablehlo.return %3 : tensor<1xi8>
    }, {
      stablehlo.return %c : tensor<1xi8>
    }) : (tensor<i1>) -> tensor<1xi8>
    %2 = tap "after"(%arg1, %1) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return %0#0, %0#1 : tensor<f32>, tensor<f32>
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

func TestCase(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", count, number)
	tap("before", f.Param(1))
	y := builder.Case(f.Param(0),
		func() []builder.Value { tap("first", f.Param(1)); return []builder.Value{builder.Sin(f.Param(1))} },
		func() []builder.Value { return []builder.Value{f.Param(1)} })
	f.Return(y...)
	want := `module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = tap "before"(%arg1, %c) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    %1:2 = "stablehlo.case"(%arg0) ({
      %2 = tap "first"(%arg1, %0) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
      %3 = stablehlo.sine %arg1 : tensor<f32>
      stablehlo.return %3, %2 : tensor<f32>, tensor<1xi8>
    }, {
      stablehlo.return %arg1, %0 : tensor<f32>, tensor<1xi8>
    }) : (tensor<i32>) -> (tensor<f32>, tensor<1xi8>)
    return %1#0 : tensor<f32>
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestWhile checks that the loop carries the token of a tap, through an if in it.
func TestWhile(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", flag, number)
	x := f.Param(1)
	end := builder.While(pair{f.Param(0), x}, func(s pair) builder.Value { return s.A }, func(s pair) pair {
		return pair{f.Param(0), builder.If(s.A, func() builder.Value {
			tap("inside", s.B)
			return builder.Add(s.B, x)
		}, func() builder.Value { return builder.Neg(x) })}
	}, builder.LoopOptions{})
	tap("after", x)
	f.Return(end.B)
	want := `module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %c) : tensor<i1>, tensor<f32>, tensor<1xi8>
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %2:2 = "stablehlo.if"(%iterArg) ({
        %3 = tap "inside"(%iterArg_0, %iterArg_1) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
        %4 = stablehlo.add %iterArg_0, %arg1 : tensor<f32>
        stablehlo.return %4, %3 : tensor<f32>, tensor<1xi8>
      }, {
        %3 = stablehlo.negate %arg1 : tensor<f32>
        stablehlo.return %3, %iterArg_1 : tensor<f32>, tensor<1xi8>
      }) : (tensor<i1>) -> (tensor<f32>, tensor<1xi8>)
      stablehlo.return %arg0, %2#0, %2#1 : tensor<i1>, tensor<f32>, tensor<1xi8>
    }
    %1 = tap "after"(%arg1, %0#2) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return %0#1 : tensor<f32>
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestTapInCondition checks that the condition is built before the loop and at the end of
// its body.
func TestTapInCondition(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", number)
	end := builder.While(f.Param(0), func(s builder.Value) builder.Value {
		tap("condition", s)
		return f.Constant(tensor.Scalar(true))
	}, func(s builder.Value) builder.Value {
		tap("body", s)
		return builder.Sin(s)
	}, builder.LoopOptions{})
	f.Return(end)
	want := `module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = tap "condition"(%arg0, %c) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %0) : tensor<f32>, tensor<i1>, tensor<1xi8>
    cond {
      stablehlo.return %iterArg_1 : tensor<i1>
    } do {
      %2 = tap "body"(%iterArg, %iterArg_2) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
      %3 = stablehlo.sine %iterArg : tensor<f32>
      %4 = tap "condition"(%3, %2) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
      %c_3 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %3, %c_3, %4 : tensor<f32>, tensor<i1>, tensor<1xi8>
    }
    return %1#0 : tensor<f32>
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

func TestLoop(t *testing.T) {
	for _, n := range []tensor.DType{tensor.S8, tensor.U16, tensor.S32, tensor.U64} {
		t.Run(n.String(), func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main", tensor.ShapeOf(n), number)
			var turn builder.Value
			f.Return(builder.Loop(f.Param(0), f.Param(1), func(i, x builder.Value) builder.Value {
				turn = i
				return builder.Sin(x)
			}, builder.LoopOptions{}))
			finish(t, b)
			if diff := cmp.Diff(tensor.ShapeOf(n), turn.Shape()); diff != "" {
				t.Errorf("the number of the turn (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTokensOfCalls checks that a function takes tokens from its first call on, and not
// before.
func TestTokensOfCalls(t *testing.T) {
	b := newBuilder(t)
	alone := b.Func("alone", number)
	tap("alone", alone.Param(0))
	alone.Return()
	inner := b.FuncWith("inner",
		builder.Signature{Params: []builder.Param{{Shape: number, Donate: true}}, Private: true})
	tap("inner", inner.Param(0))
	inner.Return(inner.Param(0))
	through := b.Func("through", number)
	through.Return(builder.Call[builder.Value](inner, through.Param(0)))
	f := b.Func("main", number)
	x := builder.Call[builder.Value](through, f.Param(0))
	tap("main", x)
	through.Call(x)
	f.Return()
	want := `module {
  func.func @alone(%arg0: tensor<f32>) {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0 = tap "alone"(%arg0, %c) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return
  }
  func.func private @inner(%arg0: tensor<f32> {jax.buffer_donor = true}, %arg1: tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>) {
    %0 = tap "inner"(%arg0, %arg1) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    return %arg0, %0 : tensor<f32>, tensor<1xi8>
  }
  func.func @through(%arg0: tensor<f32>, %arg1: tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>) {
    %0:2 = call @inner(%arg0, %arg1) : (tensor<f32>, tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>)
    return %0#0, %0#1 : tensor<f32>, tensor<1xi8>
  }
  func.func @main(%arg0: tensor<f32>) {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0:2 = call @through(%arg0, %c) : (tensor<f32>, tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>)
    %1 = tap "main"(%0#0, %0#1) : (tensor<f32>, tensor<1xi8>) -> tensor<1xi8>
    %2:2 = call @through(%0#0, %1) : (tensor<f32>, tensor<1xi8>) -> (tensor<f32>, tensor<1xi8>)
    return
  }
}
`
	if diff := cmp.Diff(want, brief(finish(t, b))); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestFunctionsWithinFunctions starts functions while others are open, also in a region.
func TestFunctionsWithinFunctions(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", flag, number)
	y := builder.If(f.Param(0), func() pair {
		g := b.Func("two", number)
		g.Return(builder.Sin(g.Param(0)), builder.Cos(g.Param(0)))
		return builder.Call[pair](g, f.Param(1))
	}, func() pair { return pair{f.Param(1), f.Param(1)} })
	nothing := b.Func("nothing")
	nothing.Return()
	if got := nothing.Call(); len(got) != 0 { // main alone lacks its Return: it is the one that calls
		t.Errorf("a call without results gave %d", len(got))
	}
	f.Return(y.A, y.B)
	m := finish(t, b)
	var got []string
	for _, call := range mlirtest.Find(m, "func.call") {
		got = append(got, call.Parent().Name())
	}
	if diff := cmp.Diff([]string{"stablehlo.if", "func.func"}, got); diff != "" {
		t.Errorf("where the calls stand (-want +got):\n%s", diff)
	}
}

// TestPanic checks that a panic in each function that builds a region leaves the builder
// unchanged.
func TestPanic(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", flag, count, number)
	x := f.Param(2)
	fails := func() builder.Value {
		builder.If(f.Param(0), func() builder.Value {
			builder.Cos(x)
			tap("lost", x)
			panic("on purpose")
		}, func() builder.Value { return x })
		return x
	}
	same := func(v builder.Value) builder.Value { return v }
	yes := func(builder.Value) builder.Value { return f.Param(0) }
	for name, build := range map[string]func(){
		"then":      func() { builder.If(f.Param(0), fails, func() builder.Value { return x }) },
		"otherwise": func() { builder.If(f.Param(0), func() builder.Value { return builder.Sin(x) }, fails) },
		"case":      func() { builder.Case(f.Param(1), fails) },
		"condition": func() {
			builder.While(x, func(builder.Value) builder.Value { return fails() }, same, builder.LoopOptions{})
		},
		"body": func() {
			builder.While(x, yes, func(builder.Value) builder.Value { return fails() }, builder.LoopOptions{})
		},
		"loop": func() {
			builder.Loop(f.Param(1), x, func(i, v builder.Value) builder.Value { return fails() },
				builder.LoopOptions{})
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != "on purpose" {
					t.Errorf("%s: the panic is %v", name, got)
				}
			}()
			build()
			t.Errorf("%s: no panic", name)
		}()
	}
	tap("kept", x)
	f.Return(builder.Neg(x))
	m := finish(t, b)
	for _, name := range []string{"stablehlo.if", "stablehlo.while", "stablehlo.case", "stablehlo.cosine"} {
		if n := len(mlirtest.Find(m, name)); n != 0 {
			t.Errorf("%d %s were left", n, name)
		}
	}
	if n := len(mlirtest.Find(m, "stablehlo.custom_call")); n != 1 {
		t.Errorf("%d taps were built, want 1", n)
	}
}
