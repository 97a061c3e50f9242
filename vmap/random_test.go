package vmap_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/vmap"
)

// The types of the values of random programs.
const (
	scalarType = "tensor<f32>"
	vectorType = "tensor<3xf32>"
	matrixType = "tensor<3x3xf32>"
	indexType  = "tensor<i32>"
	boolType   = "tensor<i1>"
)

// A generator writes a random program.
type generator struct {
	*rand.Rand
	text   *strings.Builder
	values map[string][]string // names by type
	n      *int
}

// any returns a random value of a type.
func (g generator) any(t string) string { return g.values[t][g.IntN(len(g.values[t]))] }

// line writes an operation of one result of type t. A $ in it is a value of the next type of from.
func (g generator) line(t, operation string, from ...string) string {
	for _, of := range from {
		operation = strings.Replace(operation, "$", g.any(of), 1)
	}
	*g.n++
	name := fmt.Sprintf("%%v%d", *g.n)
	fmt.Fprintf(g.text, "%s = %s\n", name, operation)
	g.values[t] = append(g.values[t], name)
	return name
}

// inside returns a generator for a region, whose values stay in it.
func (g generator) inside() generator {
	values := map[string][]string{}
	for t, list := range g.values {
		values[t] = list[:len(list):len(list)]
	}
	g.values = values
	return g
}

// step writes a random operation.
func (g generator) step(depth int) {
	kinds := 22
	if depth > 0 {
		kinds += 3
	}
	switch g.IntN(kinds) {
	case 0:
		g.line(vectorType, "stablehlo.tanh $ : "+vectorType, vectorType)
	case 1:
		g.line(vectorType, "stablehlo.maximum $, $ : "+vectorType, vectorType, vectorType)
	case 2:
		g.line(matrixType, "stablehlo.subtract $, $ : "+matrixType, matrixType, matrixType)
	case 3:
		g.line(vectorType, "stablehlo.dot_general $, $, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>", matrixType, vectorType)
	case 4:
		g.line(matrixType, "stablehlo.dot_general $, $, contracting_dims = [0] x [1] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>", matrixType, matrixType)
		g.line(matrixType, "stablehlo.tanh "+last(g.values[matrixType])+" : "+matrixType)
	case 5:
		g.line(matrixType, "stablehlo.dot_general $, $, contracting_dims = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>", vectorType, vectorType)
	case 6:
		g.line(scalarType, "stablehlo.dot_general $, $, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>", vectorType, vectorType)
		g.line(scalarType, "stablehlo.tanh "+last(g.values[scalarType])+" : "+scalarType)
	case 7:
		g.line(matrixType, "stablehlo.transpose $, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>", matrixType)
	case 8:
		g.line(matrixType, "stablehlo.broadcast_in_dim $, dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>", vectorType)
	case 9:
		g.line(vectorType, "stablehlo.broadcast_in_dim $, dims = [] : (tensor<f32>) -> tensor<3xf32>", scalarType)
	case 10:
		g.line(vectorType, "stablehlo.reduce($ init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>", matrixType)
		g.line(vectorType, "stablehlo.tanh "+last(g.values[vectorType])+" : "+vectorType)
	case 11:
		v := g.line("slice",
			"stablehlo.dynamic_slice $, $, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>", vectorType, indexType)
		g.line(scalarType, "stablehlo.reshape "+v+" : (tensor<1xf32>) -> tensor<f32>")
	case 12:
		v := g.line("row", "stablehlo.dynamic_slice $, $, $, sizes = [1, 3] : (tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>", matrixType, indexType, indexType)
		g.line(matrixType,
			"stablehlo.dynamic_update_slice $, "+v+", $, $ : (tensor<3x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>", matrixType, indexType, indexType)
	case 13:
		v := g.line("part", "stablehlo.reshape $ : (tensor<f32>) -> tensor<1xf32>", scalarType)
		g.line(vectorType, "stablehlo.dynamic_update_slice $, "+v+
			", $ : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>", vectorType, indexType)
	case 14:
		g.line(indexType, "stablehlo.convert $ : (tensor<f32>) -> tensor<i32>", scalarType)
	case 15:
		g.line(indexType, "stablehlo.add $, %one : tensor<i32>", indexType)
	case 16:
		g.line(boolType, "stablehlo.compare GT, $, $ : (tensor<f32>, tensor<f32>) -> tensor<i1>", scalarType,
			scalarType)
	case 17:
		g.line(vectorType, "stablehlo.select $, $, $ : tensor<i1>, tensor<3xf32>", boolType, vectorType, vectorType)
	case 18:
		g.line(vectorType, `"stablehlo.sort"($) <{dimension = 0 : i64}> ({
		^bb0(%p: tensor<f32>, %q: tensor<f32>):
			%less = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
			stablehlo.return %less : tensor<i1>
		}) : (tensor<3xf32>) -> tensor<3xf32>`, vectorType)
	case 19:
		v := g.line("long", "stablehlo.concatenate $, $, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>",
			vectorType, vectorType)
		g.line(vectorType, "stablehlo.slice "+v+" [1:6:2] : (tensor<6xf32>) -> tensor<3xf32>")
	case 20:
		v := g.line("where", "stablehlo.reshape $ : (tensor<i32>) -> tensor<1xi32>", indexType)
		g.line(vectorType,
			`"stablehlo.scatter"($, `+v+
				`, $) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
		^bb0(%p: tensor<f32>, %q: tensor<f32>):
			%$um = stablehlo.add %p, %q : tensor<f32>
			stablehlo.return %$um : tensor<f32>
		}) : (tensor<3xf32>, tensor<1xi32>, tensor<f32>) -> tensor<3xf32>`, vectorType, scalarType)
	case 21:
		g.line(vectorType, "stablehlo.pad $, $, low = [-1], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>", vectorType, scalarType)
	case 22:
		pred := g.any(boolType)
		g.branch(depth, fmt.Sprintf(`"stablehlo.if"(%s)`, pred), 2, boolType)
	case 23:
		index := g.any(indexType)
		g.branch(depth, fmt.Sprintf(`"stablehlo.case"(%s)`, index), 3, indexType)
	default:
		g.loop(depth)
	}
}

