package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// eachPlaced calls a test for each module of JAX with placement hints: with its text, its
// argument, and what JAX computed.
func eachPlaced(t *testing.T, test func(t *testing.T, text []byte, in, want tensor.View)) {
	t.Helper()
	files, err := filepath.Glob("testdata/placement/*.mlir")
	check.NoError(t, err)
	check.Diff(t, "modules", 4, len(files))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			check.NoError(t, err)
			arrays, err := npz.Open(strings.TrimSuffix(file, ".mlir") + ".npz")
			check.NoError(t, err)
			check.Cleanup(t, arrays)
			in, err := arrays.Array("in0", nil)
			check.NoError(t, err)
			want, err := arrays.Array("out0", nil)
			check.NoError(t, err)
			test(t, text, in.View, want.View)
		})
	}
}

// hintsOf returns the placement hints of a module.
func hintsOf(m *mlir.Module) (list []string) {
	for _, p := range stablehlo.Placements(m) {
		list = append(list, p.String())
	}
	return list
}

// computes compiles and runs a module of one argument, and compares its result.
func computes(t *testing.T, m *mlir.Module, in, want tensor.View) {
	t.Helper()
	out, err := compile(t, m).Run(t.Context(), in)
	check.NoError(t, err)
	got := check.Must(tensor.Slice[float32](toHost(t, out)[0]))
	for i, v := range check.Must(tensor.Slice[float32](want)) {
		if d := float64(got[i] - v); d > 1e-5 || d < -1e-5 {
			t.Errorf("element %d is %v, not %v", i, got[i], v)
		}
	}
}

// Modules of JAX with placement hints compute what JAX does, before and after our passes, which
// keep the hints. So do round trips. Refine inlines functions, so it drops the hints of calls.
func TestPlacement(t *testing.T) {
	const name = "TestPlacement"
	calls := 0
	see := callbacks.Func(func(*callbacks.Frame) error { calls++; return nil })
	check.NoError(t, callbacks.Default.Register(name, see, callbacks.Options{}))
	defer callbacks.Default.Unregister(name)
	config := contract.Config{Callback: name, Effect: "log"}
	every := func(v mlir.Value) bool { return v.IsResult() }
	ours := func(c callop.Call) bool { return c.Config.Callback == config.Callback }
	eachPlaced(t, func(t *testing.T, text []byte, in, want tensor.View) {
		c := newContext(t)
		m := parse(t, c, "", text)
		hints := hintsOf(m)
		if len(hints) == 0 {
			t.Fatal("the module has no hints")
		}
		computes(t, m, in, want)
		check.Diff(t, "hints when it is compiled", hints, hintsOf(m))

		n, err := passes.InsertTap(m, every, passes.TapOptions{Config: config})
		check.NoError(t, err)
		check.Diff(t, "hints with taps", hints, hintsOf(m))
		effects, err := passes.AddRuntimeTokens(m)
		check.NoError(t, err)
		check.Diff(t, "effects", []string{"log"}, effects)
		_, err = passes.LetOverlap(m)
		check.NoError(t, err)
		check.Diff(t, "hints with runtime tokens", hints, hintsOf(m))
		calls = 0
		computes(t, m, in, want)
		if n == 0 || calls < n {
			t.Errorf("%d calls of %d taps", calls, n)
		}

		m = parse(t, c, "", text)
		_, err = passes.InsertTap(m, every, passes.TapOptions{Config: contract.Config{Callback: name}, Unordered: true})
		check.NoError(t, err)
		migrated, err := passes.Migrate(m, passes.MigrateOptions{})
		check.NoError(t, err)
		check.Diff(t, "left by Migrate", 0, len(migrated.Skipped))
		check.Diff(t, "hints after Migrate", hints, hintsOf(m))
		computes(t, m, in, want)
		m = parse(t, c, "", text)
		_, err = passes.InsertTap(m, every, passes.TapOptions{Config: config})
		check.NoError(t, err)
		_, err = passes.StripTaps(m, ours)
		check.NoError(t, err)
		check.Diff(t, "hints without taps", hints, hintsOf(m))
		check.Diff(t, "module without taps", parse(t, c, "", text).String(), m.String())

		check.Diff(t, "hints in text", hints, hintsOf(parse(t, c, "", []byte(m.String()))))
		bytecode, err := m.Bytecode()
		check.NoError(t, err)
		check.Diff(t, "hints in bytecode", hints, hintsOf(parse(t, c, "", bytecode)))
		artifact, err := stablehlo.Unprepared(m).Artifact("")
		check.NoError(t, err)
		check.Diff(t, "hints in what Program writes", hints, hintsOf(parse(t, c, "", artifact)))
		refined, err := stablehlo.Refine(m, in.Shape)
		check.NoError(t, err)
		check.Cleanup(t, refined)
		inlined := slices.DeleteFunc(slices.Clone(hints),
			func(hint string) bool { return strings.Contains(hint, " func.call ") })
		check.Diff(t, "hints of the refined module", inlined, hintsOf(refined))
		computes(t, refined, in, want)
	})
}
