package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/mlir"
)

// openSuite measures how long a process takes to open the library and make a context. It is
// right only in a process that has not opened the library before.
func openSuite(_ context.Context, _ settings, r *report) error {
	start := time.Now()
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	r.figure("ir/open/go", time.Since(start).Seconds()*1e3, "ms", nil)
	return c.Close()
}

// pythonOpen is the same in Python, with the bindings of a package.
const pythonOpen = `
import time
start = time.perf_counter()
from %[1]s import ir
from %[1]s.dialects import arith, func
ir.Context()
print(time.perf_counter() - start)
`

// compareOpen runs both in new processes, in turn.
func compareOpen(ctx context.Context, s settings, r *report, bindings []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var inGo []float64
	inPython := make([][]float64, len(bindings))
	for i := range s.repeat + 1 {
		line, err := exec.CommandContext(ctx, program, "-suite", "open").Output()
		if err != nil {
			return fmt.Errorf("opening the library in a process of its own: %w", err)
		}
		took, err := strconv.ParseFloat(strings.Split(string(line), "\t")[1], 64)
		if err != nil {
			return err
		}
		if i > 0 { // the first turn warms up
			inGo = append(inGo, took)
		}
		for j, name := range bindings {
			line, err := exec.CommandContext(ctx, s.python, "-c", fmt.Sprintf(pythonOpen, name)).Output()
			if err != nil {
				return fmt.Errorf("importing %s in Python: %w", name, err)
			}
			took, err := strconv.ParseFloat(strings.TrimSpace(string(line)), 64)
			if err != nil {
				return err
			}
			if i > 0 {
				inPython[j] = append(inPython[j], took*1e3)
			}
		}
	}
	r.figure("ir/open/go", median(inGo), "ms", nil)
	for j, name := range bindings {
		short, _, _ := strings.Cut(name, ".")
		r.figure("ir/open/python-"+short, median(inPython[j]), "ms", nil)
		r.figure("ir/open/python-"+short+"-over-go", median(inPython[j])/median(inGo), "x", atLeast(1))
	}
	return nil
}
