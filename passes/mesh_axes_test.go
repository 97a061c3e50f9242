package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// gathering returns a module with an all_gather of groups.
func gathering(groups string) string {
	return `module attributes {mhlo.num_partitions = 4 : i32} {
		sdy.mesh @mesh = <["x"=2, "y"=2]>
		sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
		func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
			%0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, use_global_device_ids,
				channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
				replica_groups = ` + groups + `}> : (tensor<4xf32>) -> tensor<8xf32> loc("user.py":7:3)
			return %0 : tensor<8xf32>
		}
	}`
}

func along(mesh, axes string) string {
	return "#stablehlo.replica_group_mesh_axes<mesh = " + mesh + ", axes = [" + axes + "]>"
}

const (
	alongX  = `#stablehlo.axis_ref<name = "x">`
	inlined = `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>`
	halfOfX = `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`
)

// TestExpandMeshAxes holds what is expanded always, by the preparation, and for a plugin of StableHLO 1.13.
func TestExpandMeshAxes(t *testing.T) {
	for name, test := range map[string]struct {
		groups, want string
		prepared     bool // Prepare expands it
	}{
		"numbers":    {"dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", true},
		"an axis":    {along("@mesh", alongX), "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>", false},
		"device_ids": {along("@turned", alongX), "dense<[[3, 2], [1, 0]]> : tensor<2x2xi64>", true},
		"a part":     {along(inlined, halfOfX), "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>", true},
		"an inlined mesh": {
			along(strings.Replace(inlined, "4", "2", 1), alongX), "dense<[[0, 1]]> : tensor<1x2xi64>", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			parse := func() *mlir.Module { return mlirtest.Parse(t, mlirtest.Context(t), gathering(test.groups)) }
			m := parse()
			n := check.Must(passes.ExpandMeshAxes(m))
			check.Diff(t, "operations", test.groups != test.want, n == 1)
			check.Diff(t, "operations of a second run", 0, check.Must(passes.ExpandMeshAxes(m)))
			has := func(what, text string, want bool) {
				t.Helper()
				if strings.Contains(text, "replica_groups = "+test.want) != want {
					t.Errorf("%s:\n%s", what, text)
				}
			}
			has("expanded", m.String(), true)
			m = parse()
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			has("prepared", m.String(), test.prepared)
			for version, want := range map[string]bool{"": test.prepared, "1.13.3": true, "1.16.0": test.prepared} {
				data := check.Must(passes.Program(parse(), passes.PrepareOptions{}).Artifact(version))
				has("for "+version, mlirtest.Parse(t, mlirtest.Context(t), string(data)).String(), want)
			}
		})
	}
}

func TestExpandMeshAxesErrors(t *testing.T) {
	for groups, want := range map[string]string{
		along("@main", alongX):                                "the mesh @main, which the module does not have",
		along("@mesh", `#stablehlo.axis_ref<name = "z">`):     `the mesh has no axis "z"`,
		along("@mesh", alongX+", "+alongX):                    "overlap",
		along("@mesh", `1`):                                   "stablehlo.all_gather at user.py:7:3: its groups ",
		along("@mesh", strings.Replace(halfOfX, "2", "3", 1)): "no part (1)3",
	} {
		_, err := passes.ExpandMeshAxes(mlirtest.Parse(t, mlirtest.Context(t), gathering(groups)))
		check.Error(t, err, want)
	}
}
