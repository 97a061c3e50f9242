package aliasing

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// create makes a custom call without verifying it.
func create(t testing.TB, c *mlir.Context, call stablehlo.CustomCallOp, operands, results []string) mlir.Operation {
	t.Helper()
	call.Target, call.Results = "t", mlirtest.Types(c, results...)
	for _, v := range c.NewBlock(mlir.Location{}, mlirtest.Types(c, operands...)...).Arguments() {
		call.Operands = append(call.Operands, v)
	}
	op, err := mlirtest.Create(c, call)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// reasons returns the texts of all errors of Check, with the numbers of the aliases.
func reasons(t testing.TB, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var out []string
	var collect func(error)
	collect = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				collect(e)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%v is no *Error", err)
			return
		}
		out = append(out, fmt.Sprintf("%d: %s", e.Index, e.Reason))
	}
	collect(err)
	return out
}

const (
	vector = "tensor<4xf32>"
	ints   = "tensor<2xi32>"
	pair   = "tuple<tensor<4xf32>, tensor<2xi32>>"
	nested = "tuple<tuple<tensor<4xf32>, tensor<2xi32>>, tensor<4xf32>>"
)

func alias(out []int64, operand int64, in ...int64) stablehlo.OutputOperandAlias {
	return stablehlo.OutputOperandAlias{OutputTupleIndices: out, OperandIndex: operand, OperandTupleIndices: in}
}

func path(p ...int64) []int64 { return p }

var lists = []struct {
	name              string
	operands, results []string
	list              List
	want              []string // nil where the list is good
}{
	{name: "no aliases"},
	{"only result", []string{vector}, []string{vector}, List{alias(nil, 0)}, nil},
	{"second operand", []string{ints, vector}, []string{vector}, List{alias(nil, 1)}, nil},
	{"crossed", []string{ints, vector}, []string{vector, ints}, List{alias(path(0), 1), alias(path(1), 0)}, nil},
	{"some of them", []string{vector, vector}, []string{vector, ints, vector}, List{alias(path(2), 0)}, nil},
	{"token", []string{"!stablehlo.token"}, []string{"!stablehlo.token"}, List{alias(nil, 0)}, nil},
	{"unknown dimension", []string{"tensor<?xf32>"}, []string{"tensor<?xf32>"}, List{alias(nil, 0)}, nil},
	{"tuple operand", []string{pair}, []string{vector, ints}, List{alias(path(0), 0, 0), alias(path(1), 0, 1)}, nil},
	{"tuple result", []string{ints, vector}, []string{pair}, List{alias(path(0), 1), alias(path(1), 0)}, nil},
	{"whole tuple with whole tuple", []string{pair}, []string{pair}, List{alias(nil, 0)}, nil},
	{"nested tuples", []string{nested, nested}, []string{vector, nested}, List{
		alias(path(0), 0, 1), alias(path(1, 0, 1), 1, 0, 1), alias(path(1, 0, 0), 1, 0, 0), alias(path(1, 1), 1, 1),
	}, nil},
	{"tuple inside a tuple", []string{pair}, []string{nested}, List{alias(path(0), 0)}, nil},
	{"all results with one tuple", []string{pair}, []string{vector, ints}, List{alias(nil, 0)}, nil},

	{"whole tuple", []string{vector, vector}, []string{vector, vector}, List{alias(nil, 0), alias(nil, 1)}, []string{
		"0: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
		"1: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
	}},
	{"whole tuple with another tuple", []string{pair}, []string{ints, vector}, List{alias(nil, 0)}, []string{
		"0: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
	}},
	{"no results", []string{vector}, nil, List{alias(nil, 0), alias(path(0), 0)}, []string{
		"0: the call has no results that could share an operand's memory",
		"1: the call has no results that could share an operand's memory",
	}},
	{"no such result", []string{vector}, []string{vector, vector}, List{alias(path(2), 0), alias(path(-1), 0)},
		[]string{
			"0: there is no result 2: the call has 2",
			"1: there is no result -1: the call has 2",
		}},
	{"path into the only result", []string{vector}, []string{vector}, List{alias(path(0), 0)}, []string{
		"0: the path into the result leads to tensor<4xf32>, which is not a tuple: remove [0] from its end",
	}},
	{"path too long", []string{nested}, []string{vector, vector},
		List{alias(path(1, 0, 3), 0, 1), alias(path(0), 0, 0, 1, 7)}, []string{
			"0: the path into the result leads to tensor<4xf32>, which is not a tuple: remove [0 3] from its end",
			"1: the path into the operand leads to tensor<2xi32>, which is not a tuple: remove [7] from its end",
		}},
	{"no such element", []string{pair}, []string{nested, vector}, List{alias(path(0, 0, 2), 0, 0),
		alias(path(0, 0, -1), 0, 0), alias(path(1), 0, 2), alias(path(1), 0, -2)}, []string{
		"0: the result's tuple " + pair + " has no element 2",
		"1: the result's tuple " + pair + " has no element -1",
		"2: the operand's tuple " + pair + " has no element 2",
		"3: the operand's tuple " + pair + " has no element -2",
	}},
	{"no such operand", []string{vector}, []string{vector}, List{alias(nil, 1), alias(nil, -1)}, []string{
		"0: there is no operand 1: the call has 1",
		"1: there is no operand -1: the call has 1",
	}},
	{"no operands", nil, []string{vector}, List{alias(nil, 0)}, []string{"0: there is no operand 0: the call has 0"}},
	{"another type", []string{ints, pair}, []string{vector}, List{alias(nil, 0), alias(nil, 1), alias(nil, 1, 1)},
		[]string{
			"0: the operand is tensor<2xi32> and the result tensor<4xf32>: values that share memory must have the same type",
			"1: the operand is " + pair +
				" and the result tensor<4xf32>: values that share memory must have the same type",
			"2: the operand is tensor<2xi32> and the result tensor<4xf32>: values that share memory must have the same type",
		}},
	{"two operands, one result", []string{vector, vector, vector}, []string{vector},
		List{alias(nil, 0), alias(nil, 1), alias(nil, 2)}, []string{
			"1: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
			"2: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
		}},
	{"one operand, two results", []string{vector}, []string{vector, vector}, List{alias(path(1), 0), alias(path(0), 0)},
		[]string{
			"1: alias 0 uses this operand already, or a part of it: two results in the same memory would overwrite each other",
		}},
	{"twice the same", []string{vector}, []string{vector}, List{alias(nil, 0), alias(nil, 0)}, []string{
		"1: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
	}},
	{"part of a result", []string{pair, vector, pair}, []string{pair, vector},
		List{alias(path(0), 0), alias(path(0, 0), 1), alias(path(1), 1)}, []string{
			"1: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
		}},
	{"whole of a result in parts", []string{vector, pair}, []string{pair}, List{alias(path(0), 0), alias(nil, 1)},
		[]string{
			"1: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
		}},
	{"all results after one", []string{vector, pair}, []string{vector, ints}, List{alias(path(0), 0), alias(nil, 1)},
		[]string{
			"1: alias 0 uses this result already, or a part of it: a result can share the memory of one operand only",
		}},
	{"part of an operand", []string{nested}, []string{pair, vector, ints, vector}, List{
		alias(path(0), 0, 0), alias(path(1), 0, 0, 0), alias(path(2), 0, 0, 1), alias(path(3), 0, 1),
	}, []string{
		"1: alias 0 uses this operand already, or a part of it: two results in the same memory would overwrite each other",
		"2: alias 0 uses this operand already, or a part of it: two results in the same memory would overwrite each other",
	}},
	{"whole of an operand in parts", []string{pair}, []string{ints, pair},
		List{alias(path(0), 0, 1), alias(path(1), 0)}, []string{
			"1: alias 0 uses this operand already, or a part of it: two results in the same memory would overwrite each other",
		}},
}

