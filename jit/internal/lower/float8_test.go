package lower_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

var float8s = []tensor.DType{tensor.F8E5M2, tensor.F8E4M3, tensor.F8E3M4, tensor.F8E4M3FN, tensor.F8E5M2FNUZ,
	tensor.F8E4M3FNUZ, tensor.F8E4M3B11FNUZ}

// TestFloat8 converts all numbers of eight bits, and numbers near the middle of two of them, and computes with all of
// them, as the interpreter does, and with all pairs, as XLA does.
func TestFloat8(t *testing.T) {
	for _, d := range float8s {
		t.Run(d.String(), func(t *testing.T) {
			singles, doubles := between(d)
			inputs := []tensor.View{tensor.Vector(singles...), tensor.Vector(doubles...), patterns(d)}
			exact := conversions(inputs[0].Shape, inputs[1].Shape)
			all := exact + pairs(256, "add", "subtract", "multiply")
			onXLA(t, 0, []program{{"exact", module8(d, inputs, 256, all), inputs}})
			const some = 18 // the interpreter is slow
			all = exact + pairs(some, "add", "divide", "maximum", "minimum", "multiply", "power", "remainder") +
				unary + extra(d)
			p := program{text: module8(d, inputs, some, all), inputs: inputs}
			m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
			got, _ := p.run(t, m)
			compare(t, 0, check.Must(stablehlo.Evaluate(m, inputs...)), got)
		})
	}
}

// TestSmallestFloats converts numbers of four bits and powers of two, and computes with them. Of these the two smallest
// are not among them: XLA takes denormal numbers for zeros.
func TestSmallestFloats(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F4E2M1FN, tensor.F8E8M0FNU} {
		t.Run(d.String(), func(t *testing.T) {
			all := patterns(d)
			var singles []float32
			for i := range all.Data {
				if d == tensor.F4E2M1FN {
					all.Data[i] %= 16
				} else {
					all.Data[i] = max(all.Data[i], 2)
				}
				f, _ := tensor.Float8(d, all.Data[i])
				for _, x := range []float32{f, f * 0.75, f * 1.25, f * 1.5, f * 1.75, -f} {
					singles = append(singles, x, math.Nextafter32(x, 0), math.Nextafter32(x, 1e38))
				}
			}
			inputs := []tensor.View{tensor.Vector(singles...), tensor.Vector[float64](1, 0, -3), all}
			onXLA(t, 0, []program{{"all", module8(d, inputs, 256, conversions(inputs[0].Shape, inputs[1].Shape)+
				pairs(256, "add", "maximum", "minimum")+"abs %c : tensor<256xT>\nsign %c : tensor<256xT>"), inputs},
				{"order", function("%x: "+typeOf(256, d.MLIR()), "tensor<256x256xi1>", strings.ReplaceAll(`
					%0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<256xOF>) -> tensor<256x256xOF>
					%1 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<256xOF>) -> tensor<256x256xOF>
					%2 = stablehlo.compare LT, %0, %1, TOTALORDER
						: (tensor<256x256xOF>, tensor<256x256xOF>) -> tensor<256x256xi1>
					return %2 : tensor<256x256xi1>`, "OF", d.MLIR())), []tensor.View{all}}})
		})
	}
}

// patterns returns all numbers of a format.
func patterns(d tensor.DType) tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(d, 256), Data: make([]byte, 256)}
	for i := range v.Data {
		v.Data[i] = byte(i)
	}
	return v
}

// between returns the numbers of a format, the middle of each one and the next one, and the numbers closest to it. The
// middle between the largest one and the next one that the format lacks is among them.
func between(d tensor.DType) (singles []float32, doubles []float64) {
	last := 0.0
	for i := range 128 {
		f, _ := tensor.Float8(d, byte(i))
		x := float64(f)
		if math.IsInf(x, 0) || math.IsNaN(x) {
			break
		}
		step := x - last
		for _, x := range []float64{x, -x, x + step/2, x + step} {
			for _, to := range []float64{math.Inf(-1), math.Inf(1)} {
				singles = append(singles, float32(x), math.Nextafter32(float32(x), float32(to)))
				doubles = append(doubles, x, math.Nextafter(x, to))
			}
		}
		last = x
	}
	for _, x := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-149, 0x1p127} {
		singles, doubles = append(singles, float32(x)), append(doubles, x)
	}
	return singles, append(doubles, 0x1p-1074, -0x1p1023)
}

// module8 returns a module of operations on numbers, and on all of a format, T, which are on the left side of pairs.
// The right side has some of them, in equal steps.
func module8(d tensor.DType, inputs []tensor.View, some int, lines string) string {
	elem := d.MLIR()
	lines = strings.ReplaceAll(strings.TrimSpace(lines), "T", elem)
	var body strings.Builder
	fmt.Fprintf(&body, "%%some = stablehlo.slice %%c [0:256:%d] : (%s) -> %s\n", (255+some)/some, typeOf(256, elem),
		typeOf(some, elem))
	for name, of := range map[string]string{"left": "%c, dims = [0] : (" + typeOf(256, elem),
		"right": "%some, dims = [1] : (" + typeOf(some, elem)} {
		fmt.Fprintf(&body, "%%%s = stablehlo.broadcast_in_dim %s) -> tensor<256x%dx%s>\n", name, of, some, elem)
	}
	var results, types []string
	for i, line := range strings.Split(lines, "\n") {
		name := fmt.Sprint("%", i)
		fmt.Fprintf(&body, "%s = stablehlo.%s\n", name, line)
		at := strings.LastIndex(line, "tensor<")
		results, types = append(results, name), append(types, line[at:])
	}
	body.WriteString("return " + strings.Join(results, ", ") + " : " + strings.Join(types, ", "))
	var parameters []string
	for i, v := range inputs {
		parameters = append(parameters, fmt.Sprintf("%%%c: %s", 'a'+i, typeOf(v.Shape.Dims[0], v.Shape.DType.MLIR())))
	}
	return function(strings.Join(parameters, ", "), strings.Join(types, ", "), body.String())
}

