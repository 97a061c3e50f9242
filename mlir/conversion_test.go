package mlir_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// eachConverting runs a test on the engines that have dialect conversion, and checks that the
// others refuse it.
func eachConverting(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		if e.Library.Has("mlirOpConversionPatternCreate") {
			test(t, c)
			return
		}
		_, err := c.NewConversion(mlir.ConversionTarget{})
		mlirtest.Unsupported(t, err)
	})
}

func conversion(
	t *testing.T, c *mlir.Context, target mlir.ConversionTarget, patterns ...mlir.ConversionPattern,
) *mlir.Conversion {
	t.Helper()
	v, err := c.NewConversion(target, patterns...)
	check.NoError(t, err)
	check.Cleanup(t, v)
	return v
}

// pairs converts a complex number to its two parts.
func pairs(c *mlir.Context) *mlir.TypeConverter {
	return &mlir.TypeConverter{Convert: func(t mlir.Type) ([]mlir.Type, bool) {
		if part, ok := t.ComplexElement(); ok {
			return []mlir.Type{part, part}, true
		}
		return []mlir.Type{t}, true
	}}
}

// complexPatterns convert functions on complex numbers to functions on pairs of numbers.
func complexPatterns(types *mlir.TypeConverter) []mlir.ConversionPattern {
	return []mlir.ConversionPattern{
		{Name: "function", Op: "func.func", Types: types,
			Convert: func(op mlir.Operation, _ []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				attribute, _ := op.Attribute("function_type")
				typ, _ := attribute.TypeValue()
				in, out, _ := typ.Signature()
				to, ok := r.Types(in...)
				from, ok2 := r.Types(out...)
				if !ok || !ok2 {
					return false, nil
				}
				if err := r.ConvertRegion(op.Region(0)); err != nil {
					return false, err
				}
				return true, r.ModifyInPlace(op, func() error {
					op.SetAttribute("function_type", r.Context().TypeAttribute(r.Context().FunctionType(to, from)))
					return nil
				})
			}},
		{Name: "return", Op: "func.return", Types: types,
			Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				made, err := mlir.Create(r,
					mlir.OperationState{Name: "func.return", Operands: operands, Location: op.Location()})
				if err != nil {
					return false, err
				}
				r.ReplaceWith(op, made)
				return true, nil
			}},
		{Name: "add", Op: "complex.add", Types: types,
			Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				var parts []mlir.Value
				for i := range 2 {
					a, b := r.Operand(0)[i], r.Operand(1)[i]
					sum, err := mlir.Create(r, mlir.OperationState{Name: "arith.addf", Operands: []mlir.Value{a, b},
						Results: []mlir.Type{a.Type()}, Location: op.Location()})
					if err != nil {
						return false, err
					}
					parts = append(parts, sum.Result(0))
				}
				r.ReplaceParts(op, parts)
				return true, nil
			}},
		{Name: "part", Op: "complex.im", Types: types,
			Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				r.Replace(op, operands[1])
				return true, nil
			}},
	}
}

// simple reports whether an operation and its function type have no complex numbers.
func simple(op mlir.Operation) bool {
	for _, v := range append(op.OperandValues(), op.ResultValues()...) {
		if v.Type().Kind() == mlir.KindComplex {
			return false
		}
	}
	if a, ok := op.Attribute("function_type"); ok {
		return !strings.Contains(a.String(), "complex")
	}
	return true
}

const complexFunction = `func.func @f(%a: complex<f32>, %n: i32, %b: complex<f32>) -> (complex<f32>, f32) {
  %0 = complex.add %a, %b : complex<f32>
  %1 = complex.im %0 : complex<f32>
  func.return %0, %1 : complex<f32>, f32
}`

const pairFunction = `module {
  func.func @f(%arg0: f32, %arg1: f32, %arg2: i32, %arg3: f32, %arg4: f32) -> (f32, f32, f32) {
    %0 = arith.addf %arg0, %arg3 : f32
    %1 = arith.addf %arg1, %arg4 : f32
    return %0, %1, %1 : f32, f32, f32
  }
}
`

