package mlir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// unrolled returns a remark that names a function, with two arguments.
func unrolled(c *mlir.Context, kind mlir.RemarkKind) mlir.Remark {
	return mlir.Remark{
		Kind: kind, Name: "unroll", Category: "loops", Subcategory: "inner", Function: "f\"ü",
		Location: c.FileLocation("loop.mlir", 3, 5),
		Args:     []mlir.RemarkArg{{"factor", "4"}, {"reason", "small, \"and\" constant"}},
	}
}

// TestRemarks reports remarks from Go and reads them again. Without the build tag engines, the
// library has none.
func TestRemarks(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		var got []string
		all := func(r mlir.Remark) {
			got = append(got, r.String())
			if want := map[bool]string{true: "f\"ü"}[r.Name == "unroll"]; r.Function != want ||
				r.ID != uint64(len(got)) {
				t.Errorf("%v has the function %q and the number %d", r, r.Function, r.ID)
			}
		}
		stop, err := c.OnRemark(mlir.RemarkOptions{}, all)
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			if !errors.Is(err, mlir.ErrUnsupported) || c.Report(unrolled(c, mlir.RemarkPassed)) {
				t.Errorf("without remarks: %v", err)
			}
			return
		}
		check.NoError(t, err)
		if _, err := c.OnRemark(mlir.RemarkOptions{}, all); err == nil {
			t.Error("remarks went to two functions")
		}
		for _, kind := range []mlir.RemarkKind{mlir.RemarkPassed, mlir.RemarkMissed, mlir.RemarkFailed,
			mlir.RemarkAnalysis} {
			if !c.Report(unrolled(c, kind)) {
				t.Errorf("%v is not reported", kind)
			}
		}
		c.Report(mlir.Remark{Kind: mlir.RemarkAnalysis, Name: "n", Category: "c"})
		stop()
		stop()
		if c.Report(unrolled(c, mlir.RemarkPassed)) {
			t.Error("a remark was reported after the end")
		}
		const rest = `: unroll [loops:inner]: factor=4, reason=small, "and" constant`
		check.Diff(t, "remarks", []string{
			"loop.mlir:3:5: passed" + rest, "loop.mlir:3:5: missed" + rest, "loop.mlir:3:5: failed" + rest,
			"loop.mlir:3:5: analysis" + rest, c.UnknownLocation().Position().String() + ": analysis: n [c]",
		}, got)
	})
}

// TestRemarkOptions checks which remarks are chosen, and when they are reported.
func TestRemarkOptions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			return
		}
		for _, test := range []struct {
			options mlir.RemarkOptions
			want    string
		}{
			{mlir.RemarkOptions{Categories: "loops"}, "passed missed"},
			{mlir.RemarkOptions{Categories: "other.*"}, ""},
			{mlir.RemarkOptions{Missed: "loo.s"}, "missed"},
			{mlir.RemarkOptions{Final: true}, "passed missed"},
		} {
			var kinds []string
			stop, err := c.OnRemark(test.options, func(r mlir.Remark) { kinds = append(kinds, r.Kind.String()) })
			check.NoError(t, err)
			c.Report(unrolled(c, mlir.RemarkPassed))
			c.Report(unrolled(c, mlir.RemarkMissed))
			if test.options.Final && len(kinds) > 0 {
				t.Error("a final remark was reported early")
			}
			stop()
			check.Diff(t, "chosen", test.want, strings.Join(kinds, " "))
		}
		if _, err := c.OnRemark(mlir.RemarkOptions{Categories: "("}, func(mlir.Remark) {}); err == nil {
			t.Error("a wrong regular expression was taken")
		}
	})
}

// TestRemarksOfPasses reports remarks from a pass in Go, on the library's threads, and closes a
// context that still has remarks.
func TestRemarksOfPasses(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			return
		}
		c := e.Library.NewContext(mlir.ContextOptions{Threads: true})
		defer c.Close()
		n := 0
		stop, err := c.OnRemark(mlir.RemarkOptions{}, func(r mlir.Remark) { n++ })
		check.NoError(t, err)
		m := check.Must(c.Parse("", []byte("func.func private @a()\nfunc.func private @b()\nfunc.func private @c()")))
		pm := passManager(t, c, mlir.PassManagerOptions{})
		check.NoError(t, pm.Nest("func.func").AddPass(mlir.Pass{Name: "look", Run: func(o mlir.Operation) error {
			c.Report(mlir.Remark{Kind: mlir.RemarkAnalysis, Name: "seen", Category: "look", Location: o.Location()})
			return nil
		}}))
		check.NoError(t, pm.Run(m))
		check.Diff(t, "remarks", 3, n)
		c.Report(unrolled(c, mlir.RemarkPassed))
		c.Close()
		stop()
	})
}

func TestWriteRemarks(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		path := filepath.Join(t.TempDir(), "remarks.yaml")
		stop, err := c.WriteRemarks(path, mlir.RemarkOptions{})
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("without remarks: %v", err)
			}
			return
		}
		check.NoError(t, err)
		c.Report(unrolled(c, mlir.RemarkMissed))
		stop()
		text := string(check.Must(os.ReadFile(path)))
		for _, want := range []string{"--- !Missed", "Pass: ", "loops", "unroll", "loop.mlir", "Line: 3", "factor:",
			"'4'"} {
			if !strings.Contains(text, want) {
				t.Errorf("the file lacks %q:\n%s", want, text)
			}
		}
		if _, err := c.WriteRemarks(filepath.Join(path, "not", "there"), mlir.RemarkOptions{}); err == nil {
			t.Error("remarks were written into a folder that does not exist")
		}
	})
}
