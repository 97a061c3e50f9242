package lower_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// sizes are what S stands for in samples.
var sizes = []string{"2x3x", "", "0x3x"}

// operationSamples returns the samples of all operations.
func operationSamples(t *testing.T) (list []operationSample) {
	t.Helper()
	for line := range strings.Lines(string(check.Must(os.ReadFile("testdata/operations.txt")))) {
		names, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "; ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			forEachSize(name+"; "+rest, func(text string) { list = append(list, single(text)) })
		}
	}
	for _, w := range written {
		name, results, _ := strings.Cut(w[0], " -> ")
		forEachSize(results+"\n"+w[1]+"\n"+w[2], func(text string) {
			parts := strings.SplitN(text, "\n", 3)
			first, _, _ := strings.Cut(parts[1], ",")
			_, first, _ = strings.Cut(first, ": ")
			list = append(list, operationSample{op: name, arrays: []string{first, parts[0]}, program: program{
				name: name + " of " + parts[1], text: programOf(parts[1], parts[0], parts[2])}})
		})
	}
	return list
}

// programOf returns a module whose main has a body that computes %0, with functions that it may call.
func programOf(parameters, results, body string) string {
	return function(parameters, results, body+"\nreturn %0 : "+results) + `
		func.func private @negated(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
			%0 = stablehlo.negate %x : tensor<2x3xf32>
			return %0 : tensor<2x3xf32>
		}`
}

func forEachSize(text string, do func(string)) {
	if !strings.Contains(text, "Sx") {
		do(text)
		return
	}
	for _, size := range sizes {
		do(strings.ReplaceAll(text, "Sx", size))
	}
}

