package builder_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

var grid = []builder.Axis{{Name: "x", Size: 2}, {Name: "y", Size: 3}}

// onGrid returns a Sharding on the mesh "grid".
func onGrid(dims ...[]string) builder.Sharding { return builder.Sharding{Mesh: "grid", Dims: dims} }

// The body of a Manual sees the parts of arrays that its shardings give, and the results are
// whole again. Tokens enter and leave it.
func TestManual(t *testing.T) {
	b := builder.New(mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), builder.Options{})
	b.Mesh("grid", grid...)
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 6, 4), tensor.ShapeOf(tensor.S32))
	type pair struct{ A, N builder.Value }
	x, y := []string{"x"}, []string{"y", "x"}
	out := builder.Manual("grid", []builder.Sharding{onGrid(y), {}}, []builder.Sharding{{}, onGrid(nil, x), onGrid(y)},
		pair{f.Param(0), f.Param(1)},
		func(p pair) []builder.Value {
			check.Diff(t, "part", "f32[1,4]", p.A.Shape().String())
			check.Diff(t, "replicated", "s32[]", p.N.Shape().String())
			builder.Tap(p, builder.Callback{Name: "see", Effect: "e"})
			c := f.Constant(tensor.Scalar[float32](1)) // a constant from inside
			return []builder.Value{p.N, p.A, builder.Add(p.A, c)}
		})
	for i, want := range []string{"s32[]", "f32[1,8]", "f32[6,4]"} {
		check.Diff(t, "result", want, out[i].Shape().String())
	}
	f.Return(out...)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	for _, want := range []string{
		`in_shardings=[<@grid, [{"y", "x"}, {}]>, <@grid, []>, <@grid, [{}]>]`,
		`out_shardings=[<@grid, []>, <@grid, [{}, {"x"}]>, <@grid, [{"y", "x"}, {}]>, <@grid, [{}]>]`,
		`manual_axes={"x", "y"}`,
	} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("the module lacks %s:\n%s", want, m)
		}
	}
}

// Collective operations are between the devices along axes of the mesh.
func TestManualCollectives(t *testing.T) {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	b.Mesh("grid", grid...)
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 6, 4))
	y := []string{"y", "x"}
	along := builder.CollectiveOptions{Mesh: "grid", Axes: y, Channel: 1, GlobalDeviceIDs: true}
	out := builder.Manual("grid", []builder.Sharding{onGrid(y)}, []builder.Sharding{{}, {}}, f.Param(0),
		func(part builder.Value) []builder.Value {
			return []builder.Value{builder.AllReduce(part, builder.Add, along), builder.AllGather(part, 0, along)}
		})
	check.Diff(t, "sum", "f32[1,4]", out[0].Shape().String())
	check.Diff(t, "gathered", "f32[6,4]", out[1].Shape().String())
	f.Return(out...)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	want := `replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, ` +
		`axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>`
	check.Diff(t, "operations with the groups", 2, strings.Count(m.String(), want))
}

