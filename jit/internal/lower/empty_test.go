package lower_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestEmpty runs operations on arrays without elements.
func TestEmpty(t *testing.T) { alone(t, "testdata/empty.txt") }

// TestEinsum runs products by their labels.
func TestEinsum(t *testing.T) { alone(t, "testdata/einsum.txt") }

// TestUnaryEinsum rearranges an array, which XLA cannot.
func TestUnaryEinsum(t *testing.T) {
	x := check.Must(tensor.FromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3))
	for config, want := range map[string]tensor.View{
		"ij->ji": check.Must(tensor.FromSlice([]int32{1, 4, 7, 2, 5, 8, 3, 6, 9}, 3, 3)),
		"ij->j":  tensor.Vector[int32](12, 15, 18), "ii->i": tensor.Vector[int32](1, 5, 9),
		"ii->": tensor.Scalar[int32](15),
	} {
		p := single(fmt.Sprintf("unary_einsum; 3x3xi32; %s; einsum_config = %q",
			strings.Repeat("3x", want.Shape.Rank())+"i32", config))
		p.inputs = []tensor.View{x}
		got, _ := p.run(t, mlirtest.Parse(t, mlirtest.Context(t), p.text))
		check.Diff(t, config, []tensor.View{want}, got)
	}
}

// TestEinsumIsRefused has labels that do not fit.
func TestEinsumIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		`einsum; 2x3xf32,4x3xf32; 2x3xf32; einsum_config = "ij,jk->ik"`:   `it has the sizes 3 and 4 for the label 'j'`,
		`einsum; 2x3xf32,3x4xf32; 3x4xf32; einsum_config = "ij,jk->ik"`:   `it has the sizes 2 and 3 for the label 'i'`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ij,jk->il"`:   `a result with the label 'l', which no operand`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ijk,jk->ik"`:  `it has the labels "ijk" for 2 dimensions`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ij->ik"`:      `which is not of 2 operands and a result`,
		`einsum; 2x3xf32,3x4xf32; 2x4xi32; einsum_config = "ij,jk->ik"`:   `it takes f32 and makes i32: convert`,
		`einsum; 2x3xf32,3x4xf32; 2x4xf32; einsum_config = "ijk...,j->i"`: `it has the labels "ijk..." for 2 dimensions`,
	} {
		m := mlirtest.Parse(t, mlirtest.Context(t), single(line).text)
		_, err := jit.Compile(t.Context(), m, jit.Options{})
		check.Error(t, err, want)
	}
}

// alone compares programs of one operation with the interpreter, or with XLA if that lacks the operation.
func alone(t *testing.T, file string) {
	f := check.Must(os.Open(file))
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		p := single(lines.Text())
		against := interpreted
		m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
		if _, ok := errors.AsType[*stablehlo.EvaluateError](stablehlo.CheckEvaluate(m)); ok {
			against = func(t *testing.T, programs []program) { onXLA(t, 1e-5, programs) }
		}
		against(t, []program{p})
	}
}

// single returns the program that a line of a file describes.
func single(line string) program {
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
	for i, t := range in {
		operands = append(operands, "%x"+strconv.Itoa(i))
		parameters = append(parameters, operands[i]+": "+t)
	}
	for i := range out {
		results = append(results, "%0#"+strconv.Itoa(i))
	}
	body := fmt.Sprintf("%%0:%d = %q(%s) %s {%s} : (%s) -> (%s)\nreturn %s : %[7]s", len(out), name,
		strings.Join(operands, ", "), strings.ReplaceAll(regions[fields[4]], "E", elem),
		strings.ReplaceAll(fields[3], "CONV", images),
		strings.Join(in, ", "), strings.Join(out, ", "), strings.Join(results, ", "))
	return program{name: line, text: function(strings.Join(parameters, ", "), strings.Join(out, ", "), body)}
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
