package lower_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
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
