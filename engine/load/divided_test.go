package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// What the plugin does not report comes from the module, or is an error.
func TestShardings(t *testing.T) {
	global := tensor.ShapeOf(tensor.F32, 4, 3)
	half := tensor.ShapeOf(tensor.F32, 2, 3)
	rows := check.Must(sharding.Parse("{devices=[2,1]<=[2]}", 2))
	for name, test := range map[string]struct {
		texts    []string
		declared sharding.Sharding
		local    []tensor.Shape
		want     string
	}{
		"reported": {[]string{"{devices=[2,1]<=[2]}"}, sharding.Sharding{}, []tensor.Shape{half},
			"[{devices=[2,1]0,1}]"},
		"declared":       {nil, rows, []tensor.Shape{half}, "[{devices=[2,1]0,1}]"},
		"declared alone": {nil, rows, nil, "[{devices=[2,1]0,1}]"},
		"whole":          {[]string{"{unknown}"}, sharding.Sharding{}, []tensor.Shape{global}, "[{replicated}]"},
		"unknown": {[]string{"{unknown}"}, sharding.Sharding{}, []tensor.Shape{half},
			"parameter 0 of @main: neither the module nor the plugin tells"},
		"other shape": {nil, rows, []tensor.Shape{tensor.ShapeOf(tensor.F32, 4, 2)}, "f32[4,3] with the sharding {devices=[2,1]0,1} is f32[2,3] on each device, but the compiled module has f32[4,2]"},
		"bad": {[]string{"{devices=[3]<=[3]}"}, rows, nil,
			"parameter 0 of @main: sharding: {devices=[3]<=[3]}"},
		"manual": {[]string{"{manual}"}, rows, nil, "parameter 0 of @main: sharding: {manual} arrays"},
	} {
		list, err := shardings("parameter", test.texts, []sharding.Sharding{test.declared}, []tensor.Shape{global},
			test.local, 2)
		got := fmt.Sprint(list)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
