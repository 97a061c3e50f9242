package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// built has the plugin, which tools/wheel and the tests of c/shared build from the same packages.
var built string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	folder, err := os.MkdirTemp("", "calliope-plugin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	built = filepath.Join(folder, "libcalliope_pjrt.so")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-w", "-buildmode=c-shared", "-o", built, ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// TestClient runs a program in C, which a user of PJRT may have written, by the header of another release.
func TestClient(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/gopjrt").Output()
	check.NoError(t, err)
	client := filepath.Join(t.TempDir(), "client")
	compile := exec.Command("cc", "-std=c11", "-I", filepath.Join(strings.TrimSpace(string(out)), "pjrt"), "-o", client,
		filepath.Join("testdata", "client.c"), "-ldl")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]struct{ text, want string }{
		"sum": {"", "4 6\n"},
		"not MLIR": {"func.func @main(",
			"PJRT_Client_Compile: an argument is not what the function takes"},
		"a wrong call": {"func.func @main() -> tensor<2xf32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n" +
			"  return %0 : tensor<2xf32>\n}", "the program takes 0 buffers, not 2"},
		"no handler": {"func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n" +
			"  %0 = stablehlo.custom_call @mine(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>\n" +
			"  return %0 : tensor<2xf32>\n}", `nothing serves the target "mine"`},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{built}
			if test.text != "" {
				args = append(args, test.text)
			}
			out, _ := exec.Command(client, args...).CombinedOutput()
			if !strings.Contains(string(out), test.want) {
				t.Errorf("it printed %q, which lacks %q", out, test.want)
			}
		})
	}
}
