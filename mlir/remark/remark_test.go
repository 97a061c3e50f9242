package remark_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/remark"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// unrolled returns a remark that names a function, with two arguments.
func unrolled(c *mlir.Context, kind remark.Kind) remark.Remark {
	return remark.Remark{
		Kind: kind, Name: "unroll", Category: "loops", Subcategory: "inner", Function: "f\"ü",
		Location: c.FileLocation("loop.mlir", 3, 5),
		Args:     []remark.Arg{{"factor", "4"}, {"reason", "small, \"and\" constant"}},
	}
}

// TestOn reports remarks from Go and reads them again. Without the build tag engines, the
// library has none.
func TestOn(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		var got []string
		all := func(r remark.Remark) {
			got = append(got, r.String())
			if want := map[bool]string{true: "f\"ü"}[r.Name == "unroll"]; r.Function != want ||
				r.ID != uint64(len(got)) {
				t.Errorf("%v has the function %q and the number %d", r, r.Function, r.ID)
			}
		}
		stop, err := remark.On(c, remark.Options{}, all)
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			if !errors.Is(err, mlir.ErrUnsupported) || remark.Report(c, unrolled(c, remark.Passed)) {
				t.Errorf("without remarks: %v", err)
			}
			return
		}
		check.NoError(t, err)
		if _, err := remark.On(c, remark.Options{}, all); err == nil {
			t.Error("remarks went to two functions")
		}
		for _, kind := range []remark.Kind{remark.Passed, remark.Missed, remark.Failed,
			remark.Analysis} {
			if !remark.Report(c, unrolled(c, kind)) {
				t.Errorf("%v is not reported", kind)
			}
		}
		remark.Report(c, remark.Remark{Kind: remark.Analysis, Name: "n", Category: "c"})
		stop()
		stop()
		if remark.Report(c, unrolled(c, remark.Passed)) {
			t.Error("a remark was reported after the end")
		}
		const rest = `: unroll [loops:inner]: factor=4, reason=small, "and" constant`
		check.Diff(t, "remarks", []string{
			"loop.mlir:3:5: passed" + rest, "loop.mlir:3:5: missed" + rest, "loop.mlir:3:5: failed" + rest,
			"loop.mlir:3:5: analysis" + rest, c.UnknownLocation().Position().String() + ": analysis: n [c]",
		}, got)
	})
}

// TestOptions checks which remarks are chosen, and when they are reported.
func TestOptions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			return
		}
		for _, test := range []struct {
			options remark.Options
			want    string
		}{
			{remark.Options{Categories: "loops"}, "passed missed"},
			{remark.Options{Categories: "other.*"}, ""},
			{remark.Options{Missed: "loo.s"}, "missed"},
			{remark.Options{Final: true}, "passed missed"},
		} {
			var kinds []string
			stop, err := remark.On(c, test.options, func(r remark.Remark) { kinds = append(kinds, r.Kind.String()) })
			check.NoError(t, err)
			remark.Report(c, unrolled(c, remark.Passed))
			remark.Report(c, unrolled(c, remark.Missed))
			if test.options.Final && len(kinds) > 0 {
				t.Error("a final remark was reported early")
			}
			stop()
			check.Diff(t, "chosen", test.want, strings.Join(kinds, " "))
		}
		if _, err := remark.On(c, remark.Options{Categories: "("}, func(remark.Remark) {}); err == nil {
			t.Error("a wrong regular expression was taken")
		}
	})
}

// TestPasses reports remarks from a pass in Go, on the library's threads, and closes a
// context that still has remarks.
func TestPasses(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			return
		}
		c := e.Library.NewContext(mlir.ContextOptions{Threads: true})
		defer c.Close()
		n := 0
		stop, err := remark.On(c, remark.Options{}, func(r remark.Remark) { n++ })
		check.NoError(t, err)
		m := check.Must(c.Parse("", []byte("func.func private @a()\nfunc.func private @b()\nfunc.func private @c()")))
		pm := check.Must(c.NewPassManager(mlir.PassManagerOptions{}))
		check.NoError(t, pm.Nest("func.func").AddPass(mlir.Pass{Name: "look", Run: func(o mlir.Operation) error {
			remark.Report(c,
				remark.Remark{Kind: remark.Analysis, Name: "seen", Category: "look", Location: o.Location()})
			return nil
		}}))
		check.NoError(t, pm.Run(m))
		check.Diff(t, "remarks", 3, n)
		remark.Report(c, unrolled(c, remark.Passed))
		c.Close()
		stop()
	})
}

func TestWriteFile(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		path := filepath.Join(t.TempDir(), "remarks.yaml")
		stop, err := remark.WriteFile(c, path, remark.Options{})
		if !e.Library.Has("mlirEmitOptimizationRemark") {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("without remarks: %v", err)
			}
			return
		}
		check.NoError(t, err)
		remark.Report(c, unrolled(c, remark.Missed))
		stop()
		text := string(check.Must(os.ReadFile(path)))
		for _, want := range []string{"--- !Missed", "Pass: ", "loops", "unroll", "loop.mlir", "Line: 3", "factor:",
			"'4'"} {
			if !strings.Contains(text, want) {
				t.Errorf("the file lacks %q:\n%s", want, text)
			}
		}
		if _, err := remark.WriteFile(c, filepath.Join(path, "not", "there"), remark.Options{}); err == nil {
			t.Error("remarks were written into a folder that does not exist")
		}
	})
}
