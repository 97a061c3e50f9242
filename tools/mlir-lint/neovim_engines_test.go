//go:build engines

package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

const (
	observes = `func.func @observes(%x: tensor<f32>) {
  stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback = "see"}} : (tensor<f32>) -> ()
  return
}
`
	hooks = `func.func @hook(%x: tensor<f32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}
`
)

// TestNeovim drives the language server from Neovim, which is in Debian's package neovim.
func TestNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatalf("%v: install Neovim, for example with apt-get install neovim", err)
	}
	script := filepath.Join(cctest.Root(), "tools/mlir-lint/testdata/neovim.lua")
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	check.NoError(t, os.WriteFile("a.mlir", []byte(observes), 0o600))
	check.NoError(t, os.WriteFile("hook.mlir", []byte(hooks), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-n", "-S", script)
	cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Results []struct {
			Name        string
			Diagnostics []string
			Text        string
		}
		Error string
	}
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile("neovim.json")), &got))
	if got.Error != "" || len(got.Results) != 4 {
		t.Fatalf("%s\n%+v", got.Error, got.Results)
	}
	effect, hook := "7:3 side-effect", []string{"2:8 create-token", "3:8 outfeed"}
	for i, want := range [][]string{{"2:3 side-effect"}, append(hook[:2:2], effect), hook, {}} {
		check.Diff(t, got.Results[i].Name, want, got.Results[i].Diagnostics)
	}
	repaired, all := got.Results[2].Text, got.Results[3].Text
	if !strings.HasPrefix(repaired, hooks) || !strings.Contains(repaired, "has_side_effect = true") {
		t.Errorf("after the code action the text is\n%s", repaired)
	}
	if !strings.Contains(all, "@calliope_io_callback") || strings.Contains(all, "stablehlo.outfeed") {
		t.Errorf("after fix all the text is\n%s", all)
	}
}