// TestConversion converts each complex number to two numbers, in signatures too.
func TestConversion(t *testing.T) {
	eachConverting(t, func(t *testing.T, c *mlir.Context) {
		target := mlir.ConversionTarget{Legal: []string{"arith", "builtin"}, Illegal: []string{"complex"},
			Dynamic: map[string]func(mlir.Operation) bool{"func": simple}}
		for _, full := range []bool{true, false} {
			v := conversion(t, c, target, complexPatterns(pairs(c))...)
			for range 2 { // a conversion can be used again
				m := mlirtest.Parse(t, c, complexFunction)
				before := mlirtest.Find(m, "complex.add")[0]
				check.NoError(t, v.Apply(m, mlir.ConversionOptions{Full: full}))
				check.Diff(t, "module", pairFunction, m.String())
				check.NoError(t, m.Verify())
				check.Panics(t, "Operation.Name called after ", func() { before.Name() })
			}
			check.NoError(t, v.Close())
			check.NoError(t, v.Close())
			check.Panics(t, "called after Conversion.Close",
				func() { _ = v.Apply(mlirtest.Parse(t, c, ""), mlir.ConversionOptions{}) })
		}
		m := mlirtest.Parse(t, c, complexFunction)
		v := conversion(t, c, target, complexPatterns(pairs(c))...)
		function := m.Body().First()
		function.SetDiscardable("t.a", c.UnitAttribute())
		failing := complexPatterns(pairs(c))
		failing[0].Op = "complex.re"
		before := m.String()
		function, err := conversion(t, c, target, failing...).ApplyTo(function, mlir.ConversionOptions{})
		check.Error(t, err, "failed to legalize operation 'func.func'")
		check.Diff(t, "after a failure", before, m.String())
		function.RemoveDiscardable("t.a")
		op, err := v.ApplyTo(function, mlir.ConversionOptions{Full: true, NoFolding: true})
		check.NoError(t, err)
		check.Diff(t, "the operation", "func.func", op.Name())
		check.Diff(t, "converted within one operation", pairFunction, m.String())
	})
}

// TestConversionFails checks that a conversion that fails leaves the module as it was, and
// names the operation and its place.
func TestConversionFails(t *testing.T) {
	eachConverting(t, func(t *testing.T, c *mlir.Context) {
		target := func() mlir.ConversionTarget {
			return mlir.ConversionTarget{Legal: []string{"arith", "builtin"}, Illegal: []string{"complex"},
				Dynamic: map[string]func(mlir.Operation) bool{"func": simple}}
		}
		mine := errors.New("mine")
		tests := []struct {
			name   string
			change func(target *mlir.ConversionTarget, types *mlir.TypeConverter, patterns []mlir.ConversionPattern)
			want   []string
		}{
			{"no pattern for an operation",
				func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
					p[3].Op = "complex.re"
				},
				[]string{"mlir: the conversion failed: test.mlir:3:8: error: failed to legalize operation 'complex.im'"}},
			{"a pattern that does not match",
				func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
					p[2].Convert = func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
						return false, nil
					}
				}, []string{"test.mlir:2:8: error: failed to legalize operation 'complex.add'"}},
			{"an error", func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
				p[2].Convert = func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
					return true, mine
				}
			}, []string{`mlir: the pattern "add" failed: mine`}},
			{"a pattern that does nothing",
				func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
					p[2].Convert = func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
						return true, nil
					}
				}, []string{`mlir: the pattern "add" failed: it returned true for complex.add at test.mlir:2:8 and did not replace`}},
			{"a panic", func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
				p[3].Convert = func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
					panic("help")
				}
			}, []string{`mlir: the pattern "part" failed: mlir: panic: help`}},
			{"a panic in a target",
				func(target *mlir.ConversionTarget, _ *mlir.TypeConverter, _ []mlir.ConversionPattern) {
					target.Dynamic["func"] = func(mlir.Operation) bool { panic("help") }
				}, []string{`mlir: the pattern "the legality of func" failed: mlir: panic: help`}},
			{"a change in a target",
				func(target *mlir.ConversionTarget, _ *mlir.TypeConverter, _ []mlir.ConversionPattern) {
					target.Dynamic["func"] = func(op mlir.Operation) bool {
						op.SetAttribute("a", c.UnitAttribute())
						return true
					}
				}, []string{"a function of a ConversionTarget changes operations"}},
			{"a panic in a type converter",
				func(_ *mlir.ConversionTarget, types *mlir.TypeConverter, _ []mlir.ConversionPattern) {
					types.Convert = func(mlir.Type) ([]mlir.Type, bool) { panic("help") }
				}, []string{"mlir: panic: help"}},
			{"a nil type", func(_ *mlir.ConversionTarget, types *mlir.TypeConverter, _ []mlir.ConversionPattern) {
				types.Convert = func(mlir.Type) ([]mlir.Type, bool) { return make([]mlir.Type, 1), true }
			}, []string{"TypeConverter.Convert"}},
			{"a type that is not converted",
				func(_ *mlir.ConversionTarget, types *mlir.TypeConverter, _ []mlir.ConversionPattern) {
					types.Convert = func(t mlir.Type) ([]mlir.Type, bool) {
						return []mlir.Type{t}, t.Kind() != mlir.KindComplex
					}
				}, []string{"mlir: the conversion failed: test.mlir:"}},
			{"an operation that is erased and used",
				func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
					p[2].Convert = func(op mlir.Operation, _ []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
						r.Erase(op)
						return true, nil
					}
				}, []string{"mlir: "}},
			{"too few values", func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
				p[2].Convert = func(op mlir.Operation, _ []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
					r.Replace(op)
					return true, nil
				}
			}, []string{"ConversionRewriter.Replace was given 0 values instead of 1"}},
			{"its own result", func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
				p[2].Convert = func(op mlir.Operation, _ []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
					r.Replace(op, op.Result(0))
					return true, nil
				}
			}, []string{"was given a result of the operation that it erases"}},
			{"replaced twice", func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
				p[3].Convert = func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool,
					error) {
					r.Replace(op, operands[0])
					r.Replace(op, operands[0])
					return true, nil
				}
			}, []string{"that ConversionRewriter.Replace has erased"}},
			{"the operation around it",
				func(_ *mlir.ConversionTarget, _ *mlir.TypeConverter, p []mlir.ConversionPattern) {
					p[3].Convert = func(op mlir.Operation, _ []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
						return true, op.Erase()
					}
				}, []string{"Operation.Erase called in a pattern"}},
		}
		for _, test := range tests {
			types, given := pairs(c), target()
			patterns := complexPatterns(types)
			test.change(&given, types, patterns)
			v := conversion(t, c, given, patterns...)
			m := mlirtest.Parse(t, c, complexFunction)
			before := m.String()
			err := v.Apply(m, mlir.ConversionOptions{})
			if err == nil {
				t.Errorf("%s: no error, and\n%s", test.name, m)
				continue
			}
			check.Error(t, err, test.want...)
			check.Diff(t, test.name+": the module", before, m.String())
			check.NoError(t, m.Verify())
			check.NoError(t, v.Close())
			check.NoError(t, m.Close())
		}
	})
}

