//go:build engines

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/doctest"
)

// TestRust needs cargo.
func TestRust(t *testing.T) { testHost(t, "rust") }

// TestCrate packages the crate, and builds what is in the package. Without a library, the error says how to get one.
func TestCrate(t *testing.T) {
	var errs strings.Builder
	w := newWork(t, "")
	w.errs = &errs
	check.NoError(t, os.CopyFS(w.built(crate), os.DirFS(w.source(crate))))
	t.Setenv("PKG_CONFIG_PATH", w.folder)
	check.Error(t, w.cargo("package", w.built(crate)), "cargo: exit status 101")
	for _, want := range []string{"libcalliope was not found: CALLIOPE_LIB_DIR is ", "or CALLIOPE_LIB_DIR to DIR/lib."} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("the error lacks %q: %s", want, &errs)
		}
	}
	check.NoError(t, w.library("libcalliope.so", "./c/shared"))
	check.NoError(t, w.cargo("package", w.built(crate)))
	_, err := os.Stat(w.built("target/package/calliope-mlir-" + version.Version + ".crate"))
	check.NoError(t, err)
}

// TestJAX installs each version of JAX when it runs for the first time.
func TestJAX(t *testing.T) {
	want := string(check.Must(os.ReadFile("testdata/jax.txt")))
	for _, version := range jaxenv.Versions() {
		t.Run(version, func(t *testing.T) {
			var out strings.Builder
			w := newWork(t, version)
			w.out = &out
			check.NoError(t, runJAX(w))
			check.Diff(t, "output", want, out.String())
		})
	}
}

// newWork returns the work of a test, in a folder of its own, with a version of JAX.
func newWork(t *testing.T, version string) *work {
	return &work{ctx: t.Context(), root: check.Must(filepath.Abs("../..")), folder: t.TempDir(), out: t.Output(),
		errs: t.Output(), jax: version}
}

// TestMultihost runs a program in two and in four processes. When one dies, the other ends with an error that names it.
func TestMultihost(t *testing.T) {
	w := newWork(t, jaxenv.Newest)
	check.NoError(t, w.library("libfunctions.so", "./examples/embed/functions"))
	for _, n := range []int{2, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var out strings.Builder
			w := *w
			w.out = &out
			check.NoError(t, w.processes(n))
			sum, want := 0, ""
			for i := range 4 * n {
				sum += 3 * (i + 1)
			}
			for i := range n {
				want += fmt.Sprintf("process %d: the sum over %d devices is %d.0, its own parts are "+
					"[[%d.0, %d.0], [%d.0, %d.0]]\nprocess %[1]d: of the whole array it saw ",
					i, 2*n, sum, 4*i, 4*i+1, 4*i+2, 4*i+3)
				if i > 0 {
					want += "[]\n"
					continue
				}
				var whole []string
				for j := range 4 * n {
					whole = append(whole, fmt.Sprintf("%d.0", j))
				}
				want += "[[" + strings.Join(whole, ", ") + "]]\n"
			}
			// Gloo, which connects the processes, prints lines of its own.
			check.Diff(t, "output", want, gloo.ReplaceAllString(out.String(), ""))
		})
	}
	t.Run("one dies", func(t *testing.T) {
		t.Setenv("FAIL", "1")
		w := *w
		var errs strings.Builder
		w.out, w.errs = io.Discard, &errs
		check.Error(t, w.processes(2), "process 0: python: ", "process 1: python: exit status 9")
		want := "The following tasks are unhealthy (stopped sending heartbeats):\n1\n"
		if !strings.Contains(errs.String(), want) {
			t.Errorf("JAX's error does not name process 1: %s", &errs)
		}
	})
}

var gloo = regexp.MustCompile(`(?m)^\[Gloo\].*\n`)

// TestPython installs the wheel of calliope-mlir beside each version of JAX, and runs programs of testdata with it,
// which check themselves: taps.py holds that calliope.tap is called as jax.debug.callback is, calls.py what calls do
// under JAX's transformations and on several devices, copies.py what two copies of the library do, devices.py what
// an error on one of several devices does, keep.py that functions may keep their operands, names.py that
// calliope.jax_callbacks follows the indices of a module, and results.py that functions take and return what those
// of JAX's callbacks do.
func TestPython(t *testing.T) {
	wheel := newWork(t, "")
	check.NoError(t, wheel.command(nil, "go", "run", "./tools/wheel", "-o", wheel.folder, "calliope-mlir"))
	wheels := check.Must(filepath.Glob(wheel.built("calliope_mlir-*.whl")))
	versions := jaxenv.Versions()
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		w := newWork(t, version)
		check.NoError(t, w.command(nil, check.Must(jaxenv.Python(t.Context(), version)), "-m", "pip", "install",
			"--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", w.folder, wheels[0]))
		for _, program := range []string{"calls.py", "copies.py", "devices.py", "keep.py", "names.py", "results.py",
			"taps.py"} {
			t.Run(version+"/"+program, func(t *testing.T) {
				check.NoError(t, w.python(w.folder, "examples/embed/testdata/"+program))
			})
		}
	}
}

// TestDocument runs the programs of docs/jax.md. Those in Python write the modules that those in Go run.
func TestDocument(t *testing.T) {
	python := check.Must(jaxenv.Python(t.Context(), jaxenv.Newest))
	path := check.Must(filepath.Abs("../../c/python"))
	doctest.Run(t, "../../docs/jax.md", func(file string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), python, file)
		c.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "JAX_PLATFORMS=cpu")
		return c
	}, "callbacks.py", "callbacks", "length.py", "length", "shares.py", "shares", "train.py", "train")
}

// TestGuide runs the guide from JAX.
func TestGuide(t *testing.T) {
	t.Setenv("JAX_PLATFORMS", "cpu")
	doctest.Guide(t, "../../docs/guides/from-jax.md", "../..",
		filepath.Dir(check.Must(jaxenv.Python(t.Context(), jaxenv.Newest))))
}
