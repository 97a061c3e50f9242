package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// sequence returns the arrays feed0, feed1, … of a file without flags, which are scalars of type
// u16.
func sequence(t *testing.T, path string) []string {
	t.Helper()
	all := views(t, path)
	list := []string{}
	for i := 0; ; i++ {
		v, ok := all[fmt.Sprint("feed", i)]
		if !ok {
			return list
		}
		if v.Shape.DType != tensor.U16 || v.Shape.Rank() > 0 {
			list = append(list, fmt.Sprint(v.Shape, v.Data))
		}
	}
}

// repaired writes what mlir-lint -fix makes of a module to a folder, and returns the path.
func repaired(t *testing.T, folder, name string, data []byte) string {
	t.Helper()
	r := check.Must(fix.Apply(mlirtest.LibraryFor(t, data), name, data,
		fix.Options{Options: lint.Options{Analyzers: rules.All()}}))
	check.Diff(t, "left of "+name, 0, len(r.Left))
	path := filepath.Join(folder, "repaired_"+name)
	check.NoError(t, os.WriteFile(path, r.Data, 0o600))
	return path
}

// Each module with old hooks is migrated, gives its results, and sends what it sent. So does what -fix
// makes of it.
func TestFeedsCorpus(t *testing.T) {
	ran := 0
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if row["runnable"] != "outfeed" {
			continue
		}
		ran++
		t.Run(row["file"], func(t *testing.T) {
			t.Parallel()
			data := check.Must(os.ReadFile(filepath.Join(corpus, row["file"])))
			for _, module := range []string{row["file"], repaired(t, t.TempDir(), row["file"], data)} {
				feeds := filepath.Join(t.TempDir(), "feeds.npz")
				got := command{folder: corpus}.run(t, module, "--in", row["npz"], "--expect", row["npz"], "--rtol",
					row["tolerance"], "--feeds", feeds)
				got.want(t, exitDone, "outputs match "+row["npz"], "")
				if got.status == exitDone {
					// Bytes must be the same: XLA computes these few operations as it did then.
					check.Diff(t, "what was sent", sequence(t, filepath.Join(corpus, row["npz"])), sequence(t, feeds))
				}
			}
		})
	}
	if ran < 9 {
		t.Errorf("only %d modules ran", ran)
	}
}

// condFeeds sends from the condition and the body of a loop, and receives in both.
const condFeeds = `func.func @main(%n: tensor<i32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = stablehlo.while(%i = %n, %u = %t) : tensor<i32>, !stablehlo.token cond {
    %v = "stablehlo.outfeed"(%i, %u) : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %in:2 = "stablehlo.infeed"(%v) : (!stablehlo.token) -> (tensor<i1>, !stablehlo.token)
    stablehlo.return %in#0 : tensor<i1>
  } do {
    %in:2 = "stablehlo.infeed"(%u) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %j = stablehlo.multiply %i, %in#0 : tensor<i32>
    %a = "stablehlo.outfeed"(%in#0, %j, %in#1) : (tensor<i32>, tensor<i32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %j, %a : tensor<i32>, !stablehlo.token
  }
  return
}`

func TestFeeds(t *testing.T) {
	folder := t.TempDir()
	s32 := func(v int32) tensor.View { return tensor.Scalar(v) }
	pred := func(v bool) tensor.View { return tensor.Scalar(v) }
	pack := func(name string, views ...tensor.View) {
		arrays := []npz.Named{{Name: "in0", View: views[0]}}
		for i, v := range views[1:] {
			arrays = append(arrays, npz.Named{Name: fmt.Sprint("infeed", i), View: v})
		}
		check.NoError(t, npz.WriteFile(filepath.Join(folder, name), arrays))
	}
	write(t, folder, "cond.mlir", condFeeds)
	repaired(t, folder, "cond.mlir", []byte(condFeeds))
	pack("good.npz", s32(3), pred(true), s32(5), pred(true), s32(7), pred(false))
	pack("short.npz", s32(3), pred(true), s32(5))
	pack("other.npz", s32(3), pred(true), tensor.Scalar(float32(1)))
	pack("none.npz", s32(3))
	write(t, folder, "add.mlir", add)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	writeArray(t, folder, "n.npy", s32(3))
	write(t, folder, "reduce.mlir", `func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %t = stablehlo.create_token : !stablehlo.token
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %o = "stablehlo.outfeed"(%a, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %b : tensor<f32>
  }
  return %r : tensor<f32>
}`)
	write(t, folder, "endless.mlir", strings.Replace(condFeeds, "stablehlo.return %in#0 : tensor<i1>",
		"%true = stablehlo.constant dense<true> : tensor<i1>\nstablehlo.return %true : tensor<i1>", 1))
	for args, want := range map[string]struct {
		status int
		stderr string
	}{
		"cond.mlir --in good.npz --feeds f0.npz":                                   {exitDone, ""},
		"repaired_cond.mlir --in good.npz --feeds r0.npz":                          {exitDone, ""},
		"repaired_cond.mlir --in none.npz --feeds r1.npz":                          {exitFailed, "infeed0 is missing"},
		"cond.mlir --in good.npz --feeds f1.npz --stats --record r --trace t.json": {exitDone, ""},
		"cond.mlir --in short.npz --feeds f2.npz": {exitFailed,
			`callback "infeed_0" needs infeed2: pred[] is expected in --in`},
		"cond.mlir --in other.npz --feeds f3.npz": {exitFailed,
			`infeed1 is f32[]: callback "infeed_1" expects s32[]`},
		"cond.mlir --in none.npz --feeds f4.npz":                  {exitFailed, "infeed0 is missing"},
		"cond.mlir --in n.npy --feeds f5.npz":                     {exitFailed, "infeed0 is missing"},
		"cond.mlir --in good.npz --feeds f6.npz --max-arrays 600": {exitFailed, `callback "outfeed_1" sends s32[]`},
		"cond.mlir --in good.npz --feeds f7.npz --replay r": {exitFailed,
			"--feeds cannot be combined with --replay"},
		"cond.mlir --in good.npz --feeds absent/f.npz":  {exitFailed, "--feeds absent/f.npz: "},
		"cond.mlir --in good.npz":                       {exitFailed, "--feeds serves them"},
		"endless.mlir --in good.npz --feeds f8.npz":     {exitFailed, "infeed5: s32[] is expected"},
		"add.mlir --in a.npy --in a.npy --feeds f9.npz": {exitDone, ""},
		"reduce.mlir --in a.npy --feeds g.npz":          {exitFailed, "--feeds cannot serve these operations:\n  reduce.mlir:5:10: stablehlo.outfeed: it is in stablehlo.reduce"},
	} {
		t.Run(args, func(t *testing.T) {
			command{folder: folder}.run(t, strings.Fields(args)...).want(t, want.status, "", want.stderr)
		})
	}
	var sent []string
	for _, v := range []int32{3, 5, 15, 15, 7, 105, 105} {
		sent = append(sent, fmt.Sprint(s32(v).Shape, s32(v).Data))
	}
	check.Diff(t, "what a loop sent", sent, sequence(t, filepath.Join(folder, "f0.npz")))
	check.Diff(t, "what the repaired loop sent", sent, sequence(t, filepath.Join(folder, "r0.npz")))
	check.Diff(t, "what nobody sent", []string{}, sequence(t, filepath.Join(folder, "f9.npz")))
}