// written are the samples of operations that no line describes: the operation and the types of the results, the
// parameters, and the body of main, which computes %0.
var written = [][3]string{
	{"stablehlo.if -> tensor<Sxf32>", "%x: tensor<Sxf32>, %p: tensor<i1>", `%0 = "stablehlo.if"(%p) ({
		"stablehlo.return"(%x) : (tensor<Sxf32>) -> ()
	}, {
		%y = stablehlo.negate %x : tensor<Sxf32>
		"stablehlo.return"(%y) : (tensor<Sxf32>) -> ()
	}) : (tensor<i1>) -> tensor<Sxf32>`},
	{"stablehlo.case -> tensor<Sxf32>", "%x: tensor<Sxf32>, %i: tensor<i32>", `%0 = "stablehlo.case"(%i) ({
		"stablehlo.return"(%x) : (tensor<Sxf32>) -> ()
	}, {
		%y = stablehlo.negate %x : tensor<Sxf32>
		"stablehlo.return"(%y) : (tensor<Sxf32>) -> ()
	}) : (tensor<i32>) -> tensor<Sxf32>`},
	{"stablehlo.while -> tensor<Sxf32>", "%x: tensor<Sxf32>, %n: tensor<i32>", `
		%zero = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%r:2 = "stablehlo.while"(%n, %x) ({
		^bb0(%i: tensor<i32>, %a: tensor<Sxf32>):
			%c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
			"stablehlo.return"(%c) : (tensor<i1>) -> ()
		}, {
		^bb0(%i: tensor<i32>, %a: tensor<Sxf32>):
			%j = stablehlo.subtract %i, %one : tensor<i32>
			%b = stablehlo.add %a, %x : tensor<Sxf32>
			"stablehlo.return"(%j, %b) : (tensor<i32>, tensor<Sxf32>) -> ()
		}) : (tensor<i32>, tensor<Sxf32>) -> (tensor<i32>, tensor<Sxf32>)
		%0 = stablehlo.negate %r#1 : tensor<Sxf32>`},
	{"stablehlo.return -> tensor<Sxf32>", "%x: tensor<Sxf32>, %p: tensor<i1>", `%0 = "stablehlo.if"(%p) ({
		"stablehlo.return"(%x) : (tensor<Sxf32>) -> ()
	}, {
		%y = stablehlo.negate %x : tensor<Sxf32>
		"stablehlo.return"(%y) : (tensor<Sxf32>) -> ()
	}) : (tensor<i1>) -> tensor<Sxf32>`},
	{"stablehlo.composite -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", `%0 = stablehlo.composite "a.negated" %x {
		decomposition = @negated} : (tensor<2x3xf32>) -> tensor<2x3xf32>`},
	{"stablehlo.tuple -> tensor<Sxf32>", "%x: tensor<Sxf32>", tuples},
	{"stablehlo.get_tuple_element -> tensor<Sxf32>", "%x: tensor<Sxf32>", tuples},
	{"stablehlo.after_all -> tensor<Sxf32>", "%x: tensor<Sxf32>", tokens},
	{"stablehlo.create_token -> tensor<Sxf32>", "%x: tensor<Sxf32>", tokens},
	{"stablehlo.async_start -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", asynchronous},
	{"stablehlo.async_done -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", asynchronous},
	{"stablehlo.custom_call -> tensor<2x3xf32>", "%x: tensor<2x3xf32>",
		`%0 = stablehlo.custom_call @none(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>`},
	{"stablehlo.infeed -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", `%t = stablehlo.create_token : !stablehlo.token
		%0, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)`},
	{"stablehlo.outfeed -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", `%t = stablehlo.create_token : !stablehlo.token
		%u = "stablehlo.outfeed"(%x, %t) : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
		%0 = stablehlo.negate %x : tensor<2x3xf32>`},
	{"stablehlo.recv -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", `%t = stablehlo.create_token : !stablehlo.token
		%0, %u = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>,
			is_host_transfer = true} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)`},
	{"stablehlo.send -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", `%t = stablehlo.create_token : !stablehlo.token
		%u = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,
			is_host_transfer = true} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
		%0 = stablehlo.negate %x : tensor<2x3xf32>`},
	{"stablehlo.set_dimension_size -> tensor<3xf32>", "%x: tensor<4x3xf32>, %p: tensor<i1>", `
		%two = stablehlo.constant dense<2> : tensor<i32>
		%i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
		%n = stablehlo.add %i, %two : tensor<i32>
		%z = stablehlo.constant dense<0.0> : tensor<f32>
		%y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>)
			-> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
		%t = stablehlo.tanh %y : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
		%s = stablehlo.add %t, %y : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
		%a = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0]
			: (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<3xf32>
		%b = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
			: (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>
		%c = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0]
			: (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<f32>
		%d = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
		%e = stablehlo.convert %d : (tensor<i32>) -> tensor<f32>
		%f = stablehlo.add %c, %e : tensor<f32>
		%g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<3xf32>
		%0 = stablehlo.add %a, %g : tensor<3xf32>`},
	{"stablehlo.uniform_quantize -> tensor<Sxf32>", "%x: tensor<Sxf32>", quantized},
	{"stablehlo.uniform_dequantize -> tensor<Sxf32>", "%x: tensor<Sxf32>", quantized},
	{"chlo.scan -> tensor<2x3xf32>", "%x: tensor<2x3xf32>", fmt.Sprintf(scans, "2x3x", "3x")},
	{"chlo.scan -> tensor<2xf32>", "%x: tensor<2xf32>", fmt.Sprintf(scans, "2x", "")},
	{"chlo.scan -> tensor<0x3xf32>", "%x: tensor<0x3xf32>", fmt.Sprintf(scans, "0x3x", "3x")},
}

const (
	tuples = `%t = stablehlo.tuple %x, %x : tuple<tensor<Sxf32>, tensor<Sxf32>>
		%y = stablehlo.get_tuple_element %t[1] : (tuple<tensor<Sxf32>, tensor<Sxf32>>) -> tensor<Sxf32>
		%0 = stablehlo.negate %y : tensor<Sxf32>`
	tokens = `%t = stablehlo.create_token : !stablehlo.token
		%u = stablehlo.after_all %t, %t : !stablehlo.token
		%0 = stablehlo.negate %x : tensor<Sxf32>`
	quantized = `
		%q = stablehlo.uniform_quantize %x : (tensor<Sxf32>) -> tensor<Sx!quant.uniform<i8:f32, 0.5:3>>
		%0 = stablehlo.uniform_dequantize %q : (tensor<Sx!quant.uniform<i8:f32, 0.5:3>>) -> tensor<Sxf32>`
	asynchronous = `%f = "stablehlo.async_start"(%x) ({
		^bb0(%y: tensor<2x3xf32>):
			%z = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}
				: (tensor<2x3xf32>) -> tensor<2x3xf32>
			"stablehlo.return"(%z) : (tensor<2x3xf32>) -> ()
		}) : (tensor<2x3xf32>) -> !stablehlo.future<tensor<2x3xf32>>
		%0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2x3xf32>>) -> tensor<2x3xf32>`
	scans = `
		%%z = stablehlo.constant dense<0.0> : tensor<%[2]sf32>
		%%0, %%c = chlo.scan (%%x) inits (%%z) dimension = 0 {
		^bb0(%%a: tensor<%[2]sf32>, %%s: tensor<%[2]sf32>):
			%%t = stablehlo.add %%a, %%s : tensor<%[2]sf32>
			stablehlo.return %%t, %%t : tensor<%[2]sf32>, tensor<%[2]sf32>
		} : (tensor<%[1]sf32>, tensor<%[2]sf32>) -> (tensor<%[1]sf32>, tensor<%[2]sf32>)`
)

