package mlir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// twice computes the same sum two times in each of two functions.
const twice = `module {
  func.func @f(%x: i32) -> (i32, i32) {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    return %0, %1 : i32, i32
  }
  func.func @g(%x: i32) -> (i32, i32) {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    return %0, %1 : i32, i32
  }
}`

func passManager(t testing.TB, c *mlir.Context, o mlir.PassManagerOptions) *mlir.PassManager {
	t.Helper()
	pm, err := c.NewPassManager(o)
	check.NoError(t, err)
	return pm
}

// count returns the number of operations with the given name in the module.
func count(m *mlir.Module, name string) int {
	n := 0
	m.Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
		if o.Name() == name {
			n++
		}
		return mlir.WalkContinue
	})
	return n
}

func TestPipelines(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		whole := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(func.func(cse),symbol-dce)"})
		built := passManager(t, c, mlir.PassManagerOptions{})
		check.NoError(t, built.Nest("func.func").Add("cse"))
		check.NoError(t, built.Add("symbol-dce"))
		if diff := cmp.Diff(whole.String(), built.String()); diff != "" {
			t.Errorf("parsed and built differ (-parsed +built):\n%s", diff)
		}
		if !strings.HasPrefix(whole.String(), "builtin.module(func.func(cse") {
			t.Errorf("the pipeline prints as %s", whole)
		}
		for name, pm := range map[string]*mlir.PassManager{"whole": whole, "built": built} {
			m := mlirtest.Parse(t, c, twice)
			if err := pm.Run(m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := count(m, "arith.addi"); got != 2 {
				t.Errorf("%s: %d additions are left, want 2:\n%s", name, got, m)
			}
			if err := pm.Run(m); err != nil { // again, with nothing left to do
				t.Errorf("%s, second run: %v", name, err)
			}
		}
	})
}

func TestPipelineErrors(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, bad := range []string{"builtin.module(nosuch-pass)", "builtin.module(", "cse",
			"builtin.module(cse{nosuch=1})", "func.func(cse))"} {
			if _, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: bad}); err == nil ||
				!strings.Contains(err.Error(), bad) {
				t.Errorf("the pipeline %q gave %v", bad, err)
			}
		}
		if _, err := c.NewPassManager(mlir.PassManagerOptions{Op: "func.func", Pipeline: "func.func(cse)"}); err ==
			nil {
			t.Error("Op and Pipeline together gave no error")
		}
		pm := passManager(t, c, mlir.PassManagerOptions{})
		check.Error(t, pm.Add("nosuch-pass"), "nosuch-pass")
		check.Error(t, pm.Add("func.func(canonicalise)"), `(is it "canonicalize"?)`)
		// A pipeline that fails adds nothing, not even the passes before the one that failed.
		before := pm.String()
		for _, bad := range []string{"cse,nosuch-pass", "cse,func.func(nosuch-pass)", "cse,canonicalize{nosuch=1}",
			"cse,"} {
			if err := pm.Add(bad); err == nil {
				t.Errorf("adding %q gave no error", bad)
			}
			check.Diff(t, "after "+bad, before, pm.String())
		}
		// A pass manager for functions does not run on a module.
		pm = passManager(t, c, mlir.PassManagerOptions{Op: "func.func"})
		var d *mlir.DiagnosticError
		if err := pm.Run(mlirtest.Parse(t, c, twice)); !errors.As(err, &d) {
			t.Errorf("running on the wrong kind of operation: %v", err)
		}
	})
}