// An opened module has its meshes.
func TestManualInOpenedModule(t *testing.T) {
	ctx := mlirtest.ContextOf(t, mlirtest.Jaxlib(t))
	b := builder.Open(mlirtest.Parse(t, ctx, `sdy.mesh @grid = <["x"=2, "y"=3]>
func.func @main(%a: tensor<6xf32>) -> tensor<6xf32> {
  return %a : tensor<6xf32>
}`))
	f := b.Func("f", tensor.ShapeOf(tensor.F32, 6))
	f.Return(builder.Manual("grid", []builder.Sharding{onGrid([]string{"y"})}, nil, f.Param(0),
		func(x builder.Value) builder.Value {
			builder.Tap(x, builder.Callback{Name: "see", Policy: contract.Once.On(5)})
			return x
		}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	check.Diff(t, "results", true,
		strings.Contains(m.String(), ": (tensor<6xf32>, tensor<1xi8>) -> (tensor<2xf32>, tensor<1xi8>)"))
}

func TestMistakesOnDevices(t *testing.T) {
	number, vector := tensor.ShapeOf(tensor.F32), tensor.ShapeOf(tensor.F32, 6)
	same := func(x builder.Value) builder.Value { return x }
	meshed := func(b *builder.Builder) builder.Value {
		b.Mesh("grid", grid...)
		return b.Func("main", vector).Param(0)
	}
	plain := func(b *builder.Builder) builder.Value { return b.Func("main", vector).Param(0) }
	checkMistakesWith(t, mlirtest.Jaxlib(t), "manual_test.go", []mistake{
		{"no mesh", func(b *builder.Builder) int {
			builder.Manual("grid", nil, nil, plain(b), same)
			return here(1)
		}, `manual(f32[6]): there is no mesh "grid": make it with Builder.Mesh first`},
		{"number of shardings", func(b *builder.Builder) int {
			builder.Manual("grid", []builder.Sharding{{}, {}}, nil, meshed(b), same)
			return here(1)
		}, `there are 2 shardings for the 1 arguments: give one for each, or nil`},
		{"number of shardings of results", func(b *builder.Builder) int {
			builder.Manual("grid", nil, []builder.Sharding{}, meshed(b), same)
			return here(1)
		}, `there are 0 shardings for the 1 results`},
		{"other mesh", func(b *builder.Builder) int {
			builder.Manual("grid", []builder.Sharding{{Mesh: "m"}}, nil, meshed(b), same)
			return here(1)
		}, `argument 0: its sharding is of the mesh "m", not of "grid"`},
		{"form of XLA", func(b *builder.Builder) int {
			builder.Manual("grid", []builder.Sharding{{HLO: "{replicated}"}}, nil, meshed(b), same)
			return here(1)
		}, `argument 0: its sharding is in XLA's own form`},
		{"unknown axis", func(b *builder.Builder) int {
			builder.Manual("grid", nil, []builder.Sharding{onGrid([]string{"z"})}, meshed(b), same)
			return here(1)
		}, `result 0: the mesh "grid" has no axis "z"`},
		{"uneven", func(b *builder.Builder) int {
			b.Mesh("grid", builder.Axis{Name: "x", Size: 4})
			builder.Manual("grid", []builder.Sharding{onGrid([]string{"x"})}, nil, plain(b), same)
			return here(1)
		}, `argument 0: dimension 0 of f32[6] cannot be split into 4 equal parts`},
		{"nil body", func(b *builder.Builder) int {
			builder.Manual[builder.Value, builder.Value]("grid", nil, nil, meshed(b), nil)
			return here(1)
		}, `its body is nil`},
		{"value from outside", func(b *builder.Builder) (line int) {
			x := meshed(b)
			builder.Manual("grid", nil, nil, builder.Sin(x), func(y builder.Value) builder.Value {
				line = here(-1)
				return builder.Add(x, y)
			})
			return line
		}, `comes from outside of the body of the manual computation`},
		{"in another", func(b *builder.Builder) (line int) {
			builder.Manual("grid", nil, nil, meshed(b), func(y builder.Value) builder.Value {
				line = here(-1)
				return builder.Manual("grid", nil, nil, y, same)
			})
			return line
		}, `it is in the body of another one`},
		{"in another, through a function", func(b *builder.Builder) (line int) {
			b.Mesh("grid", grid...)
			g := b.Func("g", vector)
			g.Return(builder.Manual("grid", nil, nil, g.Param(0), same))
			builder.Manual("grid", nil, nil, plain(b), func(y builder.Value) builder.Value {
				line = here(-1)
				return g.Call(y)[0]
			})
			return line
		}, `the function "g" has a Manual and cannot be called in the body of one`},
		{"in a reduction", func(b *builder.Builder) (line int) {
			x := meshed(b)
			builder.Reduce(x, builder.Zeros(b.Lookup("main"), number), func(p, q builder.Value) builder.Value {
				line = here(-1)
				return builder.Manual("grid", nil, nil, p, same)
			}, 0)
			return line
		}, `it is in the body of the reduce, which cannot have one`},
		{"unknown policy", func(b *builder.Builder) int {
			builder.Tap(plain(b), builder.Callback{Name: "see", Policy: "all"})
			return here(1)
		}, `tap(f32[6]): there is no device policy "all": use contract.PerDevice, contract.Once or contract.Gather`},
		{"device of every device", func(b *builder.Builder) int {
			builder.Tap(plain(b), builder.Callback{Name: "see", Policy: contract.PerDevice.On(1)})
			return here(1)
		}, `there is no device policy "per_device:1"`},
		{"device out of range", func(b *builder.Builder) int {
			builder.Tap(meshed(b), builder.Callback{Name: "see", Policy: contract.Once.On(6)})
			return here(1)
		}, `the device of the Policy is 6, but there are 6 devices, from 0`},
		{"negative device", func(b *builder.Builder) int {
			builder.Tap(plain(b), builder.Callback{Name: "see", Policy: contract.Once.On(-1)})
			return here(1)
		}, `there is no device policy "once:-1"`},
		{"pure", func(b *builder.Builder) int {
			x := meshed(b)
			builder.PureCall(builder.Like(number), x, builder.Callback{Name: "f", Policy: contract.Once})
			return here(1)
		}, `a pure call has no device policy`},
		{"optional gather", func(b *builder.Builder) int {
			builder.Tap(meshed(b), builder.Callback{Name: "see", Policy: contract.Gather, Optional: true})
			return here(1)
		}, `a callback with the Policy Gather cannot be Optional, nor have an Every: use Once`},
		{"sampled gather", func(b *builder.Builder) int {
			builder.Tap(meshed(b), builder.Callback{Name: "see", Policy: contract.Gather, Every: 2})
			return here(1)
		}, `a callback with the Policy Gather cannot be Optional, nor have an Every: use Once`},
		{"gather without a mesh", func(b *builder.Builder) int {
			builder.Tap(plain(b), builder.Callback{Name: "see", Policy: contract.Gather})
			return here(1)
		}, `the Policy Gather needs a mesh`},
		{"gather of parts", func(b *builder.Builder) (line int) {
			builder.Manual("grid", nil, nil, meshed(b), func(y builder.Value) builder.Value {
				line = here(-1)
				builder.Tap(y, builder.Callback{Name: "see", Policy: contract.Gather})
				return y
			})
			return line
		}, `the Policy Gather needs whole arrays, and in the body of a Manual there are parts: call after it`},
		{"each device outside", func(b *builder.Builder) int {
			builder.Tap(meshed(b), builder.Callback{Name: "see", Policy: contract.PerDevice})
			return here(1)
		}, `the Policy PerDevice needs the body of a Manual`},
		{"encoding", func(b *builder.Builder) int {
			builder.Tap(plain(b), builder.Callback{ID: 1, Policy: contract.Once,
				Host: contract.Host{Encoding: contract.EncodingOperand}})
			return here(2)
		}, `the encoding of another host has no place for a device policy`},
	})
}
