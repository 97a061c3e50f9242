package lower_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// quantizations are types that quantized samples have.
var quantizations = []string{"i8:f32, 0.5:3", "i8<-100:100>:f32, 0.25:1", "u8:f32, 0.5:128", "i4:f32, 4.0", "i16:f32, 0.125:7",
	"i32:f32, 0.125", "i8:f32:0, {0.5:3, 0.25:-1}", "i8:f32:1, {0.5, 0.25, 0.125}"}

// TestQuantizedOperations computes all samples of f32 that may be of quantized numbers with these, and compares with
// what the interpreter computes with the numbers that they represent.
func TestQuantizedOperations(t *testing.T) {
	c := mlirtest.Context(t)
	check.NoError(t, stablehlo.LoadQuant(c))
	done := map[string]bool{}
	for i, q := range quantizations {
		for j, p := range operationSamples(t) {
			if i > 0 && (i+j)%8 > 0 {
				continue // all take a minute
			}
			if !strings.HasPrefix(p.op, "stablehlo.") || slices.Contains(ofNumbers, p.op) {
				continue
			}
			kind, ok := stablehlo.AsQuantized(check.Must(c.ParseType("!quant.uniform<" + q + ">")))
			if !ok {
				t.Fatalf("%s is not read", q)
			}
			direct, byNumbers, ok := inQuantized(p.text, kind)
			if !ok {
				continue
			}
			m, err := c.Parse("test.mlir", []byte(direct))
			if err != nil {
				continue // the operation has no such numbers
			}
			done[p.op] = true
			t.Run(q+" "+p.name, func(t *testing.T) {
				e, err := jit.Compile(t.Context(), m, jit.Options{})
				check.NoError(t, err)
				check.Cleanup(t, e)
				inputs := p.randomInputs(e.Inputs())
				got := check.Must(e.Call(t.Context(), inputs...))
				want, like := p.reference(t, check.Must(c.Parse("test.mlir", []byte(byNumbers))), inputs)
				if like == "" {
					t.Error("nothing else runs it")
				}
				compare(t, 0, want, got)
			})
		}
	}
	t.Logf("%d operations", len(done))
	for _, name := range strings.Fields(`add multiply reverse transpose slice concatenate gather select reshape pad compare
		broadcast_in_dim dot_general convolution reduce sort scatter dynamic_slice tanh clamp while if reduce_window`) {
		if !done["stablehlo."+name] {
			t.Errorf("%s has no quantized sample", name)
		}
	}
}