func typeOf(size int, elem string) string { return fmt.Sprintf("tensor<%dx%s>", size, elem) }

func conversions(singles, doubles tensor.Shape) string {
	var b strings.Builder
	convert := func(x string, size int, from, to string) {
		fmt.Fprintf(&b, "convert %s : (%s) -> %s\n", x, typeOf(size, from), typeOf(size, to))
	}
	convert("%a", singles.Dims[0], "f32", "T")
	convert("%b", doubles.Dims[0], "f64", "T")
	for _, to := range []string{"f16", "bf16", "f32", "f64", "i1", "f8E5M2", "f8E4M3FN"} {
		convert("%c", 256, "T", to)
	}
	return b.String()
}

// pairs returns operations on pairs of numbers.
func pairs(some int, operations ...string) string {
	var b strings.Builder
	for _, op := range operations {
		fmt.Fprintf(&b, "%s %%left, %%right : tensor<256x%dxT>\n", op, some)
	}
	return b.String()
}

// extra returns operations that the interpreter gets right on some formats only: it rounds numbers with three exponent
// bits to NaN, and takes all formats for ones with infinity when it reduces the precision.
func extra(d tensor.DType) (lines string) {
	if d != tensor.F8E3M4 {
		lines = `
ceil %c : tensor<256xT>
floor %c : tensor<256xT>
round_nearest_afz %c : tensor<256xT>
round_nearest_even %c : tensor<256xT>`
	}
	if d == tensor.F8E5M2 || d == tensor.F8E4M3 {
		lines += `
reduce_precision %c, format = e3m1 : tensor<256xT>`
	}
	return lines
}

const unary = `abs %c : tensor<256xT>
cbrt %c : tensor<256xT>
cosine %c : tensor<256xT>
exponential %c : tensor<256xT>
exponential_minus_one %c : tensor<256xT>
is_finite %c : (tensor<256xT>) -> tensor<256xi1>
log %c : tensor<256xT>
log_plus_one %c : tensor<256xT>
logistic %c : tensor<256xT>
negate %c : tensor<256xT>
rsqrt %c : tensor<256xT>
sign %c : tensor<256xT>
sine %c : tensor<256xT>
sqrt %c : tensor<256xT>
tan %c : tensor<256xT>
tanh %c : tensor<256xT>`

// TestFloat8Functions holds functions of all numbers of eight bits to the nearest number of the format, or the one next
// to it, on package jit and the interpreter.
func TestFloat8Functions(t *testing.T) {
	functions := map[string]func(float64) float64{
		"ceil": math.Ceil, "floor": math.Floor, "round_nearest_afz": math.Round, "round_nearest_even": math.RoundToEven,
		"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "cbrt": math.Cbrt,
		"exponential": math.Exp, "exponential_minus_one": math.Expm1, "log": math.Log, "log_plus_one": math.Log1p,
		"logistic": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "cosine": math.Cos, "sine": math.Sin,
		"tan": math.Tan, "tanh": math.Tanh,
	}
	names := slices.Sorted(maps.Keys(functions))
	for _, d := range float8s {
		t.Run(d.String(), func(t *testing.T) {
			x := patterns(d)
			array, body := "tensor<256x"+d.MLIR()+">", ""
			for i, name := range names {
				body += fmt.Sprintf("%%%d = stablehlo.%s %%x : %s\n", i, name, array)
			}
			values := make([]string, len(names))
			for i := range names {
				values[i] = fmt.Sprint("%", i)
			}
			types := strings.Join(slices.Repeat([]string{array}, len(names)), ", ")
			text := fmt.Sprintf("func.func @main(%%x: %s) -> (%s) {\n%sreturn %s : %s\n}", array, types, body,
				strings.Join(values, ", "), types)
			m := mlirtest.Parse(t, mlirtest.Context(t), text)
			p := program{text: text, inputs: []tensor.View{x}}
			got, _ := p.run(t, m)
			for engine, results := range map[string][]tensor.View{
				"jit": got, "the interpreter": check.Must(stablehlo.Evaluate(m, x)),
			} {
				for i, name := range names {
					for k, bits := range results[i].Data {
						in, _ := tensor.Float8(d, byte(k))
						out, _ := tensor.Float8(d, bits)
						if want := functions[name](float64(in)); !isNear(d, want, float64(out)) {
							t.Errorf("%s: %s of %v is %v, not %v", engine, name, in, out, want)
						}
					}
				}
			}
		})
	}
}

// isNear reports whether no other number of a format is between x, or the largest number, and one of the format.
func isNear(d tensor.DType, x, number float64) bool {
	if math.IsNaN(x) || math.IsNaN(number) || math.IsInf(number, 0) {
		largest := largestOf(d)
		return math.IsNaN(x) && math.IsNaN(number) || math.Abs(x) > largest
	}
	low, high := min(x, number), max(x, number)
	between := 0
	for i := range 256 {
		f, _ := tensor.Float8(d, byte(i))
		if v := float64(f); low < v && v < high {
			between++
		}
	}
	return between == 0
}

func largestOf(d tensor.DType) (largest float64) {
	for i := range 256 {
		if f, _ := tensor.Float8(d, byte(i)); !math.IsInf(float64(f), 0) && float64(f) > largest {
			largest = float64(f)
		}
	}
	return largest
}
