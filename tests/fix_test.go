package tests

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// repaired returns what -fix makes of a module, and holds that the result is clean.
func repaired(t *testing.T, name string, data []byte, registry string) []byte {
	t.Helper()
	r, err := fix.Apply(mlirtest.LibraryFor(t, data), name, data, fix.Options{
		Options: lint.Options{Analyzers: rules.All()},
		Migrate: passes.MigrateOptions{Registry: registry},
	})
	check.NoError(t, err)
	for _, d := range append(r.Left, r.Found...) {
		if d.Rule != rules.CallbackInLoop.Name { // a note about a hook in a loop, which stays in it
			t.Error(d)
		}
	}
	return r.Data
}

// TestFixCorpus repairs each module of the corpus with old hooks that can run. The result computes
// and sends what the module did.
func TestFixCorpus(t *testing.T) {
	check.NoRaces(t)
	ran := 0
	for _, row := range corpus(t) {
		if row["runnable"] != "outfeed" {
			continue
		}
		ran++
		t.Run(row.file(), func(t *testing.T) {
			registry := "fix_" + row.file()
			data := repaired(t, row.file(), row.read(t), registry)
			m := parse(t, contextFor(t, data), row.file(), data)
			arrays := check.Must(npz.Open(filepath.Join(corpusFolder, row["npz"])))
			check.Cleanup(t, arrays)
			all := func(name string) (list []tensor.View) {
				for i := 0; arrays.Has(fmt.Sprint(name, i)); i++ {
					list = append(list, check.Must(arrays.Array(fmt.Sprint(name, i), nil)).View)
				}
				return list
			}
			var want, got []string
			for _, v := range all("feed") {
				if v.Shape.DType != tensor.U16 || v.Shape.Rank() > 0 { // no flag
					want = append(want, fmt.Sprint(v.Shape, v.Data))
				}
			}
			given := all("infeed")
			r := check.Must(callbacks.NewRegistry(registry, callbacks.RegistryOptions{}))
			check.Cleanup(t, r)
			bound := map[string]bool{}
			for call := range callop.Calls(m) {
				name := call.Config.Callback
				if bound[name] {
					continue
				}
				bound[name] = true
				check.NoError(t, r.Register(name, func(f *callbacks.Frame) error {
					if call.Config.Form == contract.Observe {
						for _, v := range f.Args {
							got = append(got, fmt.Sprint(v.Shape, v.Data))
						}
						return nil
					}
					for _, v := range f.Results {
						copy(v.Data, given[0].Data)
						given = given[1:]
					}
					return nil
				}, callbacks.Options{FailRun: true}))
			}
			var inputs []engine.Input
			for _, v := range all("in") {
				inputs = append(inputs, v)
			}
			outputs, err := compile(t, m).Run(t.Context(), inputs...)
			check.NoError(t, err)
			check.Diff(t, "what was sent", want, got)
			check.Diff(t, "arrays for infeeds that are left", 0, len(given))
			views := toHost(t, outputs)
			for i, v := range all("out") {
				if !near(v, views[i], check.Must(strconv.ParseFloat(row["tolerance"], 64))) {
					t.Errorf("result %d is %v, not %v", i, views[i], v)
				}
			}
		})
	}
	if ran < 9 {
		t.Errorf("only %d modules ran", ran)
	}
}

// near reports whether two arrays are the same, those of f32 within a relative tolerance.
func near(want, got tensor.View, tolerance float64) bool {
	if !want.Shape.Equal(got.Shape) || want.Shape.DType != tensor.F32 {
		return want.Shape.Equal(got.Shape) && bytes.Equal(want.Data, got.Data)
	}
	a, b := check.Must(tensor.Slice[float32](want)), check.Must(tensor.Slice[float32](got))
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > tolerance*math.Abs(float64(a[i])) {
			return false
		}
	}
	return true
}
