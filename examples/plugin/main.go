// Plugin compiles a dialect in C++, toy/dialect.cpp, into a shared library, and uses it from Go:
// it parses operations of the dialect, has its verifier refuse one, and runs its pass.
//
// Usage, with MLIR's C++ headers of LLVM 22, which Debian's libmlir-22-dev and llvm-22-dev have,
// or with an LLVM of the releases 19 to 22 that is installed with its headers:
//
//	go run ./examples/plugin [-include /usr/lib/llvm-22/include]
//	go run ./examples/plugin -llvm /usr/lib/llvm-19
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
	prefix := flag.String("llvm", "", "folder of an installed LLVM, in place of the one that is fetched")
	source := flag.String("source", "examples/plugin/toy/dialect.cpp", "the dialect")
	flag.Parse()
	if err := run(*prefix, *include, *source); err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}

func run(prefix, include, source string) error {
	llvm, libMLIR, err := engine(prefix)
	if err != nil {
		return err
	}
	if prefix != "" {
		include = filepath.Join(prefix, "include")
	}
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin := filepath.Join(dir, "libtoy.so")
	compile := exec.Command(cmp.Or(os.Getenv("CXX"), "c++"), "-std=c++17", "-O1", "-fPIC", "-fno-rtti", "-shared",
		"-I", include, "-o", plugin, source, libMLIR)
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

// engine returns the library to use, and that with MLIR's C++ functions.
func engine(prefix string) (at native.Location, libMLIR string, err error) {
	if prefix != "" {
		at, err = native.LinkLLVM(context.Background(), prefix, native.EnsureOptions{Progress: os.Stderr})
		return at, filepath.Join(prefix, "lib", "libMLIR.so"), err
	}
	at, err = native.Ensure(context.Background(), native.LLVM, native.EnsureOptions{Progress: os.Stderr})
	return at, filepath.Join(filepath.Dir(at.Path), "libMLIR.so.22.1"), err
}
