package tests

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// TestTappedCorpusInStages puts taps all over each module of the corpus that runs, also into its loops and functions,
// and cuts it at each. The results must be those that the corpus has, and the taps must see what they see inline.
func TestTappedCorpusInStages(t *testing.T) {
	check.NoRaces(t)
	var seen []tensor.View
	check.NoError(t, callbacks.Default.Register("tapped", func(f *callbacks.Frame) error {
		seen = append(seen, f.Args[0].Clone())
		return nil
	}, callbacks.Options{FailRun: true}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("tapped")) })
	client := newClient(t, 0)
	withoutPlugin, stagesCut := 0, 0
	eachFile(t, func(row corpusRow) bool { return isGood(row) && row["runnable"] == "cpu" },
		func(t *testing.T, c *mlir.Context, row corpusRow) {
			m := parse(t, c, row.file(), row.read(t))
			n := 0
			taps, err := passes.InsertTap(m, func(v mlir.Value) bool {
				n++
				return n%7 == 3 && n < 70 && !inCondition(v)
			}, passes.TapOptions{Config: contract.Config{Callback: "tapped"}})
			check.NoError(t, err)
			if taps == 0 {
				t.Error("there are no taps")
			}
			arrays := check.Must(npz.Open(filepath.Join(corpusFolder, row["npz"])))
			check.Cleanup(t, arrays)
			all := func(name string) (list []tensor.View) {
				for i := 0; arrays.Has(fmt.Sprint(name, i)); i++ {
					list = append(list, check.Must(arrays.Array(fmt.Sprint(name, i), nil)).View)
				}
				return list
			}
			in := all("in")
			tolerance, err := strconv.ParseFloat(row["tolerance"], 64)
			if err != nil {
				tolerance = 2e-2 // of bf16
			}
			var want, wantSeen []tensor.View
			for i, o := range []stages.Options{
				{Devices: stages.On(client.Engine())},
				{Devices: stages.On(client.Engine()), Force: map[string]stages.Decision{"tapped": stages.Boundary}},
				{},
			} {
				e, err := stages.Compile(t.Context(), m, o)
				check.NoError(t, err)
				for k, shape := range e.Inputs() {
					in[k].Shape = shape // the file has bits for some types
				}
				seen = nil
				got, err := e.Call(t.Context(), in...)
				if err != nil {
					t.Fatalf("way %d: %v", i, err)
				}
				check.NoError(t, e.Close())
				switch i {
				case 0:
					want, wantSeen = got, seen
					continue
				case 1:
					stagesCut++
				case 2:
					withoutPlugin++
				}
				closeTo(t, fmt.Sprintf("way %d: results", i), want, got, tolerance)
				closeTo(t, fmt.Sprintf("way %d: taps", i), wantSeen, seen, tolerance)
			}
		})
	check.Diff(t, "modules", 17, stagesCut)
	check.Diff(t, "modules without a plugin", 17, withoutPlugin)
}

// inCondition reports whether a value is in the condition of a loop. Where XLA knows how often a loop runs, it does not
// evaluate the condition, and inline no tap in it is called.
func inCondition(v mlir.Value) bool {
	block := v.Block()
	if v.IsResult() {
		block = v.Owner().Block()
	}
	for around := block.Parent(); around.Name() != "func.func"; around = around.Block().Parent() {
		if around.Name() == "stablehlo.while" && block == around.Region(0).First() {
			return true
		}
		block = around.Block()
	}
	return false
}

// closeTo compares arrays: those of floats within a tolerance that is relative to the greatest element of all, which
// may be in a sum with any other.
func closeTo(t *testing.T, what string, want, got []tensor.View, tolerance float64) {
	t.Helper()
	check.Diff(t, what+": number", len(want), len(got))
	greatest := 0.0
	for _, w := range want {
		list, _ := floats(w)
		for _, x := range list {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				greatest = max(greatest, math.Abs(x))
			}
		}
	}
	for i, w := range want {
		g := got[i]
		check.Diff(t, what+": shape", w.Shape.String(), g.Shape.String())
		a, float := floats(w)
		if !float {
			check.Diff(t, fmt.Sprintf("%s: %d", what, i), w.String(), g.String())
			continue
		}
		b, _ := floats(g)
		for k := range a {
			if a[k] != b[k] && !(math.IsNaN(a[k]) && math.IsNaN(b[k])) && !(math.Abs(a[k]-b[k]) <= tolerance*greatest) {
				t.Fatalf("%s: %d is %s, not %s", what, i, g, w)
			}
		}
	}
}

// floats returns the elements of an array of floats, or the parts of complex ones.
func floats(v tensor.View) (list []float64, ok bool) {
	for i := range v.Shape.NumElements() {
		switch x := v.At(i).(type) {
		case float32:
			list = append(list, float64(x))
		case float64:
			list = append(list, x)
		case complex64:
			list = append(list, float64(real(x)), float64(imag(x)))
		case complex128:
			list = append(list, real(x), imag(x))
		default:
			return nil, false
		}
	}
	return list, true
}
