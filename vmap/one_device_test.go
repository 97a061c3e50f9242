package vmap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

const maximum = `({
	^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
		%%m = stablehlo.maximum %%a, %%b : tensor<f32>
		stablehlo.return %%m : tensor<f32>
	})`

// devicesModule has an operation of each kind between groups of the devices of a mesh. All but the permutation are
// along the groups.
func devicesModule(ids []int64, groups, pairs [][]int64) string {
	list := func(x any) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }
	size := len(groups[0])
	of := fmt.Sprintf("channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "+
		"replica_groups = dense<%s> : tensor<%dx%dxi64>", list(groups), len(groups), size)
	return fmt.Sprintf(`module attributes {mhlo.num_partitions = 6 : i32} {
	sdy.mesh @mesh = <["a"=2, "b"=3], device_ids=%[1]s>
	func.func @main(%%x: tensor<36xf32>) -> (tensor<36xf32>, tensor<%[4]dxf32>, tensor<%[5]dxf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<6xui32>) {
		%%r:7 = sdy.manual_computation(%%x) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>, <@mesh, [{"a", "b"}]>] manual_axes={"a", "b"} (%%y: tensor<6xf32>) {
			%%0 = "stablehlo.all_reduce"(%%y) <{%[2]s, use_global_device_ids}> `+maximum+` : (tensor<6xf32>) -> tensor<6xf32>
			%%1 = "stablehlo.all_gather"(%%y) <{all_gather_dim = 0 : i64, %[2]s, use_global_device_ids}> : (tensor<6xf32>) -> tensor<%[6]dxf32>
			%%2 = "stablehlo.reduce_scatter"(%%y) <{scatter_dimension = 0 : i64, %[2]s, use_global_device_ids}> `+maximum+` : (tensor<6xf32>) -> tensor<%[7]dxf32>
			%%3 = "stablehlo.all_to_all"(%%y) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = %[8]d : i64, %[2]s}> : (tensor<6xf32>) -> tensor<6xf32>
			%%4 = "stablehlo.collective_broadcast"(%%y) <{%[2]s}> : (tensor<6xf32>) -> tensor<6xf32>
			%%5 = "stablehlo.collective_permute"(%%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<%[3]s> : tensor<%[9]dx2xi64>}> : (tensor<6xf32>) -> tensor<6xf32>
			%%id = stablehlo.partition_id : tensor<ui32>
			%%6 = stablehlo.reshape %%id : (tensor<ui32>) -> tensor<1xui32>
			sdy.return %%0, %%1, %%2, %%3, %%4, %%5, %%6 : tensor<6xf32>, tensor<%[6]dxf32>, tensor<%[7]dxf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<1xui32>
		} : (tensor<36xf32>) -> (tensor<36xf32>, tensor<%[4]dxf32>, tensor<%[5]dxf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<6xui32>)
		return %%r#0, %%r#1, %%r#2, %%r#3, %%r#4, %%r#5, %%r#6 : tensor<36xf32>, tensor<%[4]dxf32>, tensor<%[5]dxf32>, tensor<36xf32>, tensor<36xf32>, tensor<36xf32>, tensor<6xui32>
	}
	}`, list(ids), of, list(pairs), 36*size, 36/size, 6*size, 6/size, size, len(pairs))
}

// TestOneDevice holds operations between any groups of the devices of a mesh to what their definitions say.
func TestOneDevice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func() []int64 { // of the devices, in any order
		var list []int64
		for _, i := range random.Perm(6) {
			list = append(list, int64(i))
		}
		return list
	}
	for _, size := range []int{1, 2, 3, 6, 2, 3} {
		ids := numbers()
		groups := slices.Collect(slices.Chunk(numbers(), size))
		var pairs [][]int64
		targets := numbers()
		for i, source := range numbers()[:1+random.IntN(6)] {
			pairs = append(pairs, []int64{source, targets[i]})
		}
		input := make([]float32, 36)
		for i := range input {
			input[i] = random.Float32()
		}
		parts := map[int64][]float32{} // by the numbers of the devices
		for place, id := range ids {
			parts[id] = input[6*place:][:6]
		}

		want := make([]map[int64][]float32, 6)
		for i := range want {
			want[i] = map[int64][]float32{}
		}
		for _, group := range groups {
			most, all := make([]float32, 6), []float32{}
			for _, id := range group {
				all = append(all, parts[id]...)
				for i, x := range parts[id] {
					most[i] = max(most[i], x)
				}
			}
			for place, id := range group {
				from, n := place*6/size, 6/size
				want[0][id], want[1][id], want[2][id], want[4][id] = most, all, most[from:][:n], parts[group[0]]
				for _, source := range group {
					want[3][id] = append(want[3][id], parts[source][from:][:n]...)
				}
			}
		}
		for _, id := range ids {
			want[5][id] = make([]float32, 6)
		}
		for _, p := range pairs {
			want[5][p[1]] = parts[p[0]]
		}

		text := devicesModule(ids, groups, pairs)
		m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), text)
		check.NoError(t, vmap.OneDevice(m, 1))
		got, err := stablehlo.Evaluate(m, tensor.Vector(input...))
		check.NoError(t, err)
		for i, of := range want {
			var joined []float32
			for _, id := range ids {
				joined = append(joined, of[id]...)
			}
			what := fmt.Sprintf("result %d, groups %v, pairs %v, devices %v", i, groups, pairs, ids)
			check.Diff(t, what, joined, floats(got[i]))
		}
		var named []int64
		for _, id := range check.Must(tensor.Slice[uint32](got[6])) {
			named = append(named, int64(id))
		}
		check.Diff(t, "numbers", ids, named)
	}
}