func TestPassInGo(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, threads := range []bool{false, true} {
			t.Run(fmt.Sprint("threads=", threads), func(t *testing.T) {
				c := e.Library.NewContext(mlir.ContextOptions{Threads: threads})
				check.Cleanup(t, c)
				pm := passManager(t, c, mlir.PassManagerOptions{})
				var seen []string // not locked: there is one call at a time
				initialized := 0
				err := pm.AddPass(mlir.Pass{
					Name:       "collect",
					Op:         "func.func",
					Dialects:   []string{"arith"},
					Initialize: func(*mlir.Context) error { initialized++; return nil },
					Run: func(f mlir.Operation) error {
						name, _ := f.Attribute("sym_name")
						text, _ := name.Text()
						seen = append(seen, text)
						f.SetAttribute("test.seen", c.UnitAttribute())
						return nil
					},
				})
				check.NoError(t, err)
				var functions, want []string
				for i := range 40 {
					functions = append(functions, fmt.Sprintf("func.func @f%02d() { return }", i))
					want = append(want, fmt.Sprintf("f%02d", i))
				}
				m := mlirtest.Parse(t, c, strings.Join(functions, "\n"))
				check.NoError(t, pm.Run(m))
				slices.Sort(seen)
				if diff := cmp.Diff(want, seen); diff != "" || initialized == 0 {
					t.Errorf("initialized %d times, visited (-want +got):\n%s", initialized, diff)
				}
				if got := strings.Count(m.String(), "test.seen"); got != len(want) {
					t.Errorf("%d functions are marked, want %d", got, len(want))
				}
				if got := pm.String(); got != "builtin.module(func.func(collect))" {
					t.Errorf("the pipeline prints as %s", got)
				}
			})
		}
	})
}

func TestPassFailures(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		run := func(p mlir.Pass) error {
			pm := passManager(t, c, mlir.PassManagerOptions{})
			check.NoError(t, pm.AddPass(p))
			return pm.Run(mlirtest.Parse(t, c, twice))
		}
		var pass *mlir.PassError
		err := run(mlir.Pass{Name: "fails", Run: func(mlir.Operation) error { return fs.ErrNotExist }})
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &pass) || pass.Pass != "fails" {
			t.Errorf("a pass that fails: %v", err)
		}
		var panicked *mlir.PanicError
		err = run(mlir.Pass{Name: "panics", Run: func(mlir.Operation) error { panic("boom") }})
		if !errors.As(err, &panicked) || panicked.Value != "boom" ||
			!strings.Contains(string(panicked.Stack), "TestPassFailures") {
			t.Errorf("a pass that panics: %v", err)
		}
		err = run(mlir.Pass{Name: "fails early", Initialize: func(*mlir.Context) error { return fs.ErrExist },
			Run: func(mlir.Operation) error { return errors.New("ran all the same") }})
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("a pass whose initialization fails: %v", err)
		}
		// The result of a pass is verified unless NoVerify is set.
		spoil := func(m mlir.Operation) error {
			for f := range m.Region(0).First().Operations() {
				f.SetAttribute("sym_name", c.StringAttribute("same"))
			}
			return nil
		}
		var d *mlir.DiagnosticError
		if err := run(mlir.Pass{Name: "spoils", Run: spoil}); !errors.As(err, &d) || len(d.Diagnostics) == 0 {
			t.Errorf("a pass that leaves invalid IR: %v", err)
		}
		check.Error(t, d, `mlir: verifying after the pass "spoils" failed: test.mlir:`,
			"redefinition of symbol named 'same'")
		nothing := mlir.Pass{Name: "nothing", Run: func(mlir.Operation) error { return nil }}
		for want, fill := range map[string]func(pm *mlir.PassManager) error{
			`verifying after the pass "spoils", or after one that ran later, failed`: func(pm *mlir.PassManager) error {
				return errors.Join(pm.AddPass(nothing), pm.AddPass(mlir.Pass{Name: "spoils", Run: spoil}),
					pm.Add("symbol-dce"))
			},
			`verifying after the pass "spoils" failed`: func(pm *mlir.PassManager) error {
				return errors.Join(pm.AddPass(nothing), pm.AddPass(mlir.Pass{Name: "spoils", Run: spoil}),
					pm.AddPass(nothing))
			},
		} {
			pm := passManager(t, c, mlir.PassManagerOptions{})
			check.NoError(t, fill(pm))
			check.Error(t, pm.Run(mlirtest.Parse(t, c, twice)), want)
		}
		pm := passManager(t, c, mlir.PassManagerOptions{NoVerify: true})
		check.NoError(t, pm.AddPass(mlir.Pass{Name: "spoils", Run: spoil}))
		m := mlirtest.Parse(t, c, twice)
		if err := pm.Run(m); err != nil {
			t.Errorf("without the verifier: %v", err)
		}
		if err := m.Verify(); err == nil {
			t.Error("the pass left a valid module")
		}
	})
}