func last(list []string) string { return list[len(list)-1] }

// branch writes an if or a case of two results.
func (g generator) branch(depth int, head string, regions int, selector string) {
	*g.n++
	name := fmt.Sprintf("%%v%d", *g.n)
	fmt.Fprintf(g.text, "%s:2 = %s (", name, head)
	for i := range regions {
		if i > 0 {
			g.text.WriteString(", ")
		}
		g.text.WriteString("{\n")
		in := g.inside()
		for range 1 + g.IntN(3) {
			in.step(depth - 1)
		}
		fmt.Fprintf(g.text, "stablehlo.return %s, %s : %s, %s\n}", last(in.values[vectorType]), in.any(scalarType),
			vectorType, scalarType)
	}
	fmt.Fprintf(g.text, ") : (%s) -> (%s, %s)\n", selector, vectorType, scalarType)
	g.values[vectorType] = append(g.values[vectorType], name+"#0")
	g.values[scalarType] = append(g.values[scalarType], name+"#1")
}

// loop writes a loop of at most four steps that carries a vector and a scalar.
func (g generator) loop(depth int) {
	bound := g.line("bound", "stablehlo.minimum $, %four : tensor<i32>", indexType)
	*g.n++
	name := fmt.Sprintf("%%v%d", *g.n)
	fmt.Fprintf(g.text, "%[1]s:3 = stablehlo.while(%[1]si = %%nil, %[1]sx = %[2]s, %[1]ss = %[3]s) : tensor<i32>, tensor<3xf32>, tensor<f32>\n",
		name, g.any(vectorType), g.any(scalarType))
	fmt.Fprintf(g.text, "cond {\n%%go = stablehlo.compare LT, %si, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%go : tensor<i1>\n} do {\n", name, bound)
	in := g.inside()
	in.values[indexType] = append(in.values[indexType], name+"i")
	in.values[vectorType] = append(in.values[vectorType], name+"x")
	in.values[scalarType] = append(in.values[scalarType], name+"s")
	for range 1 + g.IntN(3) {
		in.step(depth - 1)
	}
	fmt.Fprintf(g.text, "%[1]sn = stablehlo.add %[1]si, %%one : tensor<i32>\nstablehlo.return %[1]sn, %[2]s, %[3]s : tensor<i32>, tensor<3xf32>, tensor<f32>\n}\n",
		name, last(in.values[vectorType]), last(in.values[scalarType]))
	g.values[vectorType] = append(g.values[vectorType], name+"#1")
	g.values[scalarType] = append(g.values[scalarType], name+"#2")
}

// randomProgram returns a program of a vector, a matrix and an index that returns a vector and a matrix.
func randomProgram(seed uint64) string {
	g := generator{rand.New(rand.NewPCG(seed, 1)), &strings.Builder{}, map[string][]string{
		vectorType: {"%x"}, matrixType: {"%m"}, indexType: {"%i", "%one"}, scalarType: {"%zero"}, boolType: {"%true"},
	}, new(int)}
	for range 6 + g.IntN(10) {
		g.step(2)
	}
	return `func.func @main(%x: tensor<3xf32>, %m: tensor<3x3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<3x3xf32>) {
		%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%true = stablehlo.constant dense<true> : tensor<i1>
		%nil = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%four = stablehlo.constant dense<4> : tensor<i32>
` + g.text.String() + fmt.Sprintf("return %s, %s : tensor<3xf32>, tensor<3x3xf32>\n}", last(g.values[vectorType]), last(g.values[matrixType]))
}

var programs = flag.Int("programs", 15, "how many random programs to batch")

// TestRandomPrograms holds that a batch of a random program computes it for each element, and that so does
// a batch of its derivative along tangents.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(*programs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			text := randomProgram(seed)
			f := function(t, parse(t, text), "main")
			holdsForEach(t, evaluate, f, vmap.Options{})
			jvp, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			holdsForEach(t, evaluate, jvp, vmap.Options{})
			batched, err := vmap.Batch(f, vmap.Options{Size: 2})
			check.NoError(t, err)
			holdsForEach(t, evaluate, batched, vmap.Options{})
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}
