package transform

import (
	"testing"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestGroups holds that groups have the numbers of devices, which device_ids gives in the order of the axes.
func TestGroups(t *testing.T) {
	for _, test := range []struct {
		mesh  string
		along []string
		want  [][]int64
	}{
		{`<["x"=2, "y"=3]>`, []string{`"x"`}, [][]int64{{0, 3}, {1, 4}, {2, 5}}},
		{`<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`, []string{`"x"`}, [][]int64{{0, 1}, {2, 3}}},
		{`<["x"=2, "y"=2], device_ids=[3, 0, 2, 1]>`, []string{`"y"`}, [][]int64{{3, 0}, {2, 1}}},
		{`<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`, []string{`"x"`, `"y"`}, [][]int64{{0, 2, 1, 3}}},
	} {
		m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), "sdy.mesh @mesh = "+test.mesh)
		size, groups := Groups(callop.Meshes(m)[0], test.along)
		check.Diff(t, test.mesh, test.want, groups)
		check.Diff(t, test.mesh, len(test.want[0]), int(size))
	}
}
