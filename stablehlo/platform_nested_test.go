package stablehlo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// mainFor takes the index of a platform, in {cpu, tpu}, and a number.
const mainFor = `func.func public @main(%%p: tensor<%s> {jax.global_constant = "_platform_index"}, %%x: tensor<f32>) -> tensor<f32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %s
  return %%y : tensor<f32>
}
`

// swapped maps an index in {cpu, tpu} to one in {tpu, cpu}.
const swapped = `%q = "stablehlo.case"(%p) ({
    stablehlo.return %one : tensor<i32>
  }, {
    stablehlo.return %zero : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
`

// inner takes an index in {tpu, cpu}. It adds 1 on the CPU.
const inner = `func.func private @inner(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %x: tensor<f32>) -> tensor<f32> {
` + selects

// chosen is a function as inner, whose argument isn't marked.
const chosen = `func.func private @chosen(%p: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
` + selects

const selects = `  %y = "stablehlo.case"(%p) ({
    %a = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %a = stablehlo.add %x, %c : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %y : tensor<f32>
}
`

const (
	callInner  = `call @inner(%q, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>` + "\n"
	callChosen = `call @chosen(%q, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>` + "\n"
)

func TestSelectPlatformFollowsTheIndex(t *testing.T) {
	for _, test := range []struct {
		name, index, body, functions string
		want                         float32 // main of 3 on the CPU
	}{
		{"a function for other platforms", "i32", swapped + `%y = ` + callInner, inner, 4},
		{"by two functions", "i32", swapped + `%y = call @outer(%q, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>`,
			inner + `func.func private @outer(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %x: tensor<f32>) -> tensor<f32> {
				%c0 = stablehlo.constant dense<0> : tensor<i32>
				%c1 = stablehlo.constant dense<1> : tensor<i32>
				%q = "stablehlo.case"(%p) ({
				  stablehlo.return %c0 : tensor<i32>
				}, {
				  stablehlo.return %c1 : tensor<i32>
				}) : (tensor<i32>) -> tensor<i32>
				%z = ` + callInner + `return %z : tensor<f32>
			}`, 4},
		// inner is called for both, so that it has two copies
		{"several indices", "i32", swapped + `%z = ` + callInner + `%first = call @forFirst(%p, %z) : (tensor<i32>, tensor<f32>) -> tensor<f32>
			%y = stablehlo.add %first, %z : tensor<f32>`,
			inner + `func.func private @forFirst(%p: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
				%y = "stablehlo.case"(%p) ({
				  %a = stablehlo.multiply %x, %x : tensor<f32>
				  stablehlo.return %a : tensor<f32>
				}, {
				  %a = call @inner(%p, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>
				  stablehlo.return %a : tensor<f32>
				}) : (tensor<i32>) -> tensor<f32>
				return %y : tensor<f32>
			}`, 20},
		{"an argument without a mark", "i32", swapped + `%y = ` + callChosen, chosen, 4},
		{"a result", "i32", `%q = call @swap(%p) : (tensor<i32>) -> tensor<i32>` + "\n" + `%y = ` + callChosen,
			chosen + `func.func private @swap(%p: tensor<i32>) -> tensor<i32> {
				%one = stablehlo.constant dense<1> : tensor<i32>
				%q = stablehlo.subtract %one, %p : tensor<i32>
				return %q : tensor<i32>
			}`, 4},
		{"carried by a loop", "i32", swapped + `%limit = stablehlo.constant dense<5.0> : tensor<f32>
			%l:2 = stablehlo.while(%i = %q, %a = %x) : tensor<i32>, tensor<f32>
			cond {
			  %go = stablehlo.compare LT, %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
			  stablehlo.return %go : tensor<i1>
			} do {
			  %b = func.call @chosen(%i, %a) : (tensor<i32>, tensor<f32>) -> tensor<f32>
			  stablehlo.return %i, %b : tensor<i32>, tensor<f32>
			}
			%y = call @chosen(%l#0, %l#1) : (tensor<i32>, tensor<f32>) -> tensor<f32>`, chosen, 6},
		{"behind a barrier", "i32", swapped + `%b:2 = stablehlo.optimization_barrier %q, %x : tensor<i32>, tensor<f32>
			%y = call @chosen(%b#0, %b#1) : (tensor<i32>, tensor<f32>) -> tensor<f32>`, chosen, 4},
		{"compared", "i32", `%cpu = stablehlo.compare EQ, %p, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
			%y = "stablehlo.if"(%cpu) ({
			  stablehlo.return %x : tensor<f32>
			}, {
			  %a = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<f32>) -> tensor<f32>
			  stablehlo.return %a : tensor<f32>
			}) : (tensor<i1>) -> tensor<f32>`, "", 3},
		{"computed", "i32", `%eq = stablehlo.compare LE, %p, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
			%not = stablehlo.not %eq : tensor<i1>
			%s = stablehlo.select %not, %zero, %one : tensor<i1>, tensor<i32>
			%m = stablehlo.maximum %s, %p : tensor<i32>
			%wide = stablehlo.convert %m : (tensor<i32>) -> tensor<ui64>
			%vector = stablehlo.reshape %wide : (tensor<ui64>) -> tensor<1xui64>
			%scalar = stablehlo.reshape %vector : (tensor<1xui64>) -> tensor<ui64>
			%narrow = stablehlo.convert %scalar : (tensor<ui64>) -> tensor<i32>
			%q = stablehlo.clamp %zero, %narrow, %one : tensor<i32>
			%y = ` + callChosen, chosen, 4},
		{"the decomposition of a composite", "i32",
			swapped + `%y = stablehlo.composite "a.b" %q, %x {decomposition = @chosen} : (tensor<i32>, tensor<f32>) -> tensor<f32>`,
			chosen, 4},
		{"i64", "i64", converted("i64") + swapped64 + `%y = ` + callInner, inner, 4},
		{"i8", "i8", converted("i8") + swapped64 + `%y = ` + callInner, inner, 4},
		{"ui16", "ui16", converted("ui16") + swapped64 + `%y = ` + callInner, inner, 4},
		{"ui64", "ui64", converted("ui64") + swapped64 + `%y = ` + callInner, inner, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachRefining(t, func(t *testing.T, c *mlir.Context) {
				m := mlirtest.Parse(t, c, fmt.Sprintf(mainFor, test.index, test.body)+test.functions)
				check.NoError(t, stablehlo.SelectPlatform(m, 0))
				check.NoError(t, m.Verify())
				computes(t, m, test.want)
			})
		})
	}
}

