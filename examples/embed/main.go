// Embed builds the library libcalliope and a program of another language that uses it, and runs
// the program:
//
//	go run ./examples/embed c      a host in C, which needs a C compiler
//	go run ./examples/embed cpp    a compiler in C++ with an MLIR context of its own
//	go run ./examples/embed rust   a host in Rust, with closures as callbacks, which needs cargo
//	go run ./examples/embed jax    a JAX program in Python, with functions in Go, C and Python
//	go run ./examples/embed multihost   a JAX program in two processes, as on two hosts
//
// Each program is in the folder of its name, and what it needs is fetched. docs/embedding.md is the manual.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/native"
)

// hosts are the programs by their name.
var hosts = map[string]func(*work) error{"c": runC, "cpp": runCPP, "jax": runJAX, "multihost": runMultihost,
	"rust": runRust}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || hosts[os.Args[1]] == nil {
		log.Fatalf("usage: go run ./examples/embed HOST, where HOST is one of %s",
			strings.Join(slices.Sorted(maps.Keys(hosts)), ", "))
	}
	if err := run(context.Background(), os.Args[1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run builds and runs a host. out gets what the host prints.
func run(ctx context.Context, host string, out io.Writer) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/calliope-mlir/calliope")
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "calliope-embed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return hosts[host](&work{ctx: ctx, root: root, folder: folder, out: out, errs: os.Stderr, jax: jaxenv.Newest})
}

// work is the build of one host.
type work struct {
	ctx    context.Context
	root   string // of the module
	folder string // for what is built
	out    io.Writer
	errs   io.Writer // what programs print to standard error
	jax    string    // the version of JAX that programs in Python get
}

// source returns the path of a file of the module.
func (w *work) source(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// built returns the path of a file that is built.
func (w *work) built(name string) string { return filepath.Join(w.folder, name) }

// command runs a program. What it prints goes to out.
func (w *work) command(env []string, name string, args ...string) error {
	cmd := exec.CommandContext(w.ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = w.out, w.errs
	cmd.Dir = w.root
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}

// library builds a package into a shared library.
func (w *work) library(name, pkg string) error {
	return w.command(nil, "go", "build", "-buildmode=c-shared", "-trimpath", "-o", w.built(name), pkg)
}

// compiler returns a compiler: that of an environment variable, or the default.
func compiler(variable, otherwise string) string {
	if c := os.Getenv(variable); c != "" {
		return c
	}
	return otherwise
}

func runC(w *work) error {
	plugin, err := native.Ensure(w.ctx, native.PJRTPlugin, native.EnsureOptions{})
	if err != nil {
		return err
	}
	if err := w.library("libcalliope.so", "./c/shared"); err != nil {
		return err
	}
	if err := w.command(nil, compiler("CC", "cc"), "-std=gnu11", "-Wall", "-Wextra", "-I", w.source("c/include"), "-o",
		w.built("host"),
		w.source("examples/embed/c/host.c"), "-L", w.folder, "-lcalliope", "-ldl", "-Wl,-rpath,"+w.folder); err != nil {
		return err
	}
	return w.command(nil, w.built("host"), plugin.Path)
}

func runCPP(w *work) error {
	mlir, err := native.Ensure(w.ctx, native.MLIR, native.EnsureOptions{})
	if err != nil {
		return err
	}
	plugin, err := native.Ensure(w.ctx, native.PJRTPlugin, native.EnsureOptions{})
	if err != nil {
		return err
	}
	if err := w.library("libcalliope.so", "./c/shared"); err != nil {
		return err
	}
	// calliope_lint finds mlir-lint beside the library.
	if err := w.command(nil, "go", "build", "-o", w.built("mlir-lint"), "./tools/mlir-lint"); err != nil {
		return err
	}
	if err := w.command(nil, compiler("CXX", "c++"), "-std=c++17", "-Wall", "-Wextra", "-I", w.source("c/include"),
		"-o", w.built("host"),
		w.source("examples/embed/cpp/host.cc"), "-L", w.folder, "-lcalliope", "-ldl", "-Wl,-rpath,"+w.folder,
		mlir.Path, "-Wl,-rpath,"+filepath.Dir(mlir.Path)); err != nil {
		return err
	}
	return w.command(nil, w.built("host"), mlir.Path, plugin.Path)
}

func runRust(w *work) error {
	plugin, err := native.Ensure(w.ctx, native.PJRTPlugin, native.EnsureOptions{})
	if err != nil {
		return err
	}
	if err := w.library("libcalliope.so", "./c/shared"); err != nil {
		return err
	}
	// cargo writes a lock file, which says nothing, because only the crate of this module is used.
	for _, folder := range []string{"examples/embed/rust", crate} {
		if err := os.CopyFS(w.built(folder), os.DirFS(w.source(folder))); err != nil {
			return err
		}
	}
	if err := w.cargo("build", w.built("examples/embed/rust")); err != nil {
		return err
	}
	return w.command(nil, w.built("target/debug/host"), plugin.Path)
}

// crate is the folder of the crate that the program in Rust uses.
const crate = "c/rust"

// cargo runs a command of cargo on the package in a folder, with the library that was built.
func (w *work) cargo(command, folder string) error {
	return w.command([]string{"CALLIOPE_LIB_DIR=" + w.folder,
		"RUSTFLAGS=-D warnings -C link-arg=-Wl,-rpath," + w.folder}, "cargo", command, "--quiet", "--offline",
		"--manifest-path", filepath.Join(folder, "Cargo.toml"), "--target-dir", w.built("target"))
}

func runJAX(w *work) error {
	if err := w.library("libfunctions.so", "./examples/embed/functions"); err != nil {
		return err
	}
	if err := w.command(nil, compiler("CC", "cc"), "-shared", "-fPIC", "-std=gnu11", "-Wall", "-Wextra", "-I",
		w.source("c/include"),
		"-o", w.built("libcount.so"), w.source("examples/embed/jax/count.c"), "-L", w.folder, "-lfunctions",
		"-Wl,-rpath,"+w.folder); err != nil {
		return err
	}
	return w.python(w.source("c/python"), "examples/embed/jax/host.py", w.built("libfunctions.so"), w.built("libcount.so"))
}

// python runs a program of the module with JAX, on four devices. modules is the folder of calliope_mlir.
func (w *work) python(modules, source string, args ...string) error {
	python, err := jaxenv.Python(w.ctx, w.jax)
	if err != nil {
		return err
	}
	return w.command([]string{
		"PYTHONPATH=" + modules,
		"PYTHONDONTWRITEBYTECODE=1",
		"JAX_PLATFORMS=cpu",
		"XLA_FLAGS=--xla_force_host_platform_device_count=4",
	}, python, append([]string{w.source(source)}, args...)...)
}

// output runs a program and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