// single returns the sample that a line of a file describes.
func single(line string) operationSample {
	fields := append(strings.Split(line, "; "), "", "")
	name, in, out := fields[0], tensors(fields[1]), tensors(fields[2])
	if !strings.Contains(name, ".") {
		name = "stablehlo." + name
	}
	elem := ""
	if len(in) > 0 {
		elem = strings.TrimLeft(strings.TrimSuffix(strings.TrimPrefix(in[0], "tensor<"), ">"), "0123456789x")
	}
	var parameters, operands, results []string
	constants := ""
	for i, t := range in {
		operands = append(operands, "%x"+strconv.Itoa(i))
		if t, elements, ok := strings.Cut(t, "="); ok {
			in[i] = t + ">"
			constant := dense(in[i], strings.TrimSuffix(elements, ">"))
			constants += fmt.Sprintf("%s = stablehlo.constant %s\n", operands[i], constant)
			continue
		}
		parameters = append(parameters, operands[i]+": "+t)
	}
	for i := range out {
		results = append(results, "%0#"+strconv.Itoa(i))
	}
	body := constants + fmt.Sprintf("%%0:%d = %q(%s) %s {%s} : (%s) -> (%s)\nreturn %s : %[7]s", len(out), name,
		strings.Join(operands, ", "), strings.ReplaceAll(regions[fields[4]], "E", elem),
		strings.ReplaceAll(fields[3], "CONV", images),
		strings.Join(in, ", "), strings.Join(out, ", "), strings.Join(results, ", "))
	return operationSample{op: name, arrays: append(in[:min(1, len(in))], out...), program: program{name: line,
		text: function(strings.Join(parameters, ", "), strings.Join(out, ", "), body)}}
}

// dense returns a constant of a type with elements between spaces.
func dense(typ, elements string) string {
	list := strings.Fields(elements)
	for i, n := range list {
		if strings.Contains(typ, "f32") {
			list[i] = n + ".0"
		}
	}
	switch text := strings.Join(list, ", "); {
	case len(list) == 0:
		return "dense<> : " + typ
	case !strings.Contains(typ, "x"):
		return "dense<" + text + "> : " + typ
	case strings.Contains(typ, "<2x2x"):
		return fmt.Sprintf("dense<[[%s], [%s]]> : %s", strings.Join(list[:2], ", "), strings.Join(list[2:], ", "), typ)
	default:
		return "dense<[" + text + "]> : " + typ
	}
}

// tensors returns the types of which a list has the shapes.
func tensors(list string) (types []string) {
	for shape := range strings.SplitSeq(list, ",") {
		if shape != "" {
			types = append(types, "tensor<"+shape+">")
		}
	}
	return types
}

const (
	images = "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>"
	adds   = `{^bb0(%a: tensor<E>, %b: tensor<E>):
		%r = stablehlo.add %a, %b : tensor<E>
		stablehlo.return %r : tensor<E> }`
	compares = `{^bb0(%a: tensor<E>, %b: tensor<E>):
		%r = stablehlo.compare LT, %a, %b : (tensor<E>, tensor<E>) -> tensor<i1>
		stablehlo.return %r : tensor<i1> }`
)

// regions are the regions of operations by their names in files. E is the type of elements.
var regions = map[string]string{"ADD": "(" + adds + ")", "LT": "(" + compares + ")",
	"LT ADD": "(" + compares + ", " + adds + ")"}
