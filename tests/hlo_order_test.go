package tests

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A chained program names its callbacks, none of which is registered.
type chained struct{ f, g *builder.Func }

func (chained) tap(name, effect string, x builder.Value) {
	builder.Tap(x, builder.Callback{Name: name, Effect: effect, Optional: true})
}

func (chained) pass(name, effect string, x builder.Value) builder.Value {
	return builder.Passthrough(x, builder.Callback{Name: name, Effect: effect, Optional: true})
}

func (c chained) number(v int32) builder.Value { return c.f.Constant(tensor.Scalar(v)) }

// hloOf builds a program of an array, an integer and a boolean, and returns its optimized form.
// g, if not nil, is a function of an array that main can call.
func hloOf(
	t *testing.T, client *bridge.Client, o builder.Options, g,
	main func(p chained, x, n, flag builder.Value) builder.Value,
) *hloModule {
	t.Helper()
	array := tensor.ShapeOf(tensor.F32, 1024)
	b := builder.New(newContext(t), o)
	var p chained
	if g != nil {
		p.g = b.Func("g", array)
		p.f = p.g
		p.g.Return(g(p, p.g.Param(0), builder.Value{}, builder.Value{}))
	}
	p.f = b.Func("main", array, tensor.ShapeOf(tensor.S32), tensor.ShapeOf(tensor.Pred))
	p.f.Return(main(p, p.f.Param(0), p.f.Param(1), p.f.Param(2)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return optimizedHLO(t, client, passes.Program(m, passes.PrepareOptions{}))
}

type (
	hloBody func(p chained, x, n, flag builder.Value) builder.Value
	value   = builder.Value
)

// In what XLA executes, the token of each callback leads to the one before it: through copies,
// tuples, loops and branches.
func TestChainInOptimizedHLO(t *testing.T) {
	client := newClient(t, 0)
	for name, test := range map[string]struct {
		o       builder.Options
		g, main hloBody
		want    map[string]string // the callbacks directly before each one
	}{
		"straight line": {
			main: func(p chained, x, _, _ value) value {
				p.tap("a", "", x)
				p.tap("x", "other", x)
				y := p.pass("y", "other", builder.Sin(x))
				p.tap("b", "", x)
				p.tap("c", "", y)
				return y
			},
			want: map[string]string{"a": "start", "b": "a", "c": "b", "x": "start", "y": "x"},
		},
		"unordered": {
			main: func(p chained, x, _, _ value) value {
				builder.RuntimeCall(x, x, builder.Callback{Name: "a", Optional: true})
				p.tap("b", "", x)
				return x
			},
			want: map[string]string{"a": "-", "b": "start"},
		},
		"all effects": {
			main: func(p chained, x, _, _ value) value {
				p.tap("a", "", x)
				p.tap("x", "other", x)
				p.tap("all", builder.AllEffects, x)
				p.tap("b", "", x)
				p.tap("y", "other", x)
				p.tap("again", builder.AllEffects, x)
				return x
			},
			want: map[string]string{"a": "start", "x": "start", "all": "a, x", "b": "all", "y": "all",
				"again": "all, b, y"},
		},
		"all effects in a branch": {
			main: func(p chained, x, _, flag value) value {
				p.tap("x", "other", x)
				builder.If(flag, func() []value {
					builder.If(flag, func() []value { p.tap("all", builder.AllEffects, x); return nil },
						func() []value { return nil })
					p.tap("y", "other", x)
					p.tap("a", "", x)
					return nil
				}, func() []value { return nil })
				p.tap("b", "", x)
				p.tap("z", "other", x)
				return x
			},
			want: map[string]string{"x": "start", "all": "x", "y": "all, x", "a": "all, start", "b": "a, start",
				"z": "x, y"},
		},
		"while": {
			main: func(p chained, x, n, _ value) value {
				p.tap("before", "", x)
				end := builder.While([]value{p.number(0), x}, func(at []value) value {
					p.tap("condition", "", at[0])
					return builder.Lt(at[0], n)
				}, func(at []value) []value {
					p.tap("a", "", at[1])
					p.tap("x", "other", at[1])
					y := builder.Sin(at[1])
					p.tap("b", "", y)
					return []value{builder.Add(at[0], p.number(1)), y}
				}, builder.LoopOptions{})
				p.tap("after", "", end[1])
				return end[1]
			},
			want: map[string]string{"before": "start", "condition": "b, before", "a": "condition", "x": "start, x",
				"b": "a", "after": "condition"},
		},
		"if": {
			main: func(p chained, x, _, flag value) value {
				p.tap("before", "", x)
				y := builder.If(flag, func() value {
					p.tap("then", "", x)
					p.tap("then 2", "", x)
					return builder.Sin(x)
				}, func() value { return builder.Cos(x) })
				p.tap("after", "", y)
				return y
			},
			want: map[string]string{"before": "start", "then": "before", "then 2": "then", "after": "before, then 2"},
		},
		"case": {
			main: func(p chained, x, n, _ value) value {
				p.tap("before", "", x)
				y := builder.Case(n,
					func() value { p.tap("0", "", x); return builder.Sin(x) },
					func() value { p.tap("1", "", x); return builder.Cos(x) },
					func() value { p.tap("x", "other", x); return builder.Tanh(x) })
				p.tap("after", "", y)
				p.tap("y", "other", y)
				return y
			},
			want: map[string]string{"before": "start", "0": "before", "1": "before", "x": "start",
				"after": "0, 1, before", "y": "start, x"},
		},
		"functions": {
			g: func(p chained, x, _, _ value) value {
				p.tap("inside", "", x)
				return builder.Sin(x)
			},
			main: func(p chained, x, n, _ value) value {
				p.tap("before", "", x)
				x = builder.Call[value](p.g, x)
				p.tap("between", "", x)
				x = builder.Loop(n, x, func(_, x value) value { return builder.Call[value](p.g, x) },
					builder.LoopOptions{})
				p.tap("after", "", x)
				return x
			},
			want: map[string]string{"before": "start", "inside": "before, between, inside", "between": "inside",
				"after": "between, inside"},
		},
		"runtime tokens": {
			o: builder.Options{RuntimeTokens: true},
			main: func(p chained, x, n, _ value) value {
				p.tap("a", "log", x)
				x = builder.Loop(n, x, func(_, x value) value { p.tap("b", "log", x); return builder.Sin(x) },
					builder.LoopOptions{})
				p.tap("c", "log", x)
				return x
			},
			want: map[string]string{"a": "start", "b": "a, b", "c": "a, b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := hloOf(t, client, test.o, test.g, test.main)
			if diff := cmp.Diff(test.want, chainOf(t, m)); diff != "" {
				t.Errorf("chain (-want +got):\n%s\n%s", diff, m.text)
			}
		})
	}
}

// What InsertTap and AddRuntimeTokens make of a module of JAX keeps its order in XLA, through the
// loop of a scan and the function that it calls.
func TestChainInOptimizedHLOOfJAX(t *testing.T) {
	data, err := os.ReadFile("testdata/modules/scan_gru.mlir")
	check.NoError(t, err)
	m := parse(t, newContext(t), "scan_gru.mlir", data)
	for _, tap := range []struct {
		effect string
		ops    []string
	}{{"log", []string{"stablehlo.tanh"}}, {"other", []string{"stablehlo.dot_general", "func.call"}}} {
		_, err := passes.InsertTap(m, passes.ByOp(tap.ops...),
			passes.TapOptions{Config: contract.Config{Callback: tap.effect, Effect: tap.effect, Optional: true}})
		check.NoError(t, err)
	}
	for i, call := range slices.Collect(callop.Calls(m)) { // each with its own name
		call.Config.Callback = fmt.Sprint(call.Config.Effect, " ", i)
		config, err := callop.ConfigAttribute(m.Context(), call.Config)
		check.NoError(t, err)
		call.Op.SetAttribute("backend_config", config)
	}
	_, err = passes.AddRuntimeTokens(m)
	check.NoError(t, err)
	// The numbers are in the order of the text: those in the function come after those in the loop.
	check.Diff(t, "chain", map[string]string{
		"log 9":   "log 9, start",
		"other 0": "other 4, start",
		"other 1": "other 8",
		"other 2": "other 1",
		"other 3": "other 2",
		"other 4": "other 3",
		"other 5": "other 0",
		"other 6": "other 5",
		"other 7": "other 6",
		"other 8": "other 7",
	}, chainOf(t, optimizedHLO(t, newClient(t, 0), passes.Program(m, passes.PrepareOptions{}))))
}

// In loops and branches XLA copies these arrays and tokens, and no more: nothing for a value and
// a token that are aliased, and for a token in a branch; the array if the body of a loop uses it after a callback has
// seen it; and what a branch returns as it is. A plugin of PJRT 0.81 also copies the tokens of branches.
func TestCopiesInOptimizedHLO(t *testing.T) {
	client := newClient(t, 0)
	loop := func(body func(p chained, x value) value) hloBody {
		return func(p chained, x, n, _ value) value {
			return builder.Loop(n, builder.Sin(x), func(_, x value) value { return body(p, x) }, builder.LoopOptions{})
		}
	}
	// ordered returns a program with callbacks before and after a choice.
	ordered := func(body func(p chained, x, n, flag value) value) hloBody {
		return func(p chained, x, n, flag value) value {
			x = builder.Sin(x)
			p.tap("before", "log", x)
			x = body(p, x, n, flag)
			p.tap("after", "log", x)
			return x
		}
	}
	type copies struct{ Arrays, Tokens int }
	for name, test := range map[string]struct {
		main hloBody
		want []copies // in the body of the loop, or in each branch
	}{
		"loop without a callback": {loop(func(_ chained, x value) value { return builder.Sin(x) }),
			[]copies{{0, 0}}},
		"loop, passed through": {
			loop(func(p chained, x value) value { return builder.Sin(p.pass("a", "log", x)) }), []copies{{0, 0}}},
		"loop, passed through twice": {loop(func(p chained, x value) value {
			return p.pass("b", "log", builder.Sin(p.pass("a", "log", x)))
		}), []copies{{0, 0}}},
		"loop, passed through and used": {loop(func(p chained, x value) value {
			return builder.Add(p.pass("a", "log", x), builder.Sin(x))
		}), []copies{{1, 0}}},
		"loop, tapped result": {loop(func(p chained, x value) value {
			y := builder.Sin(x)
			p.tap("a", "log", y)
			return y
		}), []copies{{0, 0}}},
		"loop, tapped and returned": {loop(func(p chained, x value) value {
			p.tap("a", "log", x)
			return x
		}), []copies{{0, 0}}},
		"loop, tapped and used": {loop(func(p chained, x value) value {
			p.tap("a", "log", x)
			return builder.Sin(x)
		}), []copies{{1, 0}}},
		"loop, tapped and used, two effects": {loop(func(p chained, x value) value {
			p.tap("a", "log", x)
			p.tap("b", "other", x)
			return builder.Sin(x)
		}), []copies{{1, 0}}},
		"loop, against all effects": {loop(func(p chained, x value) value { // two tokens are made of one
			p.tap("a", "log", x)
			p.tap("b", builder.AllEffects, x)
			return x
		}), []copies{{0, 1}}},
		"if, tapped": {ordered(func(p chained, x, _, flag value) value {
			builder.If(flag, func() []value { p.tap("a", "log", x); return nil }, func() []value { return nil })
			return x
		}), []copies{{0, 0}, {0, 0}}},
		"if, passed through": {ordered(func(p chained, x, _, flag value) value {
			return builder.If(flag, func() value { return p.pass("a", "log", x) }, func() value { return x })
		}), []copies{{0, 0}, {1, 0}}},
		"case, tapped": {ordered(func(p chained, x, n, _ value) value {
			builder.Case(n, func() []value { p.tap("a", "log", x); return nil }, func() []value { return nil },
				func() []value { p.tap("b", "log", x); return nil })
			return x
		}), []copies{{0, 0}, {0, 0}, {0, 0}}},
		"case, passed through": {ordered(func(p chained, x, n, _ value) value {
			return builder.Case(n, func() value { return p.pass("a", "log", x) }, func() value { return x },
				func() value { return builder.Cos(x) })
		}), []copies{{0, 0}, {1, 0}, {0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := hloOf(t, client, builder.Options{}, nil, test.main)
			if diff := cmp.Diff(test.want, copiesIn[copies](m)); diff != "" {
				t.Errorf("copies (-want +got):\n%s\n%s", diff, m.text)
			}
		})
	}
	// A token that is not aliased costs a copy of a byte in each turn.
	const aliased = ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]"
	for aliases, want := range map[string]copies{aliased: {0, 0}, "": {0, 1}} {
		m := optimizedHLO(t, client, bridge.Source(`func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %first = stablehlo.constant dense<0> : tensor<1xi8>
  %r:2 = stablehlo.while(%i = %zero, %k = %first) : tensor<i32>, tensor<1xi8> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %t = stablehlo.custom_call @calliope_io_callback(%i, %k) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {v = 1 : i64, form = "observe", callback = "a", optional = true, n_tokens = 1 : i64}`+aliases+`} : (tensor<i32>, tensor<1xi8>) -> tensor<1xi8>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<1xi8>
  }
  return %r#0 : tensor<i32>
}`))
		if diff := cmp.Diff([]copies{want}, copiesIn[copies](m)); diff != "" {
			t.Errorf("copies of a token (-want +got):\n%s\n%s", diff, m.text)
		}
	}
}

// copiesIn returns the copies of arrays and tokens in the bodies and branches of a module.
func copiesIn[T ~struct{ Arrays, Tokens int }](m *hloModule) (list []T) {
	for _, c := range m.where("body", "true_computation", "false_computation", "branch_computations") {
		list = append(list, T{m.copies(c, "f32[1024]"), m.copies(c, "s8[1]")})
	}
	return list
}