// widen converts 32-bit integers to 64-bit ones.
func widen(c *mlir.Context) *mlir.TypeConverter {
	return &mlir.TypeConverter{Convert: func(t mlir.Type) ([]mlir.Type, bool) {
		if t == c.IntegerType(32, mlir.Signless) {
			return []mlir.Type{c.IntegerType(64, mlir.Signless)}, true
		}
		return []mlir.Type{t}, true
	}}
}

// renamed is a pattern that creates an operation with another name and converted types.
func renamed(from, to string, types *mlir.TypeConverter) mlir.ConversionPattern {
	return mlir.ConversionPattern{Name: from, Op: from, Types: types,
		Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
			var results []mlir.Type
			for _, v := range op.Results() {
				list, ok := r.Types(v.Type())
				if !ok || len(list) != 1 {
					return false, nil
				}
				results = append(results, list...)
			}
			made, err := mlir.Create(r,
				mlir.OperationState{Name: to, Operands: operands, Results: results, Location: op.Location()})
			if err == nil {
				r.ReplaceWith(op, made)
			}
			return err == nil, err
		}}
}

const casts = `%a = "t.make"() : () -> i32
%b = "t.from"(%a) : (i32) -> i32
"t.use"(%b) : (i32) -> ()`

// TestMaterializations checks the values that connect operations which are converted with
// operations which are not.
func TestMaterializations(t *testing.T) {
	eachConverting(t, func(t *testing.T, c *mlir.Context) {
		cast := func(name string) func(r *mlir.Rewriter, to mlir.Type, from []mlir.Value, at mlir.Location) (mlir.Value,
			error) {
			return func(r *mlir.Rewriter, to mlir.Type, from []mlir.Value, at mlir.Location) (mlir.Value, error) {
				op, err := mlir.Create(r,
					mlir.OperationState{Name: name, Operands: from, Results: []mlir.Type{to}, Location: at})
				if err != nil {
					return mlir.Value{}, err
				}
				return op.Result(0), nil
			}
		}
		target := mlir.ConversionTarget{Illegal: []string{"t.from"},
			Legal: []string{"t.to", "t.make", "t.use", "builtin"}}
		const plain = "module {\n  %0 = \"t.make\"() : () -> i32\n  %1 = %s\n  %2 = \"t.to\"(%1) : (i64) -> i64\n  %3 = %s\n  \"t.use\"(%3) : (i32) -> ()\n}\n"
		want := func(in, out string) string {
			return strings.Replace(strings.Replace(plain, "%s", in, 1), "%s", out, 1)
		}
		unrealized := want("unrealized_conversion_cast %0 : i32 to i64", "unrealized_conversion_cast %2 : i64 to i32")
		source, goal := cast("t.narrow"), cast("t.widen")
		several := func(r *mlir.Rewriter, to []mlir.Type, from []mlir.Value, at mlir.Location,
			original mlir.Type) ([]mlir.Value, error) {
			if original != c.IntegerType(32, mlir.Signless) {
				return nil, fmt.Errorf("the original type is %s", original)
			}
			v, err := goal(r, to[0], from, at)
			return []mlir.Value{v}, err
		}
		apply := func(change func(*mlir.TypeConverter), o mlir.ConversionOptions) (string, error) {
			types := widen(c)
			change(types)
			m := mlirtest.Parse(t, c, casts)
			before := m.String()
			v := conversion(t, c, target, renamed("t.from", "t.to", types))
			err := v.Apply(m, o)
			if err != nil {
				check.Diff(t, "after "+err.Error(), before, m.String())
			}
			check.NoError(t, m.Verify())
			return m.String(), err
		}
		both := func(types *mlir.TypeConverter) { types.Source, types.Target = source, several }
		got, err := apply(both, mlir.ConversionOptions{})
		check.NoError(t, err)
		check.Diff(t, "materialized", want(`"t.widen"(%0) : (i32) -> i64`, `"t.narrow"(%2) : (i64) -> i32`), got)
		got, err = apply(both, mlir.ConversionOptions{NoMaterializations: true})
		check.NoError(t, err)
		check.Diff(t, "not materialized", unrealized, got)
		got, err = apply(func(*mlir.TypeConverter) {}, mlir.ConversionOptions{NoMaterializations: true})
		check.NoError(t, err)
		check.Diff(t, "without functions", unrealized, got)
		const left = "failed to legalize unresolved"
		for name, change := range map[string]func(*mlir.TypeConverter){
			"no Source": func(types *mlir.TypeConverter) { types.Target = several },
			"no Target": func(types *mlir.TypeConverter) { types.Source = source },
			"a nil value of Source": func(types *mlir.TypeConverter) {
				types.Target, types.Source = several,
					func(*mlir.Rewriter, mlir.Type, []mlir.Value, mlir.Location) (mlir.Value, error) {
						return mlir.Value{}, nil
					}
			},
			"no values of Target": func(types *mlir.TypeConverter) {
				types.Source, types.Target = source,
					func(*mlir.Rewriter, []mlir.Type, []mlir.Value, mlir.Location, mlir.Type) ([]mlir.Value, error) {
						return nil, nil
					}
			},
		} {
			if _, err := apply(change, mlir.ConversionOptions{}); err == nil || !strings.Contains(err.Error(), left) {
				t.Errorf("%s gave the error %v, want it to say %q", name, err, left)
			}
		}
		for name, change := range map[string]func(*mlir.TypeConverter){
			"the wrong type": func(types *mlir.TypeConverter) {
				types.Source, types.Target = func(r *mlir.Rewriter, to mlir.Type, from []mlir.Value,
					at mlir.Location) (mlir.Value, error) {
					return from[0], nil
				}, several
			},
			"an error": func(types *mlir.TypeConverter) {
				types.Source, types.Target = source,
					func(*mlir.Rewriter, []mlir.Type, []mlir.Value, mlir.Location, mlir.Type) ([]mlir.Value, error) {
						return nil, errors.New("mine")
					}
			},
			"too many values": func(types *mlir.TypeConverter) {
				types.Source, types.Target = source, func(r *mlir.Rewriter, to []mlir.Type, from []mlir.Value,
					at mlir.Location, original mlir.Type) ([]mlir.Value, error) {
					v, err := several(r, to, from, at, original)
					return append(v, v...), err
				}
			},
			"a panic": func(types *mlir.TypeConverter) {
				types.Target, types.Source = several,
					func(*mlir.Rewriter, mlir.Type, []mlir.Value, mlir.Location) (mlir.Value, error) { panic("help") }
			},
		} {
			_, err := apply(change, mlir.ConversionOptions{})
			if err == nil {
				t.Errorf("%s gave no error", name)
				continue
			}
			check.Error(t, err, "mlir: the pattern \"TypeConverter.")
		}
	})
}