// TestQuantizedByAxis has numbers with a scale for each index of an axis: %y has the rows (1.5, -0.5) and (1, 2.25) in
// %r and in %c, whose axes are the rows and the columns.
func TestQuantizedByAxis(t *testing.T) {
	const head = `!r = !quant.uniform<i8:f32:0, {0.5:1, 0.25:-2}>
		!t = !quant.uniform<i8:f32:1, {0.5:1, 0.25:-2}>
		!c = !quant.uniform<i8:f32:1, {0.5, 0.25}>
		!k = !quant.uniform<i8:f32:2, {0.5, 0.25}>
		!q = !quant.uniform<i8:f32, 0.5>
		!s = !quant.uniform<i8:f32, 0.5:3>
		!w = !quant.uniform<i32:f32:1, {0.25, 0.125}>
		!z = !quant.uniform<i32:f32:2, {0.25, 0.125}>
		func.func @main(%x: tensor<1x2xf32>, %y: tensor<2x2xf32>) -> tensor<OUTxf32> {
			%q = stablehlo.uniform_quantize %x : (tensor<1x2xf32>) -> tensor<1x2x!q>
			%r = stablehlo.uniform_quantize %y : (tensor<2x2xf32>) -> tensor<2x2x!r>
			%c = stablehlo.uniform_quantize %y : (tensor<2x2xf32>) -> tensor<2x2x!c>
			%i = stablehlo.uniform_quantize %y : (tensor<2x2xf32>) -> tensor<2x2x!q>
			`
	const dot = `stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<1x2xIN>, tensor<2x2x!c>) -> tensor<1x2x`
	for _, tt := range []struct {
		name, dims, of, body string
		want                 []float32
	}{
		{"transpose", "2x2", "!t", `%0 = stablehlo.transpose %r, dims = [1, 0] : (tensor<2x2x!r>) -> tensor<2x2x!t>`,
			[]float32{1.5, 1, -0.5, 2.25}},
		{"reshape", "2x1x2", "!r", `%0 = stablehlo.reshape %r : (tensor<2x2x!r>) -> tensor<2x1x2x!r>`,
			[]float32{1.5, -0.5, 1, 2.25}},
		{"broadcast_in_dim", "2x2x2", "!r",
			`%0 = stablehlo.broadcast_in_dim %r, dims = [0, 2] : (tensor<2x2x!r>) -> tensor<2x2x2x!r>`,
			[]float32{1.5, -0.5, 1.5, -0.5, 1, 2.25, 1, 2.25}},
		{"constant", "2x2", "!r", `%0 = stablehlo.constant() {value = dense<[[4, 0], [2, 7]]> : tensor<2x2xi8>} : () ->
			tensor<2x2x!r>`, []float32{1.5, -0.5, 1, 2.25}},
		{"requantize", "2x2", "!s", `%0 = stablehlo.uniform_quantize %r : (tensor<2x2x!r>) -> tensor<2x2x!s>`,
			[]float32{1.5, -0.5, 1, 2.5}},
		{"dot_general", "1x2", "!w", "%0 = " + strings.NewReplacer("%x", "%q", "IN", "!q").Replace(dot) + "!w>",
			[]float32{1.75, -1.875}},
		{"dot_general to eight bits", "1x2", "!s",
			"%0 = " + strings.NewReplacer("%x", "%q", "IN", "!q").Replace(dot) + "!s>", []float32{1.5, -2}},
		{"convolution", "1x2x2", "!z", `
			%a = stablehlo.reshape %i : (tensor<2x2x!q>) -> tensor<1x2x2x!q>
			%f = stablehlo.reshape %y : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
			%k = stablehlo.uniform_quantize %f : (tensor<1x2x2xf32>) -> tensor<1x2x2x!k>
			%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
				{batch_group_count = 1 : i64, feature_group_count = 1 : i64}
				: (tensor<1x2x2x!q>, tensor<1x2x2x!k>) -> tensor<1x2x2x!z>`, []float32{1.75, -1.875, 3.5, 4}},
		{"of floats and quantized numbers", "1x2", "", "%1 = " + strings.ReplaceAll(dot, "IN", "f32") + "f32>",
			[]float32{1.35, -2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mlirtest.Context(t)
			check.NoError(t, stablehlo.LoadQuant(c))
			text := strings.Replace(head, "OUT", tt.dims, 1) + tt.body
			if tt.of != "" {
				text += fmt.Sprintf("\n%%1 = stablehlo.uniform_dequantize %%0 : (tensor<%[1]sx%[2]s>) -> tensor<%[1]sxf32>",
					tt.dims, tt.of)
			}
			m := check.Must(c.Parse("test.mlir", []byte(text+fmt.Sprintf("\nreturn %%1 : tensor<%sxf32>\n}", tt.dims))))
			p := program{inputs: []tensor.View{check.Must(tensor.FromSlice([]float32{1.3, -0.6}, 1, 2)),
				check.Must(tensor.FromSlice([]float32{1.3, -0.6, 0.9, 2.2}, 2, 2))}}
			got, _ := p.run(t, m)
			var dims []int
			for d := range strings.SplitSeq(tt.dims, "x") {
				dims = append(dims, check.Must(strconv.Atoi(d)))
			}
			compare(t, 1e-6, []tensor.View{check.Must(tensor.FromSlice(tt.want, dims...))}, got)
		})
	}
}

// ofNumbers are the operations of which the samples have other than random numbers, or no results that are compared.
var ofNumbers = []string{"stablehlo.custom_call", "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv",
	"stablehlo.send", "stablehlo.bitcast_convert", "stablehlo.set_dimension_size", "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize"}

var (
	parameterOf = regexp.MustCompile(`%(\w+): (tensor<[^>]*f32>)`)
	resultOf    = regexp.MustCompile(`%[\w#]+`)
	constants   = regexp.MustCompile(`dense<.*f32>`) // of which there are no quantized ones
)

