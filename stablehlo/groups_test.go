package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// meshOfSizes returns a mesh with the axes x, y and z.
func meshOfSizes(sizes ...int64) (m Mesh) {
	for i, n := range sizes {
		m.Axes = append(m.Axes, MeshAxis{"xyz"[i : i+1], n})
	}
	return m
}

// TestMeshGroups has the groups that JAX 0.12 writes for a psum over the axes without jax_use_rgv3, and those of parts
// of axes and of device_ids, which JAX does not write.
func TestMeshGroups(t *testing.T) {
	whole := func(names string) (axes []AxisRef) {
		for i := range names {
			axes = append(axes, AxisRef{Name: names[i : i+1]})
		}
		return axes
	}
	for _, test := range []struct {
		sizes, ids []int64
		axes       []AxisRef
		want       [][]int64
	}{
		{[]int64{4}, nil, whole("x"), [][]int64{{0, 1, 2, 3}}},
		{[]int64{2, 2}, nil, whole("x"), [][]int64{{0, 2}, {1, 3}}},
		{[]int64{2, 2}, nil, whole("y"), [][]int64{{0, 1}, {2, 3}}},
		{[]int64{2, 2}, nil, whole("xy"), [][]int64{{0, 1, 2, 3}}},
		{[]int64{2, 2}, nil, whole("yx"), [][]int64{{0, 2, 1, 3}}},
		{[]int64{2, 4}, nil, whole("x"), [][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
		{[]int64{2, 4}, nil, whole("y"), [][]int64{{0, 1, 2, 3}, {4, 5, 6, 7}}},
		{[]int64{2, 4}, nil, whole("yx"), [][]int64{{0, 4, 1, 5, 2, 6, 3, 7}}},
		{[]int64{4, 2}, nil, whole("x"), [][]int64{{0, 2, 4, 6}, {1, 3, 5, 7}}},
		{[]int64{4, 2}, nil, whole("yx"), [][]int64{{0, 2, 4, 6, 1, 3, 5, 7}}},
		{[]int64{2, 2, 2}, nil, whole("y"), [][]int64{{0, 2}, {1, 3}, {4, 6}, {5, 7}}},
		{[]int64{2, 2, 2}, nil, whole("xz"), [][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}}},
		{[]int64{2, 2, 2}, nil, whole("zx"), [][]int64{{0, 4, 1, 5}, {2, 6, 3, 7}}},
		{[]int64{2, 2, 2}, nil, whole("zy"), [][]int64{{0, 2, 1, 3}, {4, 6, 5, 7}}},
		{[]int64{2, 2, 2}, nil, whole("zxy"), [][]int64{{0, 2, 4, 6, 1, 3, 5, 7}}},
		{[]int64{2, 2, 2}, nil, whole("yzx"), [][]int64{{0, 4, 1, 5, 2, 6, 3, 7}}},
		{[]int64{2, 3}, nil, nil, [][]int64{{0}, {1}, {2}, {3}, {4}, {5}}},
		{[]int64{4}, []int64{3, 1, 2, 0}, whole("x"), [][]int64{{3, 1, 2, 0}}},
		{[]int64{2, 2}, []int64{3, 0, 2, 1}, whole("y"), [][]int64{{3, 0}, {2, 1}}},
		{[]int64{2, 2}, []int64{0, 2, 1, 3}, whole("x"), [][]int64{{0, 1}, {2, 3}}},
		{nil, []int64{2}, nil, [][]int64{{2}}},
		{[]int64{4}, nil, []AxisRef{{"x", 1, 2}}, [][]int64{{0, 2}, {1, 3}}},
		{[]int64{4}, nil, []AxisRef{{"x", 2, 2}}, [][]int64{{0, 1}, {2, 3}}},
		{[]int64{4}, nil, []AxisRef{{"x", 2, 2}, {"x", 1, 2}}, [][]int64{{0, 2, 1, 3}}},
		{[]int64{8}, nil, []AxisRef{{"x", 2, 2}}, [][]int64{{0, 2}, {1, 3}, {4, 6}, {5, 7}}},
		{[]int64{4, 2}, nil, []AxisRef{{"y", 0, 0}, {"x", 1, 2}}, [][]int64{{0, 4, 1, 5}, {2, 6, 3, 7}}},
		{[]int64{4}, []int64{3, 1, 2, 0}, []AxisRef{{"x", 1, 2}}, [][]int64{{3, 2}, {1, 0}}},
	} {
		mesh := meshOfSizes(test.sizes...)
		mesh.DeviceIDs = test.ids
		got, err := mesh.Groups(test.axes...)
		if err != nil {
			t.Error(err)
		}
		check.Diff(t, Groups{Mesh: &mesh, Axes: test.axes}.String(), test.want, got)
	}
}

func TestMeshGroupsErrors(t *testing.T) {
	for _, test := range []struct {
		sizes, ids []int64
		axes       []AxisRef
		want       string
	}{
		{[]int64{4}, nil, []AxisRef{{Name: "y"}}, `the mesh has no axis "y"`},
		{[]int64{4, 4}, nil, []AxisRef{{Name: "x"}, {Name: "x"}}, "overlap"},
		{[]int64{8}, nil, []AxisRef{{"x", 1, 4}, {"x", 2, 2}}, "overlap"},
		{[]int64{8}, nil, []AxisRef{{"x", 2, 2}, {"x", 2, 2}}, "overlap"},
		{[]int64{8}, nil, []AxisRef{{"x", 3, 2}}, `the axis "x" of 8 devices has no part (3)2`},
		{[]int64{8}, nil, []AxisRef{{"x", 4, 4}}, "no part"},
		{[]int64{8}, nil, []AxisRef{{"x", 0, 2}}, "no part"},
		{[]int64{8}, nil, []AxisRef{{"x", 1, -2}}, "no part"},
		{[]int64{2, 0}, nil, []AxisRef{{Name: "x"}}, "the mesh has no devices"},
		{[]int64{2, -2}, nil, []AxisRef{{Name: "x"}}, "the mesh has no devices"},
		{[]int64{4}, []int64{0, 1}, []AxisRef{{Name: "x"}}, "4 devices and 2 device_ids"},
		{[]int64{1 << 40, 1 << 40}, nil, []AxisRef{{Name: "x"}}, "more than 1048576 devices"},
	} {
		mesh := meshOfSizes(test.sizes...)
		mesh.DeviceIDs = test.ids
		_, err := mesh.Groups(test.axes...)
		check.Error(t, err, test.want)
	}
}

// TestGroups reads what it writes.
func TestGroups(t *testing.T) {
	odd := "odd \"\\name\n"
	for _, test := range []struct {
		groups Groups
		text   string
	}{
		{Groups{Lists: [][]int64{}}, "[]"},
		{GroupsOf([]int64{0, 1}, []int64{2, -1}), "[[0, 1], [2, -1]]"},
		{Groups{Mesh: &Mesh{Name: "mesh_0"}, Axes: []AxisRef{{Name: "x"}, {"y", 2, 4}}},
			`#stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">, ` +
				`#stablehlo.axis_ref<name = "y", sub_axis_info = (2)4>]>`},
		{Groups{Mesh: &Mesh{Name: odd}, Axes: []AxisRef{{Name: odd}}},
			`#stablehlo.replica_group_mesh_axes<mesh = @"odd \22\5Cname\0A", axes = [#stablehlo.axis_ref<name = "odd \22\5Cname\0A">]>`},
		{Groups{Mesh: &Mesh{Axes: []MeshAxis{{"x", 2}, {odd, 3}}, DeviceIDs: []int64{5, 4, 3, 2, 1, 0}}},
			`#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, ` +
				`#stablehlo.mesh_axis<name = "odd \22\5Cname\0A", size = 3>], device_ids = dense<[5, 4, 3, 2, 1, 0]> : ` +
				`tensor<6xi64>>, axes = []>`},
	} {
		check.Diff(t, "text", test.text, test.groups.String())
		a := check.Must(test.groups.Attribute(mlirtest.Context(t)))
		got, ok := AsGroups(a)
		if !ok {
			t.Errorf("%s is not read", a)
		}
		check.Diff(t, test.text, test.groups, got)
	}
	for _, wrong := range []Groups{
		{Axes: []AxisRef{{Name: "x"}}}, {Mesh: &Mesh{Name: "m"}, Lists: [][]int64{{0}}},
		{Mesh: &Mesh{Axes: []MeshAxis{{"x", 2}}}, Axes: []AxisRef{{Name: "y"}}}, {Mesh: &Mesh{}},
	} {
		if a, err := wrong.Attribute(mlirtest.Context(t)); err == nil {
			t.Errorf("%s is written", a)
		}
	}
	c := mlirtest.Context(t)
	check.NoError(t, c.LoadDialect("stablehlo"))
	const by, x = "#stablehlo.replica_group_mesh_axes<mesh = ", ", axes = [#stablehlo.axis_ref<name = \"x\""
	others := []mlir.Attribute{{}, c.UnitAttribute(), c.StringAttribute("x")}
	for _, text := range []string{
		by + `@m, axes = [1, "x"]>`, by + "@m" + x + ", sub_axis_info = (0)0>]>",
		by + "@m" + x + ">, 1]>", by + `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>], ` +
			"device_ids = dense<1> : tensor<2x2xi32>>" + x + ">]>",
	} {
		others = append(others, check.Must(c.ParseAttribute(text)))
	}
	for _, a := range others {
		if _, ok := AsGroups(a); ok {
			t.Errorf("%v is read", a)
		}
	}
}

// TestGroupsDevices looks meshes up in the modules around an operation.
func TestGroupsDevices(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `
		sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
		module { sdy.mesh @inner = <["x"=3]> func.func private @f() }`)
	var inner mlir.Operation
	for op := range m.Operation().All() {
		if op.Name() == "func.func" {
			inner = op
		}
	}
	x := []AxisRef{{Name: "x"}}
	for name, want := range map[string][][]int64{"mesh": {{3, 2}, {1, 0}}, "inner": {{0, 1, 2}}} {
		check.Diff(t, name, want, check.Must(Groups{Mesh: &Mesh{Name: name}, Axes: x}.Devices(inner)))
	}
	for name, want := range map[string]string{"inner": "the mesh @inner, which the module does not have", "mesh": `no axis "z"`} {
		_, err := Groups{Mesh: &Mesh{Name: name}, Axes: []AxisRef{{Name: "z"}}}.Devices(m.Operation())
		check.Error(t, err, want)
	}
}
