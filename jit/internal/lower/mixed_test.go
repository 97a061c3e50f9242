package lower_test

import (
	"fmt"
	"strings"
	"testing"
)

// extremes has elements of each type, of which products overflow narrower ones.
var extremes = map[string]string{
	"i1": "true", "i8": "-128", "ui8": "200", "i16": "-32768", "ui16": "60000", "i32": "-2147483648",
	"ui32": "4000000000", "i64": "-3", "ui64": "18446744073709551615", "f16": "-2.75", "bf16": "-2.75", "f32": "-2.75",
	"f64": "-2.75",
}

// TestMixedProducts has products and convolutions, small and large ones, whose results differ in type from operands.
func TestMixedProducts(t *testing.T) {
	var list []program
	for _, of := range []string{"i1", "ui8", "ui32", "f32"} {
		var body, types, results []string
		add := func(name, t string) { results, types = append(results, name), append(types, t) }
		for i, to := range []string{"ui8", "i32", "ui64", "f32"} {
			body = append(body, strings.NewReplacer("OF", of, "TO", to, "N", fmt.Sprint(i)).Replace(`
				%dN = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
					: (tensor<2x3xOF>, tensor<3x2xOF>) -> tensor<2x2xTO>
				%lN = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0]
					: (tensor<16x16xOF>, tensor<16x16xOF>) -> tensor<16x16xTO>
				%cN = stablehlo.convolution(%p, %k) dim_numbers = [b,0,f]x[0,i,o]->[b,0,f], window = {}
					{batch_group_count = 1 : i64, feature_group_count = 1 : i64}
					: (tensor<1x3x2xOF>, tensor<2x2x2xOF>) -> tensor<1x2x2xTO>
				%gN = stablehlo.convolution(%p, %h) dim_numbers = [b,0,f]x[0,i,o]->[b,0,f], window = {}
					{batch_group_count = 1 : i64, feature_group_count = 2 : i64}
					: (tensor<1x3x2xOF>, tensor<2x1x2xOF>) -> tensor<1x2x2xTO>`))
			add(fmt.Sprintf("%%d%d", i), "tensor<2x2x"+to+">")
			add(fmt.Sprintf("%%l%d", i), "tensor<16x16x"+to+">")
			add(fmt.Sprintf("%%c%d", i), "tensor<1x2x2x"+to+">")
			add(fmt.Sprintf("%%g%d", i), "tensor<1x2x2x"+to+">")
		}
		constants := strings.NewReplacer("OF", of, "EXTREME", extremes[of]).Replace(`
			%x = stablehlo.constant dense<EXTREME> : tensor<2x3xOF>
			%y = stablehlo.constant dense<EXTREME> : tensor<3x2xOF>
			%u = stablehlo.constant dense<EXTREME> : tensor<16x16xOF>
			%v = stablehlo.constant dense<EXTREME> : tensor<16x16xOF>
			%p = stablehlo.constant dense<EXTREME> : tensor<1x3x2xOF>
			%k = stablehlo.constant dense<EXTREME> : tensor<2x2x2xOF>
			%h = stablehlo.constant dense<EXTREME> : tensor<2x1x2xOF>`)
		all := strings.Join(types, ", ")
		list = append(list, program{name: of, text: function("", all, constants+strings.Join(body, "")+
			"\nreturn "+strings.Join(results, ", ")+" : "+all)})
	}
	onXLA(t, 1e-6, list)
}

// TestMixedOperands has products whose operands differ in type.
func TestMixedOperands(t *testing.T) {
	var body, types, results []string
	constants := ""
	for of, value := range extremes {
		constants += strings.NewReplacer("OF", of, "EXTREME", value).Replace(`
			%OF = stablehlo.constant dense<EXTREME> : tensor<2xOF>`)
	}
	for i, pair := range [][3]string{{"ui8", "i8", "i32"}, {"i1", "ui16", "f32"}, {"ui8", "f32", "f32"},
		{"f32", "ui32", "i64"}, {"i8", "f64", "f32"}, {"ui32", "f32", "bf16"}, {"f16", "ui8", "ui16"}} {
		body = append(body, fmt.Sprintf("%%r%d = stablehlo.dot_general %%%s, %%%s, contracting_dims = [0] x [0]"+
			" : (tensor<2x%[2]s>, tensor<2x%[3]s>) -> tensor<%[4]s>", i, pair[0], pair[1], pair[2]))
		results, types = append(results, fmt.Sprintf("%%r%d", i)), append(types, "tensor<"+pair[2]+">")
	}
	all := strings.Join(types, ", ")
	onXLA(t, 1e-6, []program{{name: "all", text: function("", all,
		constants+"\n"+strings.Join(body, "\n")+"\nreturn "+strings.Join(results, ", ")+" : "+all)}})
}