func TestCheck(t *testing.T) {
	for _, test := range lists {
		t.Run(test.name, func(t *testing.T) {
			c := mlirtest.Context(t)
			err := test.list.Check(mlirtest.Types(c, test.operands...), mlirtest.Types(c, test.results...))
			if diff := cmp.Diff(test.want, reasons(t, err)); diff != "" {
				t.Errorf("refusals (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckIsStricter compares Check with StableHLO's verifier. The verifier accepts what
// Check accepts, and refuses what Check refuses, except for memory that is shared twice.
func TestCheckIsStricter(t *testing.T) {
	for _, test := range lists {
		if len(test.results) == 0 {
			continue // Create refuses an alias without results; the verifier crashes
		}
		t.Run(test.name, func(t *testing.T) {
			op := create(t, mlirtest.Context(t), stablehlo.CustomCallOp{Aliases: test.list}, test.operands,
				test.results)
			if diff := cmp.Diff(test.want, reasons(t, CheckOperation(op))); diff != "" {
				t.Errorf("refusals of the operation (-want +got):\n%s", diff)
			}
			twice := strings.Contains(strings.Join(test.want, "\n"), "uses this")
			if err := op.Verify(); (err == nil) != (test.want == nil || twice) {
				t.Errorf("StableHLO says %v", err)
			}
		})
	}
}

func TestError(t *testing.T) {
	c := mlirtest.Context(t)
	list := List{alias(path(1), 0), alias(path(1, 0), 2, 3)}
	err := list.Check(mlirtest.Types(c, ints), mlirtest.Types(c, ints, vector))
	want := "aliasing: alias 0 (output [1], operand 0 []): the operand is tensor<2xi32> and the result tensor<4xf32>: values that share memory must have the same type\n" +
		"aliasing: alias 1 (output [1 0], operand 2 [3]): the path into the result leads to tensor<4xf32>, which is not a tuple: remove [0] from its end"
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
	var first *Error
	if !errors.As(err, &first) {
		t.Fatalf("%v holds no *Error", err)
	}
	if diff := cmp.Diff(list[first.Index], first.Alias); diff != "" {
		t.Errorf("alias (-want +got):\n%s", diff)
	}
}

func TestLayouts(t *testing.T) {
	const matrix, cube, matrices = "tensor<2x3xf32>", "tensor<2x3x4xf32>", "tuple<tensor<2x3xf32>, tensor<2x3xf32>>"
	rows, columns := path(1, 0), path(0, 1)
	differ := "the operand's layout is [1 0] and the result's [0 1] (minor to major): values that share memory must have the same layout"
	for _, test := range []struct {
		name              string
		operands, results []string
		in, out           [][]int64
		list              List
		want              []string
	}{
		{"none given", []string{matrix}, []string{matrix}, nil, nil, List{alias(nil, 0)}, nil},
		{"same", []string{matrix}, []string{matrix}, [][]int64{columns}, [][]int64{columns}, List{alias(nil, 0)}, nil},
		{"different", []string{matrix}, []string{matrix}, [][]int64{rows}, [][]int64{columns}, List{alias(nil, 0)},
			[]string{"0: " + differ}},
		{"different but not aliased", []string{matrix}, []string{matrix}, [][]int64{rows}, [][]int64{columns}, nil,
			nil},
		{"of several", []string{cube, matrix, matrix}, []string{matrix, matrix}, [][]int64{path(2, 1, 0), rows, rows},
			[][]int64{columns, rows},
			List{alias(path(1), 1), alias(path(0), 2)}, []string{"1: " + differ}},
		{"scalars", []string{"tensor<f32>"}, []string{"tensor<f32>"}, [][]int64{nil}, [][]int64{{}},
			List{alias(nil, 0)}, nil},
		{"elements of the only result", []string{matrix, matrix}, []string{matrices}, [][]int64{rows, rows},
			[][]int64{rows, columns},
			List{alias(path(0), 0), alias(path(1), 1)}, []string{"1: " + differ}},
		{"type and layout", []string{matrix, ints}, []string{matrix, vector}, [][]int64{rows, path(0)},
			[][]int64{columns, path(0)},
			List{alias(path(0), 0), alias(path(1), 1)}, []string{
				"1: the operand is tensor<2xi32> and the result tensor<4xf32>: values that share memory must have the same type",
				"0: " + differ,
			}},
		// Layouts of operands and results that do not exist are not checked.
		{"whole tuple", []string{matrix}, []string{matrix, matrix}, [][]int64{rows}, [][]int64{columns, columns},
			List{alias(nil, 0)}, []string{
				"0: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
			}},
		{"no such operand or result", []string{matrix}, []string{matrix, matrix}, [][]int64{rows},
			[][]int64{columns, columns},
			List{alias(path(0), 1), alias(path(0), -1), alias(path(2), 0), alias(path(-1), 0)}, []string{
				"0: there is no operand 1: the call has 1",
				"1: there is no operand -1: the call has 1",
				"2: there is no result 2: the call has 2",
				"3: there is no result -1: the call has 2",
			}},
		{"part of what is no tuple", []string{matrix}, []string{matrix}, [][]int64{rows}, [][]int64{columns},
			List{alias(path(0), 0), alias(nil, 0, 0)}, []string{
				"0: the path into the result leads to tensor<2x3xf32>, which is not a tuple: remove [0] from its end",
				"1: the path into the operand leads to tensor<2x3xf32>, which is not a tuple: remove [0] from its end",
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := stablehlo.CustomCallOp{Aliases: test.list, OperandLayouts: test.in, ResultLayouts: test.out}
			err := CheckOperation(create(t, mlirtest.Context(t), call, test.operands, test.results))
			if diff := cmp.Diff(test.want, reasons(t, err)); diff != "" {
				t.Errorf("refusals (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPassthrough(t *testing.T) {
	for n, want := range []List{
		{},
		{alias(nil, 0)},
		{alias(path(0), 0), alias(path(1), 1)},
		{alias(path(0), 0), alias(path(1), 1), alias(path(2), 2)},
	} {
		got := Passthrough(n)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Passthrough(%d) (-want +got):\n%s", n, diff)
		}
		types := make([]string, n)
		for i := range types {
			types[i] = fmt.Sprintf("tensor<%dxf32>", i)
		}
		op := create(t, mlirtest.Context(t), stablehlo.CustomCallOp{Aliases: got}, types, types)
		if err := errors.Join(CheckOperation(op), op.Verify()); err != nil {
			t.Errorf("Passthrough(%d): %v", n, err)
		}
		read, ok := Read(op)
		if diff := cmp.Diff(want, read, cmpopts.EquateEmpty()); diff != "" || !ok {
			t.Errorf("Read: %v (-want +got):\n%s", ok, diff)
		}
	}
}

func TestResult(t *testing.T) {
	for _, test := range []struct {
		i, n, operand int
		want          stablehlo.OutputOperandAlias
	}{
		{0, 1, 3, alias(nil, 3)},
		{0, 2, 1, alias(path(0), 1)},
		{4, 5, 0, alias(path(4), 0)},
	} {
		if diff := cmp.Diff(test.want, Result(test.i, test.n, test.operand)); diff != "" {
			t.Errorf("Result(%d, %d, %d) (-want +got):\n%s", test.i, test.n, test.operand, diff)
		}
	}
}

// TestWholeTuple uses the listing from the proposals. StableHLO's verifier refuses the text
// with an error about a tuple that is not in it. CheckOperation names the correction.
func TestWholeTuple(t *testing.T) {
	const text = `func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @t(%arg0, %arg1) {api_version = 4 : i32, backend_config = {}, has_side_effect = true, output_operand_aliases = [
    #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>,
    #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xi32>
}`
	c := mlirtest.Context(t)
	_, err := c.Parse("listing.mlir", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "listing.mlir:2:10: error: 'stablehlo.custom_call' op shapes mismatch in the output_operand_alias attribute") {
		t.Errorf("the verifier says %v", err)
	}
	// The same operation, which only a program can make, because nothing verifies it.
	op := create(t, c, stablehlo.CustomCallOp{
		APIVersion: stablehlo.TypedFFI, HasSideEffect: true, Aliases: List{alias(nil, 0), alias(nil, 1)},
	}, []string{vector, ints}, []string{vector, ints})
	want := []string{
		"0: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
		"1: an empty output path means the tuple of all 2 results: use [i] for the i-th one",
	}
	if diff := cmp.Diff(want, reasons(t, CheckOperation(op))); diff != "" {
		t.Errorf("refusals (-want +got):\n%s", diff)
	}
	// The correction in the message works.
	fixed := strings.NewReplacer("[], operand_index = 0", "[0], operand_index = 0", "[], operand_index = 1",
		"[1], operand_index = 1").Replace(text)
	m, err := c.Parse("fixed.mlir", []byte(fixed))
	if err != nil {
		t.Fatal(err)
	}
	if got := check(t, m); got != 1 {
		t.Errorf("%d custom calls have aliases, want 1", got)
	}
}

// check runs Check on every custom call of a module, and returns how many of them have
// aliases.
func check(t *testing.T, m *mlir.Module) (aliased int) {
	t.Helper()
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		list, ok := Read(op)
		if ok != (op.Name() == "stablehlo.custom_call") {
			t.Errorf("Read of %s: %v", op.Name(), ok)
		}
		err := CheckOperation(op)
		switch {
		case ok && err != nil:
			t.Errorf("%s: %v", op, err)
		case !ok &&
			(err == nil || err.Error() != "aliasing: "+op.Name()+" has no aliases: only stablehlo.custom_call does"):
			t.Errorf("%s: %v", op.Name(), err)
		}
		if len(list) > 0 {
			aliased++
		}
		return mlir.WalkContinue
	})
	return aliased
}

// An empty output path of a call with several results, or of one with a tuple, is the whole tuple.
func TestErrorWholeTuple(t *testing.T) {
	c := mlirtest.Context(t)
	v := mlirtest.Type(c, "tensor<4xf32>")
	for _, test := range []struct {
		name    string
		results []string
		path    []int64
		whole   bool
	}{
		{"several results", []string{"tensor<4xf32>", "tensor<4xf32>"}, nil, true},
		{"a tuple", []string{"tuple<tensor<4xf32>, tensor<4xf32>>"}, nil, true},
		{"another type", []string{"tensor<2xf32>"}, nil, false},
		{"another element", []string{"tensor<4xf32>", "tensor<2xf32>"}, []int64{1}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := List{{OutputTupleIndices: test.path}}.Check([]mlir.Type{v}, mlirtest.Types(c, test.results...))
			wrong, ok := errors.AsType[*Error](err)
			if !ok || wrong.WholeTuple != test.whole {
				t.Errorf("the error is %v, with WholeTuple %v", err, ok && wrong.WholeTuple)
			}
		})
	}
}
