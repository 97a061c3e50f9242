package tests

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// TestJAXVersions runs functions that each version of JAX lowered and exported, and compares with what JAX computed.
// docs/jax.md has a table of what differs between the versions.
func TestJAXVersions(t *testing.T) {
	check.NoRaces(t)
	times := func(n float32) callbacks.Func {
		return callbacks.Call(func(_ context.Context, x []float32) ([]float32, error) {
			var y []float32
			for _, v := range x {
				y = append(y, n*v)
			}
			return y, nil
		})
	}
	files := map[string]map[string][]byte{}
	for _, version := range jaxenv.Versions() {
		files[version] = unzip(t, version)
		for name := range files[version] {
			function, form, _ := strings.Cut(name, ".")
			if form == "npz" {
				continue
			}
			t.Run(version+"/"+name, func(t *testing.T) {
				var counts []int32
				o := calliope.FuncOptions{}
				switch function {
				case "calls":
					o.JAXCallbacks = []callbacks.Func{times(2), times(3)}
				case "loop":
					o.JAXCallbacks = []callbacks.Func{
						callbacks.Tap(func(_ context.Context, i int32) error {
							counts = append(counts, i)
							return nil
						}),
					}
				}
				f := check.Must(calliope.LoadBytes(t.Context(), files[version][name], o))
				check.Cleanup(t, f)
				runAsJAX(t, f, files[version][function+".npz"])
				if function == "loop" {
					check.Diff(t, "calls in the loop", []int32{0, 1, 2, 3}, counts)
				}
			})
		}
	}
	var rows []string
	for _, row := range []struct {
		what string
		of   func(files map[string][]byte) string
	}{
		{"StableHLO of exports", func(files map[string][]byte) string {
			return string(regexp.MustCompile(`StableHLO_v(\d+\.\d+)`).FindSubmatch(files["sort.vhlo"])[1])
		}},
		{"`lax.lgamma`", operationOr("gamma.mlir", "chlo.lgamma", "arithmetic")},
		{"`jnp.arcsin`", operationOr("trigonometry.mlir", "chlo.asin", "arithmetic")},
		{"bodies of `fori_loop`", func(files map[string][]byte) string {
			if strings.Contains(string(files["loop.mlir"]), "func.call @closed_call") {
				return "functions of their own"
			}
			return "in the loop"
		}},
		{"target of callbacks", operationOr("calls.mlir", "xla_ffi_python_cpu_callback", "")},
		{"`jnp.linalg.svd`", operationOr("svd.mlir", "lapack_sgesdd_ffi", "")},
	} {
		cells := []string{row.what}
		for _, version := range jaxenv.Versions() {
			cells = append(cells, row.of(files[version]))
		}
		rows = append(rows, "| "+strings.Join(cells, " | ")+" |")
	}
	page := string(check.Must(os.ReadFile("../docs/jax.md")))
	for _, row := range rows {
		if !strings.Contains(page, row) {
			t.Errorf("docs/jax.md lacks the row %s", row)
		}
	}
}

// operationOr returns a function that returns the operation or target if a file has it, and another text if not.
func operationOr(file, operation, other string) func(map[string][]byte) string {
	return func(files map[string][]byte) string {
		if strings.Contains(string(files[file]), operation) {
			return "`" + operation + "`"
		}
		return other
	}
}

func unzip(t *testing.T, version string) map[string][]byte {
	t.Helper()
	archive := check.Must(zip.OpenReader(filepath.Join("testdata/jax-versions", version+".zip")))
	defer archive.Close()
	files := map[string][]byte{}
	for _, f := range archive.File {
		r := check.Must(f.Open())
		files[f.Name] = check.Must(io.ReadAll(r))
		check.NoError(t, r.Close())
	}
	return files
}

// runAsJAX runs a function on the arguments in an npz file, and compares with the results in it.
func runAsJAX(t *testing.T, f *calliope.Function, file []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "arrays.npz")
	check.NoError(t, os.WriteFile(path, file, 0o644))
	arrays := check.Must(npz.Open(path))
	check.Cleanup(t, arrays)
	all := func(name string) (list []tensor.View) {
		for i := 0; arrays.Has(fmt.Sprint(name, i)); i++ {
			list = append(list, check.Must(arrays.Array(fmt.Sprint(name, i), nil)).View)
		}
		return list
	}
	var args []any
	for _, v := range all("in") {
		args = append(args, v)
	}
	got := toHost(t, check.Must(f.Call(t.Context(), args...)))
	want := all("out")
	if !slices.EqualFunc(want, got, func(a, b tensor.View) bool { return near(a, b, 1e-4) }) {
		t.Errorf("the results are %v, not %v", got, want)
	}
}