// computes compares main of 3, and reports what is left of other platforms.
func computes(t *testing.T, m *mlir.Module, want float32) {
	t.Helper()
	for _, left := range []string{"tpu_custom_call", "stablehlo.case", "stablehlo.if"} {
		if strings.Contains(m.String(), left) {
			t.Errorf("it still has %s:\n%s", left, m)
		}
	}
	if m.Context().Library().Has("stablehloEvalModule") {
		got, err := stablehlo.Evaluate(m, tensor.Scalar[float32](3))
		check.NoError(t, err)
		check.Diff(t, "results", []tensor.View{tensor.Scalar(want)}, got)
	}
}

func converted(from string) string {
	return fmt.Sprintf("%%c = stablehlo.convert %%p : (tensor<%s>) -> tensor<i32>\n", from)
}

var swapped64 = strings.Replace(swapped, "(%p)", "(%c)", 1)

// TestResolvePlatforms calls a function for several platforms from a module for one.
func TestResolvePlatforms(t *testing.T) {
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, `func.func @main(%x: tensor<f32>) -> tensor<f32> {
			%p = stablehlo.constant dense<0> : tensor<i32>
			%one = stablehlo.constant dense<1> : tensor<i32>
			%q = "stablehlo.case"(%p) ({
			  stablehlo.return %one : tensor<i32>
			}) : (tensor<i32>) -> tensor<i32>
			%y = `+callInner+`return %y : tensor<f32>
		}
		`+inner)
		check.NoError(t, stablehlo.ResolvePlatforms(m))
		check.NoError(t, m.Verify())
		computes(t, m, 4)
		without := mlirtest.Parse(t, c, strings.ReplaceAll(`func.func @main(%p: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
			%y = call @chosen(%p, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>
			return %y : tensor<f32>
		}
		`+chosen, "tpu_custom_call", "any"))
		before := without.String()
		check.NoError(t, stablehlo.ResolvePlatforms(without))
		check.Diff(t, "a module without such functions", before, without.String())
	})
}

