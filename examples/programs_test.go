// Package examples holds what the example programs print against what JAX and NumPy compute.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) {
	nativetest.Main(m, native.MLIR, native.PJRTPlugin, native.Jaxlib, native.LAPACK)
}

// TestPrograms runs the programs whose output reference.py computes, too.
func TestPrograms(t *testing.T) {
	plugin, err := native.Find(native.PJRTPlugin)
	check.NoError(t, err)
	hidden := cctest.Library(t, filepath.Join("..", "stages", "testdata", "hidden.c"))
	needFFI := []string{"devices", "eigenvalues", "derivative"} // the others run where nothing can call back

	needDevices := []string{"devices", "sharded"} // the others run without a plugin, too

	dir, want := build(t)
	for name, output := range want {
		t.Run(name, func(t *testing.T) {
			run(t, filepath.Join(dir, name), output)
			if !slices.Contains(needFFI, name) {
				run(t, filepath.Join(dir, name), output, native.PJRTPlugin.Env()+"="+hidden,
					"HIDDEN_PLUGIN="+plugin.Path)
			}
			if !slices.Contains(needDevices, name) {
				run(t, filepath.Join(dir, name), output, native.PJRTPlugin.Env()+"=none")
			}
		})
	}
}

// build builds the programs into a folder, and returns it and what they must print.
func build(t *testing.T) (dir string, want map[string]string) {
	t.Helper()
	want, dir = reference(t), t.TempDir()
	// Without debug information the programs are linked in half of the time.
	args := []string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for name := range want {
		args = append(args, "./"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, want
}

// TestIndex holds that README.md has every program.
func TestIndex(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	check.NoError(t, err)
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) < 20 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	for _, path := range programs {
		if path = filepath.ToSlash(path); !strings.Contains(string(readme), "("+path+")") {
			t.Errorf("README.md has no link to %s", path)
		}
	}
}

func run(t *testing.T, program, want string, env ...string) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v, with %q:\n%s", err, env, &stderr)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("output, with %q (-reference.txt +program):\n%s", env, diff)
	}
}

// reference returns the outputs in testdata/reference.txt by the names of the programs.
func reference(t *testing.T) map[string]string {
	data, err := os.ReadFile(filepath.Join("testdata", "reference.txt"))
	check.NoError(t, err)
	outputs := map[string]string{}
	for section := range strings.SplitSeq(strings.TrimPrefix(string(data), "# "), "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		outputs[name] = strings.TrimSuffix(lines, "\n") + "\n"
	}
	if len(outputs) < 13 {
		t.Fatalf("there are only %d programs", len(outputs))
	}
	return outputs
}
