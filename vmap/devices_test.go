package vmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// An axisCase is a function of JAX that it divides over the axes of a mesh, with what it
// computes. testdata/axis.py writes them.
type axisCase struct {
	Name, Module       string
	Axes               []string
	Arguments, Results []transformtest.Array
}

// TestAxisAgainstJAX holds functions of several devices, as batches of one device, to the numbers of JAX's vmap with an
// axis_name and of its own devices.
func TestAxisAgainstJAX(t *testing.T) {
	client := newClient(t)
	for _, c := range transformtest.ReadCases[axisCase](t, "testdata/axis.json.gz") {
		t.Run(c.Name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), c.Module)
			f := function(t, m, "main")
			for _, axis := range c.Axes {
				size := int64(4 / len(c.Axes)) // of 4 devices
				batched, err := vmap.Batch(f, vmap.Options{Size: size, AxisName: axis})
				check.NoError(t, err)
				check.NoError(t, f.Erase())
				f = batched
			}
			for _, left := range []string{"manual_computation", "all_", "collective_", "reduce_scatter", "sdy"} {
				if text := f.String(); strings.Contains(text, left) {
					t.Errorf("%s is left in\n%s", left, text)
				}
			}
			mesh, _ := m.SymbolTable().Lookup("mesh")
			check.NoError(t, mesh.Erase())
			m.Operation().RemoveAttribute("mhlo.num_partitions")
			var arguments []tensor.View
			for _, a := range c.Arguments {
				arguments = append(arguments, a.View(t))
			}
			got := compile(t, client, f)(arguments...)
			for i, want := range c.Results {
				transformtest.Near(t, fmt.Sprintf("result %d", i), want.View(t), got[i])
			}
			if t.Failed() {
				t.Logf("%s\n%s", c.Module, f)
			}
		})
	}
}

// TestReplicas holds that the batch takes the place of the replicas of a function without a mesh, also of those that a
// checkpoint and a rule call.
func TestReplicas(t *testing.T) {
	m := parse(t, `func.func private @sum(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%1 = stablehlo.multiply %a, %b : tensor<f32>
			stablehlo.return %1 : tensor<f32>
		}) : (tensor<2xf32>) -> tensor<2xf32>
		return %0 : tensor<2xf32>
	}
	func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>, tensor<2xf32>, tensor<2xf32>) {
		%0 = call @sum(%x) {calliope.checkpoint = "nothing_saveable"} : (tensor<2xf32>) -> tensor<2xf32>
		%1 = stablehlo.replica_id : tensor<ui32>
		%2 = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
		%3 = stablehlo.composite "calliope.stop_gradient" %2 {decomposition = @sum} : (tensor<2xf32>) -> tensor<2xf32>
		%f = "stablehlo.async_start"(%x) ({
		^bb0(%y: tensor<2xf32>):
			%r = "stablehlo.collective_reduce"(%y) ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%s = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %s : tensor<f32>
			}) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
			stablehlo.return %r : tensor<2xf32>
		}) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
		%4 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
		return %0, %1, %3, %4 : tensor<2xf32>, tensor<ui32>, tensor<2xf32>, tensor<2xf32>
	}`)
	batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3, AxisName: "i"})
	check.NoError(t, err)
	got := compile(t, newClient(t), batched)(vector([]int{3, 2}, 1, 2, 3, 4, 5, 6))
	check.Diff(t, "products", []float32{15, 48, 15, 48, 15, 48}, floats(got[0]))
	check.Diff(t, "numbers", []uint32{0, 1, 2}, check.Must(tensor.Slice[uint32](got[1])))
	check.Diff(t, "products of a constant", []float32{8, 27, 8, 27, 8, 27}, floats(got[2]))
	check.Diff(t, "sums of one device", []float32{9, 12, 0, 0, 0, 0}, floats(got[3]))
}

// TestAxisErrors holds that what is not between the devices of one axis is an error with its place.
func TestAxisErrors(t *testing.T) {
	sum := func(groups string) string {
		return `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<` + groups + `>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%1 = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<2xf32>) -> tensor<2xf32> loc("user.py":7:3)
			return %0 : tensor<2xf32>
		}`
	}
	shared := func(groups string, in string) string {
		return `sdy.mesh @mesh = <["i"=2, "j"=2]>
		func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
			%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [` + in + `]>] out_shardings=[<@mesh, [` + in + `]>] manual_axes={"i", "j"} (%y: tensor<2xf32>) {
				%1 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<` + groups + `>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32> loc("user.py":7:3)
				%2 = stablehlo.slice %1 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
				sdy.return %2 : tensor<2xf32>
			} : (tensor<4xf32>) -> tensor<4xf32>
			return %0 : tensor<4xf32>
		}`
	}
	for _, test := range []struct {
		name, module string
		o            vmap.Options
		want         string
	}{
		{"some replicas", sum("[[0, 1]]> : tensor<1x2xi64"), vmap.Options{Size: 3},
			"stablehlo.all_reduce at user.py:7:3: its groups [[0 1]] do not have each device of the 3 replicas once"},
		{"other replicas", sum("[[0, 1, 2]]> : tensor<1x3xi64"), vmap.Options{Size: 2},
			"its groups [[0 1 2]] have the device 2, which is not one of the 2 replicas"},
		{"groups of several sizes", sum("[[0, -1], [1, 2]]> : tensor<2x2xi64"), vmap.Options{Size: 3},
			"its groups [[0] [1 2]] differ in size"},
		{"both axes", shared("[[0, 3], [1, 2]]> : tensor<2x2xi64", `{"i"}`), vmap.Options{Size: 2},
			`stablehlo.all_gather at user.py:7:3: its groups [[0 3] [1 2]] are not along the axis "i" only`},
		{"another size", shared("[[0, 2], [1, 3]]> : tensor<2x2xi64", `{"i"}`), vmap.Options{Size: 4},
			`Options.Size is 4, but the axis "i" of the mesh @mesh has 2 devices`},
		{"a batched operand", shared("[[0, 2], [1, 3]]> : tensor<2x2xi64", `{"i"}`), vmap.Options{Size: 2, In: []int{0}, Out: []int{0}},
			`the batch takes the place of its devices along "i", but operand 0 is batched already`},
		{"in a loop over elements", `func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
			%zero = stablehlo.constant dense<0> : tensor<i32>
			%0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<2xf32>
			cond {
				%1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %1 : tensor<i1>
			} do {
				stablehlo.custom_call @calliope_io_callback(%y) {
					api_version = 4 : i32, has_side_effect = true, backend_config = {callback = "f", form = "observe", v = 1 : i64}
				} : (tensor<2xf32>) -> ()
				%1 = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
				stablehlo.return %n, %1 : tensor<i32>, tensor<2xf32>
			}
			return %0#1 : tensor<2xf32>
		}`, vmap.Options{Size: 2}, "it runs for one element after the other, but is between all of them"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), test.module)
			test.o.AxisName = "i"
			_, err := vmap.Batch(function(t, m, "main"), test.o)
			check.Error(t, err, test.want)
		})
	}
}