// TestAlgorithms has products, small and large ones, that state what their operands are rounded to.
func TestAlgorithms(t *testing.T) {
	var list []program
	for _, a := range []struct {
		of, to, precision, sum string
		operations             int
	}{
		{"bf16", "bf16", "bf16", "f32", 1}, {"f32", "f32", "bf16", "f32", 1}, {"f32", "f32", "bf16", "f32", 3},
		{"f32", "f32", "f32", "f32", 1}, {"f64", "f64", "f64", "f64", 1}, {"f16", "f16", "f16", "f16", 1},
	} {
		algorithm := fmt.Sprintf("#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %[1]s, "+
			"accumulation_type = %[2]s, lhs_component_count = 1, rhs_component_count = 1, "+
			"num_primitive_operations = %[3]d, allow_imprecise_accumulation = false>", a.precision, a.sum, a.operations)
		body := ""
		for i, size := range []string{"2x2", "16x16"} {
			body += strings.NewReplacer("OF", a.of, "TO", a.to, "SIZE", size, "%x", fmt.Sprintf("%%x%d", i),
				"%r", fmt.Sprintf("%%r%d", i), "ALGORITHM", algorithm).Replace(`
				%r = "stablehlo.dot_general"(%x, %x) {algorithm = ALGORITHM, dot_dimension_numbers =
					#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
					: (tensor<SIZExOF>, tensor<SIZExOF>) -> tensor<SIZExTO>`)
		}
		types := fmt.Sprintf("tensor<2x2x%s>, tensor<16x16x%[1]s>", a.to)
		list = append(list, program{name: fmt.Sprint(a), text: function(
			fmt.Sprintf("%%x0: tensor<2x2x%s>, %%x1: tensor<16x16x%[1]s>", a.of), types,
			body+"\nreturn %r0, %r1 : "+types)})
	}
	onXLA(t, 1e-4, list)
}

// TestIota has places that the narrow types lack, and those that integers of their width lack.
func TestIota(t *testing.T) {
	var body, types, results []string
	for i, of := range []string{"i8", "ui8", "f8E5M2", "f8E4M3FN", "f8E3M4", "f16", "bf16", "f32", "complex<f32>"} {
		for n, size := range []int{200, 300, 40000, 70000} {
			name := fmt.Sprintf("%%s%d_%d", i, n)
			body = append(body, strings.NewReplacer("OF", of, "SIZE", fmt.Sprint(size), "FROM", fmt.Sprint(size-9),
				"%s", name, "%i", fmt.Sprintf("%%i%d_%d", i, n)).Replace(`
				%i = stablehlo.iota dim = 1 : tensor<2xSIZExOF>
				%s = stablehlo.slice %i [0:1, FROM:SIZE] : (tensor<2xSIZExOF>) -> tensor<1x9xOF>`))
			results, types = append(results, name), append(types, "tensor<1x9x"+of+">")
		}
	}
	all := strings.Join(types, ", ")
	onXLA(t, 0, []program{{name: "all", text: function("", all,
		strings.Join(body, "")+"\nreturn "+strings.Join(results, ", ")+" : "+all)}})
}

// TestComplexToIntegers has real parts that the types lack.
func TestComplexToIntegers(t *testing.T) {
	var body, types, results []string
	for i, to := range []string{"i1", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"} {
		body = append(body, fmt.Sprintf("%%r%d = stablehlo.convert %%x : (tensor<7xcomplex<f32>>) -> tensor<7x%s>", i, to))
		results, types = append(results, fmt.Sprintf("%%r%d", i)), append(types, "tensor<7x"+to+">")
	}
	all := strings.Join(types, ", ")
	interpreted(t, []program{{name: "all", text: function("", all, `
		%c = stablehlo.constant dense<[(1.0e30, 1.0), (-1.0e30, 0.0), (300.5, 2.0), (-129.5, 0.0), (0.0, 3.0),
			(0x7F800000, 0.0), (0x7FC00000, 0.0)]> : tensor<7xcomplex<f32>>
		%x = stablehlo.optimization_barrier %c : tensor<7xcomplex<f32>>
		`+strings.Join(body, "\n")+"\nreturn "+strings.Join(results, ", ")+" : "+all)}})
}
