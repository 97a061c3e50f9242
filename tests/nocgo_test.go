package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A build without a C compiler fails with one error, which says what is missing.
func TestBuildWithoutCgo(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	cmd := exec.Command("go", "build", "-o", os.DevNull, "./examples/quickstart")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs cgo: install a C compiler") ||
		strings.Count(string(out), "\n") != 2 {
		t.Errorf("error %v, printed:\n%s", err, out)
	}
}

// TestBareMachine holds what docs/deploy.md says of a machine with Go alone: no C compiler, no Python.
func TestBareMachine(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	page := string(check.Must(os.ReadFile("../docs/deploy.md")))
	row := regexp.MustCompile(`(?m)^\| Go \|.*$`).FindString(page)
	packages := regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(row, -1)
	dir := t.TempDir()
	check.NoError(t, os.Symlink(check.Must(exec.LookPath("go")), filepath.Join(dir, "go")))
	env := []string{"PATH=" + dir, "HOME=" + dir, "CALLIOPE_CACHE=" + filepath.Join(dir, "cache")}
	for _, name := range []string{"GOCACHE", "GOFLAGS", "GOMODCACHE"} {
		env = append(env, name+"="+strings.TrimSpace(string(check.Must(exec.Command("go", "env", name).Output()))))
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = "..", env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, command := range []string{"mlir-lint", "doctor"} {
		if out, err := run("go", "build", "-o", dir, "./tools/"+command); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	built := 0
	for _, m := range packages {
		if m[1] == "doctor" {
			continue
		}
		built++
		if out, err := run("go", "build", "./"+m[1]); err != nil {
			t.Errorf("%s: %v: %s", m[1], err, out)
		}
	}
	if built < 5 {
		t.Errorf("only %d packages were built", built)
	}
	const model = "tests/testdata/modules/attention_causal.mlir"
	if out, err := run(filepath.Join(dir, "mlir-lint"), "-quick", model); err != nil {
		t.Errorf("-quick: %v: %s", err, out)
	}
	for want, command := range map[string][]string{
		"needs cgo: install a C compiler":                        {"go", "build", "-o", os.DevNull, "./examples/quickstart"},
		"this program was built without cgo and has only -quick": {filepath.Join(dir, "mlir-lint"), model},
		"needs Python with pip, or uv":                           {filepath.Join(dir, "doctor"), "-fetch"},
	} {
		out, err := run(command...)
		if err == nil || !strings.Contains(out, want) || !strings.Contains(page, want) {
			t.Errorf("%v: %v: this and docs/deploy.md should have %q:\n%s", command, err, want, out)
		}
	}
	env = append(env, "CGO_ENABLED=1")
	const want = `C compiler "gcc" not found`
	if out, err := run("go", "build", "-o", os.DevNull, "./examples/quickstart"); err == nil ||
		!strings.Contains(out, want) || !strings.Contains(page, want) {
		t.Errorf("with CGO_ENABLED=1: %v: this and docs/deploy.md should have %q:\n%s", err, want, out)
	}
}