// TestPassMisuse checks that misuse on which the library would crash panics with a message.
func TestPassMisuse(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, twice)
		before := slices.Collect(m.Body().Operations())[0]
		var kept mlir.Operation
		run := func(f func(mlir.Operation)) error {
			pm := passManager(t, c, mlir.PassManagerOptions{})
			if err := pm.AddPass(
				mlir.Pass{Name: "test", Run: func(o mlir.Operation) error { f(o); return nil }}); err != nil {
				t.Fatal(err)
			}
			return pm.Run(m)
		}
		check.NoError(t, run(func(o mlir.Operation) { kept = o }))
		check.Panics(t, "called after PassManager.Run", func() { before.Name() })
		check.Panics(t, "called after the end of the pass or pattern that it was for", func() { kept.Name() })
		two := passManager(t, c, mlir.PassManagerOptions{})
		if err := errors.Join(
			two.AddPass(mlir.Pass{Name: "keeps", Run: func(o mlir.Operation) error { kept = o; return nil }}),
			two.AddPass(mlir.Pass{Name: "uses", Run: func(mlir.Operation) error { kept.Name(); return nil }}),
		); err != nil {
			t.Fatal(err)
		}
		check.Error(t, two.Run(m), "called after the end of the pass")
		for want, f := range map[string]func(mlir.Operation){
			"Module.Close called while":                              func(mlir.Operation) { m.Close() },
			"Context.Close called while":                             func(mlir.Operation) { c.Close() },
			"on the operation that a pass or pattern runs on":        func(o mlir.Operation) { o.Erase() },
			"Operation.Operand(3): index out of range with length 0": func(o mlir.Operation) { o.Operand(3) },
			"called after PassManager.Run":                           func(mlir.Operation) { before.Name() },
		} {
			check.Error(t, run(f), want)
		}

		pm := passManager(t, c, mlir.PassManagerOptions{})
		if err := pm.AddPass(mlir.Pass{Name: "again", Run: func(mlir.Operation) error { return pm.Run(m) }}); err !=
			nil {
			t.Fatal(err)
		}
		check.Error(t, pm.Run(m), "called by one of its own passes")
		check.Panics(t, "PassList.Add called after the first run", func() { pm.Add("cse") })
		check.Panics(t, "PassList.AddPass called on a zero value", func() { mlir.PassList{}.AddPass(mlir.Pass{}) })
		if err := passManager(t, c, mlir.PassManagerOptions{}).AddPass(mlir.Pass{Name: "x"}); err == nil {
			t.Error("a Pass without Run was added")
		}
		other := mlirtest.ContextOf(t, e.Library)
		check.Panics(t, "was given an operation that is nil", func() { pm.RunOn(m.Body().Terminator()) })
		check.Panics(t, "an operation of another context",
			func() { passManager(t, other, mlir.PassManagerOptions{}).Run(m) })
		pm.Close()
		pm.Close()
		check.Panics(t, "called after PassManager.Close", func() { pm.Run(m) })
	})
}

// TestPassWithinPass runs a pipeline on a function from a pass on the module.
func TestPassWithinPass(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, threads := range []bool{false, true} {
			c := e.Library.NewContext(mlir.ContextOptions{Threads: threads})
			check.Cleanup(t, c)
			inner := passManager(t, c, mlir.PassManagerOptions{Pipeline: "func.func(cse)"})
			outer := passManager(t, c, mlir.PassManagerOptions{})
			err := outer.AddPass(mlir.Pass{Name: "outer", Run: func(m mlir.Operation) error {
				f := slices.Collect(m.Region(0).First().Operations())[0]
				after, err := inner.RunOn(f)
				if err == nil && after.Name() != "func.func" {
					err = errors.New("the operation was lost")
				}
				return err
			}})
			check.NoError(t, err)
			m := mlirtest.Parse(t, c, twice)
			err = outer.Run(m)
			if threads {
				check.Error(t, err, "make it without Threads")
			} else if err != nil {
				t.Error(err)
			}
		}
	})
}