// inQuantized returns a program of one of f32 that computes with quantized numbers, and one that computes with the
// numbers that these represent.
func inQuantized(text string, q stablehlo.Quantized) (direct, byNumbers string, ok bool) {
	head, rest, _ := strings.Cut(text, "{\n")
	body, rest, _ := strings.Cut(rest, "\nreturn ")
	if constants.MatchString(body) || !strings.Contains(head, "f32") {
		return "", "", false
	}
	returned, rest, _ := strings.Cut(rest, "\n")
	values, types, _ := strings.Cut(returned, " : ")
	of := func(t string) string { return strings.Replace(t, "f32>", "!q>", 1) }
	var before, between, after, to strings.Builder
	for _, p := range parameterOf.FindAllStringSubmatch(head, -1) {
		name, t := p[1], p[2]
		fmt.Fprintf(&before, "%%%s = stablehlo.uniform_quantize %%%[1]s_f : (%s) -> %s\n", name, t, of(t))
		between.WriteString(represented(name, name+"_f", t, q))
	}
	list := strings.Split(types, ", ")
	var results []string
	for i, v := range resultOf.FindAllString(values, -1) {
		if !strings.HasSuffix(list[i], "f32>") {
			results = append(results, v)
			continue
		}
		r := fmt.Sprint("r", i)
		results = append(results, "%"+r)
		fmt.Fprintf(&after, "%%%s = stablehlo.uniform_dequantize %s : (%s) -> %s\n", r, v, of(list[i]), list[i])
		to.WriteString(represented(r, v[1:], list[i], q))
	}
	head = parameterOf.ReplaceAllString(head, "%${1}_f: $2") + "{\n"
	end := "return " + strings.Join(results, ", ") + " : " + types + "\n" + rest
	return "!q = " + q.String() + "\n" + head + before.String() + strings.ReplaceAll(body, "f32>", "!q>") + "\n" +
		after.String() + end, head + between.String() + body + "\n" + to.String() + end, true
}

// represented returns operations that compute the numbers that represent those of an array. NaN has the integer 0,
// and there is no -0.
func represented(to, from, t string, q stablehlo.Quantized) string {
	low, high := -math.Ldexp(1, q.Bits-1), math.Ldexp(1, q.Bits-1)-1
	if q.Unsigned {
		low, high = 0, math.Ldexp(1, q.Bits)-1
	}
	if q.Min != 0 || q.Max != 0 {
		low, high = float64(q.Min), float64(q.Max)
	}
	constant := func(values ...float64) (c, dims, typ string) {
		text := strings.ReplaceAll(fmt.Sprintf("%.17e", values), " ", ", ")
		if !q.PerAxis || len(values) == 1 {
			return strings.Trim(text, "[]"), "", "tensor<f32>"
		}
		return text, fmt.Sprint(q.Axis), fmt.Sprintf("tensor<%dxf32>", len(values))
	}
	zeros := make([]float64, len(q.ZeroPoints))
	for i, z := range q.ZeroPoints {
		zeros[i] = float64(z)
	}
	var b strings.Builder
	for name, values := range map[string][]float64{"s": q.Scales, "z": zeros, "l": {low}, "h": {high}, "n": {0}} {
		c, dims, typ := constant(values...)
		fmt.Fprintf(&b, "%%%s_%s0 = stablehlo.constant dense<%s> : %s\n", to, name, c, typ)
		fmt.Fprintf(&b, "%%%s_%s = stablehlo.broadcast_in_dim %%%[1]s_%[2]s0, dims = [%[3]s] : (%[4]s) -> %[5]s\n", to, name,
			dims, typ, t)
	}
	b.WriteString(strings.NewReplacer("TO", "%"+to, "FROM", "%"+from, "TYPE", t,
		"BOOL", strings.Replace(t, "f32", "i1", 1)).Replace(`
		TO_1 = stablehlo.divide FROM, TO_s : TYPE
		TO_2 = stablehlo.add TO_1, TO_z : TYPE
		TO_3 = stablehlo.clamp TO_l, TO_2, TO_h : TYPE
		TO_r = stablehlo.round_nearest_even TO_3 : TYPE
		TO_c = stablehlo.compare EQ, TO_r, TO_r : (TYPE, TYPE) -> BOOL
		TO_4 = stablehlo.select TO_c, TO_r, TO_n : BOOL, TYPE
		TO_5 = stablehlo.subtract TO_4, TO_z : TYPE
		TO_6 = stablehlo.add TO_5, TO_n : TYPE
		TO = stablehlo.multiply TO_6, TO_s : TYPE
	`))
	return b.String()
}
