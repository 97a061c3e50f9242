package vmap_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// TestAxes holds the names, the signatures and the locations of what is made.
func TestAxes(t *testing.T) {
	m := parse(t,
		`func.func private @main(%x: tensor<3x4xf32> {my.attribute}, %n: tensor<i32>) -> (tensor<3x4xf32>, tensor<i32>) {
		%0 = stablehlo.sine %x : tensor<3x4xf32> loc("user.py":7:3)
		return %0, %n : tensor<3x4xf32>, tensor<i32>
	}`)
	f := function(t, m, "main")
	before := f.String()
	var got []string
	for _, o := range []vmap.Options{
		{Size: 5},
		{Size: 5, In: []int{1, vmap.NotBatched}, Out: []int{2, 0}},
		{Size: 1, In: []int{-1, vmap.NotBatched}, Out: []int{-2, vmap.NotBatched}, Name: "spread"},
	} {
		batched, err := vmap.Batch(f, o)
		check.NoError(t, err)
		name, _ := batched.Symbol()
		a, _ := batched.Attribute("function_type")
		got = append(got, "@"+name+" "+a.String())
		for op := range batched.All() {
			if op.Name() == "stablehlo.sine" {
				check.Diff(t, "place", "user.py:7:3", op.Location().Position().String())
			}
		}
	}
	check.Diff(t, "functions", []string{
		"@main.batch (tensor<5x3x4xf32>, tensor<5xi32>) -> (tensor<5x3x4xf32>, tensor<5xi32>)",
		"@main.batch_1 (tensor<3x5x4xf32>, tensor<i32>) -> (tensor<3x4x5xf32>, tensor<5xi32>)",
		"@spread (tensor<3x4x1xf32>, tensor<i32>) -> (tensor<3x1x4xf32>, tensor<i32>)",
	}, got)
	check.Diff(t, "the original", before, f.String())
}

// TestUnbatched holds that what does not depend on a batched parameter is computed once.
func TestUnbatched(t *testing.T) {
	m := parse(t, `func.func @main(%x: tensor<3xf32>, %w: tensor<3x3xf32>) -> tensor<3xf32> {
		%0 = stablehlo.sine %w : tensor<3x3xf32>
		%1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
		return %1 : tensor<3xf32>
	}`)
	batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 4, In: []int{0, vmap.NotBatched}})
	check.NoError(t, err)
	var types []string
	for op := range batched.Region(0).First().Operations() {
		if op.NumResults() > 0 {
			types = append(types, op.Name()+" "+op.Result(0).Type().String())
		}
	}
	check.Diff(t, "operations", []string{"stablehlo.sine tensor<3x3xf32>", "stablehlo.dot_general tensor<4x3xf32>"},
		types)
}

// TestOneMatrix holds that systems with one matrix are solved as one system, with the columns of all right sides.
func TestOneMatrix(t *testing.T) {
	for name, system := range map[string]string{
		"triangular_solve": `"stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>`,
		"custom_call": `stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {
			mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}}`,
	} {
		m := parse(t, `func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
			%0 = `+system+` : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
			return %0 : tensor<3x2xf32>
		}`)
		batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 4, In: []int{vmap.NotBatched, 0}})
		check.NoError(t, err)
		var systems []string
		for op := range batched.All() {
			if op.Name() == "stablehlo."+name {
				types := []mlir.Type{op.Operand(0).Type(), op.Operand(1).Type(), op.Result(0).Type()}
				systems = append(systems, fmt.Sprint(types))
			}
		}
		check.Diff(t, name, []string{"[tensor<3x3xf32> tensor<3x8xf32> tensor<3x8xf32>]"}, systems)
	}
}

// TestErrors holds that errors have the operation, its place and what to do, and that the module stays as it
// was.
func TestErrors(t *testing.T) {
	const plain = `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }`
	for _, test := range []struct {
		name, module string
		o            vmap.Options
		want         string
	}{
		{"no size", plain, vmap.Options{}, "Options.Size is 0"},
		{"too few axes", plain, vmap.Options{Size: 2, In: []int{}}, "Options.In has 0 axes, but the function has 1"},
		{"an axis that is too large", plain, vmap.Options{Size: 2, In: []int{2}},
			"axis 2 of value 0 of Options.In is not among the 2"},
		{"a batched result", plain, vmap.Options{Size: 2, Out: []int{vmap.NotBatched}},
			"result 0 depends on a batched parameter"},
		{"a method", plain, vmap.Options{Size: 2, Method: "parallel-ish"}, `"parallel-ish": use one of ["sequential"`},
		{"an operation without a rule", `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.create_token : !stablehlo.token
			%1 = "stablehlo.outfeed"(%x, %0) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token loc("user.py":7:3)
			return %x : tensor<3xf32>
		}`, vmap.Options{Size: 2}, "stablehlo.outfeed at user.py:7:3: no rule is known that batches this operation"},
		{"a buffer", `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.custom_call @Pin(%x) {api_version = 4 : i32} : (tensor<3xf32>) -> memref<3xf32> loc("user.py":7:3)
			%1 = stablehlo.custom_call @Unpin(%0) {api_version = 4 : i32} : (memref<3xf32>) -> tensor<3xf32>
			return %1 : tensor<3xf32>
		}`, vmap.Options{Size: 2},
			"stablehlo.custom_call at user.py:7:3: memref<3xf32> is no array, so that there is no batch of it"},
		{"a parameter of a dynamic shape",
			`func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }`,
			vmap.Options{Size: 2}, "make the shapes of the module static first, with stablehlo.Refine"},
		{"a value of a dynamic shape", `func.func @main(%x: tensor<3xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
			%0 = stablehlo.dynamic_reshape %x, %n : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
			return %0 : tensor<?xf32>
		}`, vmap.Options{Size: 2, In: []int{0, vmap.NotBatched}}, "stablehlo.Refine"},
		{"a runtime token", `func.func @main(%x: tensor<3xf32>, %k: tensor<0xi1> {calliope.effect = "log"}) -> (tensor<3xf32>, tensor<0xi1> {calliope.effect = "log"}) {
			return %x, %k : tensor<3xf32>, tensor<0xi1>
		}`, vmap.Options{Size: 2, In: []int{0, vmap.NotBatched}}, `effect "log": transform the function before`},
		{"a function that is elsewhere", `func.func private @other(tensor<3xf32>) -> tensor<3xf32>
		func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
			%0 = func.call @other(%x) : (tensor<3xf32>) -> tensor<3xf32>
			return %0 : tensor<3xf32>
		}`, vmap.Options{Size: 2}, "@other is not in the module"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, test.module)
			before := m.String()
			_, err := vmap.Batch(function(t, m, "main"), test.o)
			check.Error(t, err, test.want)
			check.Diff(t, "the module", before, m.String())
		})
	}
	if _, err := vmap.Batch(mlir.Operation{}, vmap.Options{Size: 2}); err == nil {
		t.Error("no error for no operation")
	}
}