// TestTargetOfReplaced checks what Target gets for an operand that a pattern with another
// TypeConverter replaced.
func TestTargetOfReplaced(t *testing.T) {
	eachConverting(t, func(t *testing.T, c *mlir.Context) {
		i32, f32 := c.IntegerType(32, mlir.Signless), check.Must(c.ParseType("f32"))
		floats := &mlir.TypeConverter{Convert: func(t mlir.Type) ([]mlir.Type, bool) {
			if t == i32 {
				return []mlir.Type{f32}, true
			}
			return []mlir.Type{t}, true
		}}
		var got []string
		floats.Target = func(r *mlir.Rewriter, to []mlir.Type, from []mlir.Value, at mlir.Location,
			original mlir.Type) ([]mlir.Value, error) {
			got = append(got, fmt.Sprint(to, from[0].Type(), original))
			op, err := mlir.Create(r, mlir.OperationState{Name: "t.cast", Operands: from, Results: to, Location: at})
			return op.ResultValues(), err
		}
		target := mlir.ConversionTarget{Illegal: []string{"t.from", "t.consume"},
			Legal: []string{"t.to", "t.consumed", "t.cast"}}
		m := mlirtest.Parse(t, c, "%0 = \"t.from\"() : () -> i32\n\"t.consume\"(%0) : (i32) -> ()")
		v := conversion(t, c, target, renamed("t.from", "t.to", widen(c)), renamed("t.consume", "t.consumed", floats))
		check.NoError(t, v.Apply(m, mlir.ConversionOptions{}))
		check.Diff(t, "types", []string{"[f32] i64 i32"}, got)
	})
}

