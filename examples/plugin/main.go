// Plugin compiles a dialect in C++, toy/dialect.cpp, into a shared library, and uses it from Go:
// it parses operations of the dialect, has its verifier refuse one, and runs its pass.
//
// Usage, with MLIR's C++ headers of LLVM 22, which Debian's libmlir-22-dev and llvm-22-dev have:
//
//	go run ./examples/plugin [-include /usr/lib/llvm-22/include]
//
// The C++ compiler is $CXX, or c++.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

func main() {
	include := flag.String("include", "/usr/lib/llvm-22/include", "folder with MLIR's C++ headers")
	source := flag.String("source", "examples/plugin/toy/dialect.cpp", "the dialect")
	flag.Parse()
	if err := run(*include, *source); err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}

func run(include, source string) error {
	llvm, err := native.Ensure(context.Background(), native.LLVM, native.EnsureOptions{Progress: os.Stderr})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin := filepath.Join(dir, "libtoy.so")
	compile := exec.Command(cmp.Or(os.Getenv("CXX"), "c++"), "-std=c++17", "-O1", "-fPIC", "-fno-rtti", "-shared",
		"-I", include, "-o", plugin, source, "-L", filepath.Dir(llvm.Path), "-l:libMLIR.so.22.1", "-l:libLLVM.so.22.1")
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return fmt.Errorf("compiling %s: %w", source, err)
	}
	library, err := mlir.Open(mlir.OpenOptions{Path: llvm.Path, Plugins: []string{plugin}})
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	_, err = c.Parse("wrong.mlir", []byte(`func.func @f(%x: i4) { "toy.double"(%x) : (i4) -> i4 return }`))
	fmt.Println("the verifier:", err)
	m, err := c.Parse("right.mlir", []byte(`func.func @f(%x: i32) -> i32 {
  %0 = "toy.double"(%x) : (i32) -> i32
  return %0 : i32
}`))
	if err != nil {
		return err
	}
	passes, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(toy-lower)"})
	if err != nil {
		return err
	}
	if err := passes.Run(m); err != nil {
		return err
	}
	fmt.Print(m)
	return nil
}