// TestOneDeviceReplicas holds that main computes all replicas, in groups.
func TestOneDeviceReplicas(t *testing.T) {
	m := parse(t, `module attributes {mhlo.num_replicas = 4 : i32} {
	func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<ui32>, tensor<f32>) {
		%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%1 = stablehlo.add %a, %b : tensor<f32>
			stablehlo.return %1 : tensor<f32>
		}) : (tensor<2xf32>) -> tensor<2xf32>
		%1 = stablehlo.replica_id : tensor<ui32>
		return %0, %1, %y : tensor<2xf32>, tensor<ui32>, tensor<f32>
	}}`)
	check.NoError(t, vmap.OneDevice(m, 4))
	var inputs []tensor.View
	for i := range 4 {
		x := float32(i)
		inputs = append(inputs, tensor.Vector(x, 10*x), tensor.Scalar(x*x))
	}
	got, err := stablehlo.Evaluate(m, inputs...)
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[2] [2 20] u32[] 0 f32[] 0 f32[2] [4 40] u32[] 1 f32[] 1 "+
		"f32[2] [2 20] u32[] 2 f32[] 4 f32[2] [4 40] u32[] 3 f32[] 9]", fmt.Sprint(got))
}

// TestOneDeviceErrors holds that what has no meaning on one device is an error with its place.
func TestOneDeviceErrors(t *testing.T) {
	partly := func(inside string) string {
		return `sdy.mesh @mesh = <["a"=2, "b"=2]>
		func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
			%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%y: tensor<2xf32>) {
				` + inside + `
				sdy.return %1 : tensor<2xf32>
			} : (tensor<4xf32>) -> tensor<4xf32>
			return %0 : tensor<4xf32>
		}`
	}
	permute := func(pairs string) string {
		return partly(`%1 = "stablehlo.collective_permute"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<` + pairs + `>}> : (tensor<2xf32>) -> tensor<2xf32> loc("user.py":7:3)`)
	}
	for _, test := range []struct{ name, module, want string }{
		{"to another automatic place", permute("[[0, 3]]> : tensor<1x2xi64"),
			`stablehlo.collective_permute at user.py:7:3: its pairs [[0 3]] are not along the axis "a" only`},
		{"at one automatic place", permute("[[0, 2]]> : tensor<1x2xi64"),
			`its pairs [[0 2]] along the axis "a", whose place the batch takes, differ between other devices`},
		{"a number", partly(`%id = stablehlo.partition_id : tensor<ui32> loc("user.py":7:3)
			%c = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
			%1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2xf32>`),
			"stablehlo.partition_id at user.py:7:3: the number of a device is not known along the axes of its mesh that are not manual"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), test.module)
			check.Error(t, vmap.OneDevice(m, 1), test.want)
		})
	}
	none := strings.NewReplacer(`"a", ?`, "?", `{"a"}`, "{}", "2xf32", "4xf32").Replace(partly("%1 = stablehlo.sine %y : tensor<2xf32>"))
	check.NoError(t, vmap.OneDevice(mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), none), 1))
	m := parse(t, `module attributes {mhlo.num_partitions = 2 : i32} { func.func @main() { return } }`)
	check.Error(t, vmap.OneDevice(m, 2), "the module has 2 replicas of 2 partitions each")
}

// TestRagged holds that each device sends as many rows as it says, to where it says.
func TestRagged(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), `sdy.mesh @mesh = <["x"=2]>
	func.func @main(%rows: tensor<6x1xf32>, %into: tensor<8x1xf32>, %in: tensor<4xi32>, %sizes: tensor<4xi32>, %out: tensor<4xi32>) -> tensor<8x1xf32> {
		%0 = sdy.manual_computation(%rows, %into, %in, %sizes, %out) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<3x1xf32>, %b: tensor<4x1xf32>, %c: tensor<2xi32>, %d: tensor<2xi32>, %e: tensor<2xi32>) {
			%1 = stablehlo.custom_call @ragged_all_to_all(%a, %b, %c, %d, %e, %d) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3x1xf32>, tensor<4x1xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x1xf32>
			sdy.return %1 : tensor<4x1xf32>
		} : (tensor<6x1xf32>, tensor<8x1xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<8x1xf32>
		return %0 : tensor<8x1xf32>
	}`)
	check.NoError(t, vmap.OneDevice(m, 1))
	column := func(x ...float32) tensor.View { return check.Must(tensor.FromSlice(x, len(x), 1)) }
	got, err := stablehlo.Evaluate(m, column(1, 2, 3, 4, 5, 6), column(-1, -2, -3, -4, -5, -6, -7, -8),
		tensor.Vector[int32](0, 1, 1, 0), tensor.Vector[int32](1, 2, 2, 1), tensor.Vector[int32](0, 2, 1, 0))
	check.NoError(t, err)
	check.Diff(t, "rows", []float32{1, 5, 6, -4, 4, -6, 2, 3}, floats(got[0]))
}
