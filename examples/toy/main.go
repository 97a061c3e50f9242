// Toy compiles programs of a small language, which has arrays and functions of any shape, and runs them:
//
//	go run ./examples/toy program.toy
//
// With -emit toy, shapes, loops or llvm it prints the module after that step instead.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/passes"
)

const usage = "usage: toy [-emit toy|shapes|loops|llvm] program.toy"

func main() {
	log.SetFlags(0)
	emit := flag.String("emit", "", "print the module after this step: toy, shapes, loops or llvm")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal(usage)
	}
	if err := run(flag.Arg(0), *emit); err != nil {
		log.Fatal(err)
	}
}

// run compiles and runs a program, or prints it after a step.
func run(file, emit string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	functions, err := parse(filepath.Base(file), source)
	if err != nil {
		return err
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if err := load(c); err != nil {
		return err
	}
	m, err := generate(c, functions)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		run  func(*mlir.Module) error
	}{{"toy", (*mlir.Module).Verify}, {"shapes", optimize}, {"loops", lower}, {"llvm", toLLVM}} {
		if err := step.run(m); err != nil {
			return err
		}
		if step.name == emit {
			fmt.Print(m)
			return nil
		}
	}
	if emit != "" {
		return errors.New(usage)
	}
	return execute(m)
}

// toLLVM lowers loops on memory to the LLVM dialect.
func toLLVM(m *mlir.Module) error {
	return passes.RunGuarded(m, "builtin.module(convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts)")
}

// execute compiles the module to machine code, and calls main, which calls back to print.
func execute(m *mlir.Module) error {
	var row []any
	program, err := execution.New(m, execution.Options{Optimize: 2, Functions: map[string]any{
		"element": func(x float64) { row = append(row, x) },
		"newline": func() { fmt.Println(row...); row = nil },
	}})
	if err != nil {
		return err
	}
	defer program.Close()
	return program.Invoke("main", nil)
}
