package cases

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// programs are what scripts run in processes of their own, for a crash of one is a result.
var programs = map[string]func(){
	"mlir-lint":       func() { os.Exit(command.Main(rules.All()...)) },
	"batched-branch":  batchedBranch,
	"close-in-flight": closeInFlight,
	"endless":         endless,
	"load":            load,
	"many-operands":   manyOperands,
	"recursive-rule":  recursiveRule,
	"retry":           retry,
	"slow-closures":   slowClosures,
	"ir":              irProgram,
	"resource":        resource,
	"short-form":      shortForm,
	"unranked-cast":   unrankedCast,
}

func TestMain(m *testing.M) {
	testscript.Main(fetched{m}, programs)
}

// fetched fetches the native parts before the tests. The programs of scripts run without it: a process starts in a
// millisecond.
type fetched struct{ m *testing.M }

func (f fetched) Run() int {
	if err := native.EnsureAll(context.Background(), native.EnsureOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return f.m.Run()
}

// TestCases runs the scripts. Their commands, besides those of testscript and programs:
//
//	mlir-run, calliope-opt   the tools
//	npz FILE ARRAY...        writes in0, in1, … to FILE; an array is its shape and elements: 'f32[2] 1.5 2'
//	entry FILE NAME          makes the function @NAME of the module FILE @main, and @main @old
//	engines FILE ARGS...     runs mlir-run ARGS on XLA, on XLA with --exact and by --jit, whose outputs are as FILE
func TestCases(t *testing.T) {
	tools := t.TempDir()
	build := exec.Command("go", "build", "-o", tools, "../../tools/mlir-run", "../../tools/calliope-opt")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"HOME", "XDG_CACHE_HOME", "CALLIOPE_CACHE"} {
				if value, ok := os.LookupEnv(name); ok {
					e.Setenv(name, value)
				}
			}
			root, err := filepath.Abs("../..")
			e.Setenv("ROOT", root)
			e.Setenv("PATH", tools+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"npz": writeNPZ, "entry": entry,
			"engines": engines},
	})
}

func writeNPZ(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: npz FILE ARRAY...")
	}
	var arrays []npz.Named
	for i, text := range args[1:] {
		fields := strings.Fields(text)
		shape, err := tensor.ParseShape(fields[0])
		ts.Check(err)
		v, err := parseView(shape, fields[1:])
		ts.Check(err)
		arrays = append(arrays, npz.Named{Name: fmt.Sprint("in", i), View: v})
	}
	ts.Check(npz.WriteFile(ts.MkAbs(args[0]), arrays))
}

// parseView returns an array of numbers. One number is repeated.
func parseView(s tensor.Shape, words []string) (tensor.View, error) {
	switch s.DType {
	case tensor.F32:
		return numbers[float32](s, words)
	case tensor.F64:
		return numbers[float64](s, words)
	case tensor.S8:
		return numbers[int8](s, words)
	case tensor.S32:
		return numbers[int32](s, words)
	case tensor.U64:
		return numbers[uint64](s, words)
	default:
		return tensor.View{}, fmt.Errorf("no array of %s is needed so far", s.DType)
	}
}

func numbers[T interface {
	tensor.Element
	float32 | float64 | int8 | int32 | uint64
}](s tensor.Shape, words []string) (tensor.View, error) {
	n := 1
	for _, d := range s.Dims {
		n *= d
	}
	data := make([]T, n)
	for i := range data {
		v, err := strconv.ParseFloat(words[min(i, len(words)-1)], 64)
		if err != nil {
			return tensor.View{}, err
		}
		data[i] = T(v)
	}
	return tensor.FromSlice(data, s.Dims...)
}

func entry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entry FILE NAME")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "@main(", "@old(")
	text = strings.ReplaceAll(text, "@"+args[1]+"(", "@main(")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

func engines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: engines FILE ARGS...")
	}
	want := ts.ReadFile(args[0])
	for _, engine := range []string{"", "--exact", "--jit"} {
		run := args[1:]
		if engine != "" {
			run = append([]string{engine}, run...)
		}
		ts.Check(ts.Exec("mlir-run", run...))
		if diff := cmp.Diff(want, ts.ReadFile("stdout")); diff != "" {
			ts.Fatalf("mlir-run %s: -want +got\n%s", strings.Join(run, " "), diff)
		}
	}
}

// within ends the process if it takes longer: what never ended once is a failure, and not a test that hangs.
func within(d time.Duration) {
	time.AfterFunc(d, func() {
		fmt.Fprintln(os.Stderr, "still running after", d)
		os.Exit(3)
	})
}
