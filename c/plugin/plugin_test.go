package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

var sanitize = flag.Bool("sanitize", false, "build the plugin and its client with AddressSanitizer")

// built has the plugin, which tools/wheel and the tests of c/shared build from the same packages.
var built string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	flag.Parse()
	folder, err := os.MkdirTemp("", "calliope-plugin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	built = filepath.Join(folder, "libcalliope_pjrt.so")
	args := []string{"build", "-trimpath", "-ldflags=-w", "-buildmode=c-shared", "-o", built, "."}
	if *sanitize {
		args = slices.Insert(args, 1, "-asan")
	}
	build := exec.Command("go", args...)
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
	args := []string{"-std=c11", "-I", filepath.Join(strings.TrimSpace(string(out)), "pjrt"), "-I",
		filepath.Join(cctest.Root(), "internal", "run", "ffi"), "-o", client, filepath.Join("testdata", "client.c"),
		"-ldl"}
	if *sanitize {
		args = append(args, "-g", "-fsanitize=address")
	}
	compile := exec.Command("cc", args...)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]struct{ text, want string }{
		"sum": {"", "4 6\n"},
		"not MLIR": {"func.func @main(",
			"PJRT_Client_Compile: an argument is not what the function takes"},
		"a wrong call": {"func.func @main() -> tensor<2xf32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n" +
			"  return %0 : tensor<2xf32>\n}", "the program takes 0 buffers, not 2"},
		"a handler": {"func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n" +
			"  %0 = stablehlo.custom_call @multiply(%y) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>\n" +
			"  return %0 : tensor<2xf32>\n}", "30 40\n"},
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
			if strings.Contains(string(out), "Sanitizer") {
				t.Errorf("%s", out)
			}
		})
	}
}