// TestPassesAtOnce runs contexts of one library on several goroutines.
func TestPassesAtOnce(t *testing.T) {
	l := mlirtest.Library(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c := l.NewContext(mlir.ContextOptions{})
			defer c.Close()
			pm, err := c.NewPassManager(mlir.PassManagerOptions{})
			if err == nil {
				err = pm.AddPass(mlir.Pass{Name: "p", Op: "func.func", Run: func(mlir.Operation) error { return nil }})
			}
			m, err2 := c.Parse("", []byte(twice))
			if err = errors.Join(err, err2); err == nil {
				err = pm.Run(m)
			}
			check.Report(t, err)
		})
	}
	wg.Wait()
}

// TestPrintDirectory checks that the directory for printed IR is made, or that the error says why it cannot be.
func TestPrintDirectory(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		file := filepath.Join(t.TempDir(), "file")
		check.NoError(t, os.WriteFile(file, nil, 0o666))
		o := mlir.PassManagerOptions{PrintIR: &mlir.PrintIROptions{After: true, Dir: filepath.Join(file, "x")}}
		if _, err := c.NewPassManager(o); !errors.Is(err, mlir.ErrUnsupported) {
			check.Error(t, err, "mlir: PrintIROptions.Dir: mkdir "+file+": not a directory")
		}
	})
}

// TestPassReports checks that IR printing writes files if the library supports it, and that
// otherwise each kind of report is refused with a reason.
func TestPassReports(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		dir := t.TempDir()
		for function, o := range map[string]mlir.PassManagerOptions{
			"mlirPassManagerEnableIRPrinting": {
				PrintIR: &mlir.PrintIROptions{After: true, Dir: dir, Print: mlir.PrintOptions{Generic: true}}},
			"mlirPassManagerEnableTiming":      {Timing: true},
			"mlirPassManagerEnableStatistics":  {Statistics: mlir.StatisticsList},
			"mlirPassManagerCreateOnOperation": {},
		} {
			pm, err := c.NewPassManager(o)
			if !e.Library.Has(function) {
				if !errors.Is(err, mlir.ErrUnsupported) {
					t.Errorf("%s is missing, the error is %v", function, err)
				}
				continue
			}
			check.NoError(t, err)
			if o.PrintIR == nil {
				continue // the others would write to the test's standard error
			}
			check.NoError(t, errors.Join(pm.Nest("func.func").Add("cse"), pm.Run(mlirtest.Parse(t, c, twice))))
			files := 0
			fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
				if strings.HasSuffix(path, ".mlir") {
					files++
					if text := string(check.Must(os.ReadFile(filepath.Join(dir, path)))); !strings.Contains(text,
						`"func.func"() <{`) {
						t.Errorf("the IR is not in the generic form:\n%s", text)
					}
				}
				return err
			})
			if files != 2 {
				t.Errorf("%d files of IR were written, want one for each function", files)
			}
		}
	})
}

// TestRunVerifiesFirst checks that passes do not run on invalid IR, on which they may
// crash.
func TestRunVerifiesFirst(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, "func.func @f() { return }")
		for f := range m.Body().Operations() {
			check.NoError(t, f.Region(0).First().Terminator().Erase())
		}
		pm := check.Must(c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(canonicalize)"}))
		defer pm.Close()
		var invalid *mlir.DiagnosticError
		if err := pm.Run(m); !errors.As(err, &invalid) {
			t.Errorf("the error is %v, want that of the verifier", err)
		}
	})
}
