//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// TestAction runs the steps of action.yml that are scripts, as a runner does.
func TestAction(t *testing.T) {
	root := cctest.Root()
	var action struct {
		Runs struct {
			Steps []struct{ Name, Uses, Run string }
		}
	}
	check.NoError(t, yaml.Unmarshal(check.Must(os.ReadFile(filepath.Join(root, "action.yml"))), &action))
	temp, work := t.TempDir(), t.TempDir()
	check.NoError(t, os.WriteFile(filepath.Join(work, "a b.mlir"), []byte("func.func @f() {\n"+
		`  %t = "stablehlo.create_token"() : () -> !stablehlo.token`+"\n  return\n}\n"), 0o600))
	outputs := filepath.Join(temp, "outputs")
	// step returns the output of a step, and its exit status.
	step := func(name string, env ...string) (string, int) {
		t.Helper()
		for _, s := range action.Runs.Steps {
			if s.Name != name {
				continue
			}
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
			cmd.Dir = work
			cmd.Env = append(append(os.Environ(), "GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+temp, "RUNNER_OS=Linux",
				"RUNNER_ARCH=X64", "GITHUB_OUTPUT="+outputs, "CALLIOPE_CACHE="+check.Must(native.CacheDir())), env...)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			return string(out), cmd.ProcessState.ExitCode()
		}
		t.Fatalf("action.yml has no step %q", name)
		return "", 0
	}
	keys := map[string]bool{}
	for _, version := range []string{"", "", "v1.2.3", "main"} {
		if out, exit := step("version", "VERSION="+version); exit != 0 {
			t.Fatal(out)
		}
	}
	lines := strings.Fields(string(check.Must(os.ReadFile(outputs))))
	for _, line := range lines {
		keys[line] = true
	}
	if len(lines) != 4 || len(keys) != 3 || !keys["key=mlir-lint-Linux-X64-v1.2.3"] {
		t.Errorf("the keys are %q", lines)
	}
	if out, exit := step("install", "VERSION="); exit != 0 {
		t.Fatal(out)
	}
	const want = "::error file=a b.mlir,line=2,"
	for range 2 { // the second time, the results are there
		out, exit := step("check", "OUTPUT=", "ARGS=-format github\n ./...")
		if exit != 1 || !strings.Contains(out, want) {
			t.Errorf("exit status %d: %s", exit, out)
		}
	}
	if out, exit := step("check", "OUTPUT=out.txt", "ARGS=-format github *.mlir"); exit != 2 || out != "" {
		t.Errorf("exit status %d, and outside of the file: %s", exit, out) // the pattern is no file
	}
	if len(check.Must(os.ReadDir(filepath.Join(temp, "mlir-lint-results")))) == 0 {
		t.Error("no results are kept")
	}
}