// TestSelectPlatformEnds has functions that call each other, with other values each time.
func TestSelectPlatformEnds(t *testing.T) {
	const function = `func.func private @f%d(%%p: tensor<i64>) -> tensor<i64> {
		%%one = stablehlo.constant dense<1> : tensor<i64>
		%%a = stablehlo.add %%p, %%p : tensor<i64>
		%%b = stablehlo.add %%a, %%one : tensor<i64>
		%%c = call @f%d(%%a) : (tensor<i64>) -> tensor<i64>
		%%d = call @f%d(%%b) : (tensor<i64>) -> tensor<i64>
		%%e = stablehlo.add %%c, %%d : tensor<i64>
		return %%e : tensor<i64>
	}
	`
	const main = `func.func @main(%p: tensor<i64> {jax.global_constant = "_platform_index"}) -> tensor<i64> {
		%a = call @f0(%p) : (tensor<i64>) -> tensor<i64>
		return %a : tensor<i64>
	}
	`
	for name, last := range map[string]string{
		"doubled 30 times": `func.func private @f30(%p: tensor<i64>) -> tensor<i64> { return %p : tensor<i64> }`,
		"recursive":        fmt.Sprintf(function, 30, 0, 30),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(main)
			for i := range 30 {
				fmt.Fprintf(&b, function, i, i+1, i+1)
			}
			eachRefining(t, func(t *testing.T, c *mlir.Context) {
				m := mlirtest.Parse(t, c, b.String()+last)
				check.NoError(t, stablehlo.SelectPlatform(m, 1))
				check.NoError(t, m.Verify())
			})
		})
	}
}

// TestSelectPlatformOfExports has functions of JAX for (cpu, tpu), that call one for (cuda, cpu, tpu), that calls one
// for (tpu, cuda, cpu).
func TestSelectPlatformOfExports(t *testing.T) {
	for name, narrow := range map[string]bool{"nested": true, "nested_wide": false} {
		t.Run(name, func(t *testing.T) {
			eachRefining(t, func(t *testing.T, c *mlir.Context) {
				e, m := exported(t, c, name)
				i, ok := e.PlatformIndex("cpu")
				check.Diff(t, "the CPU is known", true, ok)
				check.Diff(t, "the index has 32 bits", narrow, mainArgument(m).String() == "tensor<i32>")
				check.NoError(t, stablehlo.SelectPlatform(m, i))
				check.NoError(t, m.Verify())
				if strings.Contains(m.String(), "stablehlo.case") {
					t.Errorf("it still has a case:\n%s", m)
				}
				if c.Library().Has("stablehloEvalModule") {
					got, err := stablehlo.Evaluate(m, tensor.Vector[float32](0, 1, 2))
					check.NoError(t, err)
					check.Diff(t, "results", []tensor.View{tensor.Vector[float32](12, 21, 30)}, got)
				}
			})
		})
	}
}

func mainArgument(m *mlir.Module) mlir.Type {
	main, _ := m.SymbolTable().Lookup("main")
	return main.Region(0).First().Argument(0).Type()
}
