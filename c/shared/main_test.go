package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

var (
	update   = flag.Bool("update", false, "write what the programs print into testdata")
	sanitize = flag.Bool("sanitize", false, "build the library and the programs with AddressSanitizer")
)

// built is the folder of the library and of the programs that use it.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	var err error
	if built, err = os.MkdirTemp("", "calliope-shared-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built)
	if err := build("libcalliope.so", "-buildmode=c-shared", "."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build builds a package into the folder of the library as tools/wheel does, so that Go compiles the packages once, and
// without what only debuggers need.
func build(name string, args ...string) error {
	args = append([]string{"build", "-trimpath", "-ldflags=-w", "-o", filepath.Join(built, name)}, args...)
	if *sanitize {
		args = slices.Insert(args, 1, "-asan")
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// compile compiles programs of testdata in C, and links them with the library. $CC names another compiler.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	compiler(t, append([]string{"-o", program, filepath.Join("testdata", source), "-L" + built, "-lcalliope",
		"-Wl,-rpath," + built, "-ldl", "-pthread"}, flags...)...)
	return program
}

func compiler(t *testing.T, args ...string) {
	t.Helper()
	command := strings.Fields(cmp.Or(os.Getenv("CC"), "cc"))
	command = append(command, append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
		"-I../include"}, args...)...)
	if *sanitize {
		command = append(command, "-fsanitize=address")
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v (the environment variable CC names another compiler)\n%s", strings.Join(command, " "), err,
			out)
	}
}

// run runs a program, which must succeed, and returns what it prints.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	return runIn(t, nil, program, args...)
}

// runIn is run with more environment variables.
func runIn(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%.4000s", filepath.Base(program), strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// golden compares what a program printed with the file of testdata. -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	check.NoError(t, err)
	check.Diff(t, "output", string(want), got)
}

// part returns the path of a native part.
func part(t *testing.T, p native.Part) string {
	t.Helper()
	found, err := native.Ensure(t.Context(), p, native.EnsureOptions{})
	check.NoError(t, err)
	return found.Path
}

// mlirLint returns the path of mlir-lint, which is built when it is first needed.
func mlirLint(t *testing.T) string {
	t.Helper()
	check.NoError(t, buildLint())
	return filepath.Join(built, "bin", "mlir-lint")
}

var buildLint = sync.OnceValue(func() error { return build("bin/mlir-lint", "../../tools/mlir-lint") })