// TestConversionTarget checks which operations are converted.
func TestConversionTarget(t *testing.T) {
	const text = `"t.outer"() ({
  "t.inner"() {keep} : () -> ()
  "t.inner"() : () -> ()
}) : () -> ()
"t.other"() : () -> ()
"t.inner"() : () -> ()`
	eachConverting(t, func(t *testing.T, c *mlir.Context) {
		keeps := func(op mlir.Operation) bool {
			_, ok := op.Attribute("keep")
			return ok
		}
		tests := []struct {
			name   string
			target mlir.ConversionTarget
			full   bool
			want   string // the names of the operations, or part of an error
		}{
			{"illegal", mlir.ConversionTarget{Illegal: []string{"t.inner"}, Legal: []string{"t.done"}}, false,
				"t.outer t.done t.done t.other t.done"},
			{"dynamic", mlir.ConversionTarget{Dynamic: map[string]func(mlir.Operation) bool{"t.inner": keeps},
				Legal: []string{"t.done"}}, false, "t.outer t.inner t.done t.other t.done"},
			{"recursive", mlir.ConversionTarget{Illegal: []string{"t.inner"}, Legal: []string{"t.outer", "t.done"},
				Recursive: []string{"t.outer"}}, false, "t.outer t.inner t.inner t.other t.done"},
			{"an operation before its dialect", mlir.ConversionTarget{Illegal: []string{"t"},
				Legal: []string{"t.outer", "t.other", "t.done"}}, false, "t.outer t.done t.done t.other t.done"},
			{"partial with an unknown operation", mlir.ConversionTarget{Illegal: []string{"t.inner"},
				Legal: []string{"t.done", "t.outer", "builtin"}}, false, "t.outer t.done t.done t.other t.done"},
			{"full with an unknown operation", mlir.ConversionTarget{Illegal: []string{"t.inner"}, Legal: []string{
				"t.done", "t.outer", "builtin"}}, true, "test.mlir:5:1: error: failed to legalize operation 't.other'"},
			{"full with a function for it",
				mlir.ConversionTarget{Illegal: []string{"t.inner"}, Legal: []string{"t.done", "t.outer", "builtin"},
					Unknown: func(op mlir.Operation) bool { return op.Name() == "t.other" }}, true,
				"t.outer t.done t.done t.other t.done"},
			{"an operation that a pattern creates", mlir.ConversionTarget{Illegal: []string{"t.inner"}}, false,
				"test.mlir:2:3: error: failed to legalize operation 't.inner'"},
			{"nothing", mlir.ConversionTarget{}, false, "t.outer t.inner t.inner t.other t.inner"},
		}
		for _, test := range tests {
			m := mlirtest.Parse(t, c, text)
			v := conversion(t, c, test.target, renamed("t.inner", "t.done", nil))
			err := v.Apply(m, mlir.ConversionOptions{Full: test.full})
			got := fmt.Sprint(err)
			if err == nil {
				var names []string
				for op := range m.Operation().All() {
					if !strings.HasPrefix(op.Name(), "builtin") {
						names = append(names, op.Name())
					}
				}
				got = strings.Join(names, " ")
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
		}
		for name, target := range map[string]mlir.ConversionTarget{
			`names "t" in Legal and in Illegal: name it in one`: {Legal: []string{"t"},
				Illegal: []string{"t"}},
			"ConversionTarget.Illegal has an empty name": {Illegal: []string{""}},
			`ConversionTarget.Dynamic has no function for "t.a"`: {
				Dynamic: map[string]func(mlir.Operation) bool{"t.a": nil}},
			`Recursive names "t.a", which must be an operation in Legal or Dynamic`: {Recursive: []string{"t.a"}},
			`Recursive names "t.b", which must be an operation in Legal or Dynamic`: {Recursive: []string{"t.b"},
				Illegal: []string{"t.b"}},
		} {
			_, err := c.NewConversion(target)
			check.Error(t, err, name)
		}
		_, err := c.NewConversion(mlir.ConversionTarget{}, mlir.ConversionPattern{Name: "p"})
		check.Error(t, err, `the conversion pattern "p" needs an Op, a Convert`)
		_, err = c.NewConversion(mlir.ConversionTarget{},
			mlir.ConversionPattern{Name: "p", Op: "t.a", Types: &mlir.TypeConverter{},
				Convert: func(mlir.Operation, []mlir.Value, *mlir.ConversionRewriter) (bool, error) {
					return false, nil
				}})
		check.Error(t, err, `the TypeConverter of the conversion pattern "p" needs a Convert`)
	})
}

// TestConversionHandles checks that handles into other modules stay valid, that those of a
// pattern do not outlive it, and that contexts with threads can convert.
func TestConversionHandles(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirOpConversionPatternCreate") {
			return
		}
		c := e.Library.NewContext(mlir.ContextOptions{Threads: true})
		check.Cleanup(t, c)
		var kept []mlir.Operation
		var blocks []mlir.Block
		var rewriters []*mlir.ConversionRewriter
		patterns := complexPatterns(pairs(c))
		for i, p := range patterns {
			patterns[i].Convert = func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool,
				error) {
				kept, blocks, rewriters = append(kept, op), append(blocks, op.Block()), append(rewriters, r)
				if op.NumRegions() > 0 {
					blocks = append(blocks, op.Region(0).First())
				}
				return p.Convert(op, operands, r)
			}
		}
		v := conversion(t, c, mlir.ConversionTarget{Legal: []string{"arith", "builtin"}, Illegal: []string{"complex"},
			Dynamic: map[string]func(mlir.Operation) bool{"func": simple}}, patterns...)
		other := mlirtest.Parse(t, c, complexFunction)
		add := mlirtest.Find(other, "complex.add")[0]
		detached := add.Clone()
		var modules []*mlir.Module
		for range 20 {
			m := mlirtest.Parse(t, c, complexFunction)
			check.NoError(t, v.Apply(m, mlir.ConversionOptions{Full: true}))
			check.Diff(t, "module", pairFunction, m.String())
			modules = append(modules, m)
		}
		check.Diff(t, "a handle into another module", "complex.add", add.Name())
		check.Diff(t, "a detached operation", "complex.add", detached.Name())
		for _, op := range kept {
			check.Panics(t, "Operation.Name called after", func() { op.Name() })
		}
		for _, b := range blocks {
			check.Panics(t, "called after", func() { b.NumArguments() })
		}
		for _, r := range rewriters {
			check.Panics(t, "called after", func() { r.Operand(0) })
		}
		for _, m := range modules {
			check.NoError(t, mlir.CheckTops(c))
			check.NoError(t, m.Close())
		}
		check.NoError(t, v.Apply(other, mlir.ConversionOptions{}))
		check.Diff(t, "an operation that was detached from it", "complex.add", detached.Name())
		check.NoError(t, mlir.CheckTops(c))
	})
}
