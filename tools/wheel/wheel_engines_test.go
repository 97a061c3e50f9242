//go:build engines

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

const outfeed = `func.func @f(%x: tensor<f32>, %t: !stablehlo.token) {
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}
`

// run runs a command in the working directory with a PATH, and returns what it prints.
func run(t *testing.T, path string, exit int, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+path)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		t.Fatalf("%v: %v, want exit status %d\n%s", command, err, exit, out)
	}
	return string(out)
}

// TestWheel installs the wheel with pip, pipx and pre-commit, and runs the command without a C compiler.
func TestWheel(t *testing.T) {
	t.Chdir(cctest.Root())
	dir := t.TempDir()
	wheel := check.Must(packages["mlir-lint"].write(dir, "1.2.3rc4"))
	if name := filepath.Base(wheel); !strings.HasPrefix(name, "mlir_lint-1.2.3rc4-py3-none-manylinux_2_") {
		t.Errorf("the wheel is %s", name)
	}
	python := check.Must(exec.LookPath("python3"))
	t.Chdir(t.TempDir())
	check.NoError(t, os.WriteFile("a.mlir", []byte(outfeed), 0o600))

	run(t, os.Getenv("PATH"), 0, python, "-m", "venv", "clean")
	bin := check.Must(filepath.Abs("clean/bin"))
	run(t, bin, 0, "clean/bin/pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel)
	for _, flags := range [][]string{nil, {"-quick"}} {
		command := append([]string{"clean/bin/mlir-lint"}, flags...)
		if out := run(t, bin, 1, append(command, "a.mlir")...); !strings.Contains(out, "a.mlir:2:8: error: ") {
			t.Errorf("%v prints %s", command, out)
		}
	}

	// Without a cache and without pip there is no library, and -quick needs none.
	t.Setenv("CALLIOPE_CACHE", t.TempDir())
	empty := t.TempDir()
	if out := run(t, empty, 2, "clean/bin/mlir-lint", "a.mlir"); !strings.Contains(out, "`doctor -import FILE`") {
		t.Errorf("without pip: %s", out)
	}
	run(t, empty, 1, "clean/bin/mlir-lint", "-quick", "a.mlir")

	path := os.Getenv("PATH")
	run(t, path, 0, python, "-m", "venv", "tools")
	run(t, path, 0, "tools/bin/pip", "install", "-q", "--disable-pip-version-check", "pipx==1.18.4", "pre-commit==4.7.0")
	home := t.TempDir()
	for _, name := range []string{"PIPX_HOME", "PIPX_BIN_DIR", "PRE_COMMIT_HOME"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	run(t, path, 0, "tools/bin/pipx", "install", wheel)
	run(t, empty, 1, filepath.Join(home, "PIPX_BIN_DIR", "mlir-lint"), "-quick", "a.mlir")

	check.NoError(t, os.WriteFile(".pre-commit-config.yaml", []byte(`repos:
  - repo: local
    hooks:
      - id: mlir-lint
        name: mlir-lint
        entry: mlir-lint -quick
        language: python
        additional_dependencies: [`+wheel+`]
        files: '\.mlir$'
`), 0o600))
	run(t, path, 0, "git", "init", "-q")
	run(t, path, 0, "git", "add", "a.mlir", ".pre-commit-config.yaml")
	out := run(t, path, 1, "tools/bin/pre-commit", "run", "mlir-lint")
	if !strings.Contains(out, "a.mlir:2:8: error: ") {
		t.Errorf("pre-commit prints %s", out)
	}
}

// TestReproducible checks that another checkout makes the same bytes.
func TestReproducible(t *testing.T) {
	root := cctest.Root()
	t.Chdir(root)
	want := check.Must(os.ReadFile(check.Must(packages["mlir-lint"].write(t.TempDir(), "1.0"))))
	copied := filepath.Join(t.TempDir(), "elsewhere")
	check.NoError(t, os.CopyFS(copied, sources{os.DirFS(root)}))
	t.Chdir(copied)
	got := check.Must(os.ReadFile(check.Must(packages["mlir-lint"].write(t.TempDir(), "1.0"))))
	if string(got) != string(want) {
		t.Error("the wheels differ")
	}
}

// sources is a checkout without folders that builds do not read.
type sources struct{ fs.FS }

func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	kept := all[:0]
	for _, d := range all {
		if !d.IsDir() || d.Name() != ".git" && d.Name() != "testdata" && d.Name() != "shared" {
			kept = append(kept, d)
		}
	}
	return kept, err
}
