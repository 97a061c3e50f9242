package stages_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// onInterpreter compiles a module on the interpreter.
func onInterpreter(t *testing.T, text string) engine.Executable {
	t.Helper()
	m := mlirtest.Parse(t, mlirtest.Context(t), text)
	e, err := stages.Compile(t.Context(), m, stages.Options{Devices: []stages.Device{stages.Interpreter()}})
	check.NoError(t, err)
	check.Cleanup(t, e)
	return e
}

const (
	negate  = `func.func @main(%x: tensor<f32>) -> tensor<f32> { %y = stablehlo.negate %x : tensor<f32> return %y : tensor<f32> }`
	forever = `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.while(%i = %x) : tensor<f32>
    cond { %true = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %true : tensor<i1> }
    do { stablehlo.return %i : tensor<f32> }
  return %y : tensor<f32>
}`
	huge = `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4000000000000xf32>
  %z = stablehlo.reduce(%y init: %x) applies stablehlo.add across dimensions = [0] : (tensor<4000000000000xf32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}`
)

// works runs a module on the interpreter.
func works(t *testing.T, e engine.Executable) {
	t.Helper()
	got, err := e.Call(t.Context(), tensor.Scalar(float32(1)))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[] -1]", fmt.Sprint(got))
}

// TestWorkerEnds ends the interpreter while it works, and while it waits.
func TestWorkerEnds(t *testing.T) {
	e, endless, bursting := onInterpreter(t, negate), onInterpreter(t, forever), onInterpreter(t, huge)
	works(t, e)
	for len(stages.IdleWorkers()) > 1 { // those of other tests
		endWorkers(t, e, endless, bursting)
	}
	files := openFiles(t)
	endWorkers(t, e, endless, bursting)
	check.Diff(t, "open files", files, openFiles(t))
}

// endWorkers ends workers in every way.
func endWorkers(t *testing.T, e, endless, bursting engine.Executable) {
	t.Helper()
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGABRT, syscall.SIGSEGV} {
		pid := lastWorker(t)
		failed := make(chan error)
		go func() {
			_, err := endless.Call(t.Context(), tensor.Scalar(float32(1)))
			failed <- err
		}()
		for slices.Contains(stages.IdleWorkers(), pid) {
			time.Sleep(time.Millisecond)
		}
		check.NoError(t, syscall.Kill(pid, signal))
		err := <-failed
		check.Error(t, err, "stages: stage 0: the process of the interpreter ended", "the next run starts another one")
		if step := new(stages.Error); !errors.As(err, &step) || step.Step != "stage 0" {
			t.Errorf("got %v, want an Error of stage 0", err)
		}
		works(t, e)
	}

	_, err := bursting.Call(t.Context(), tensor.Scalar(float32(1)))
	check.Error(t, err, "stages: stage 0: the process of the interpreter ended")
	works(t, e)

	pid := lastWorker(t)
	check.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	for running(pid) {
		time.Sleep(time.Millisecond)
	}
	works(t, e)

	ctx, cancel := context.WithCancel(t.Context())
	pid = lastWorker(t)
	go func() {
		for slices.Contains(stages.IdleWorkers(), pid) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err = endless.Call(ctx, tensor.Scalar(float32(1)))
	check.Diff(t, "cancelled", true, errors.Is(err, context.Canceled))
	check.Diff(t, "the worker goes on", false, running(pid))
	works(t, e)
}

// lastWorker returns the worker that the next run takes.
func lastWorker(t *testing.T) int {
	t.Helper()
	ids := stages.IdleWorkers()
	if len(ids) == 0 {
		t.Fatal("no worker waits")
	}
	return ids[len(ids)-1]
}

// running reports whether a process exists, also as a zombie.
func running(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

// openFiles returns how many files and pipes the process has.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	check.NoError(t, err)
	return len(entries)
}

// TestWorkerForgets has a worker drop the modules of programs that are closed, and end with its program.
func TestWorkerForgets(t *testing.T) {
	e := onInterpreter(t, negate)
	works(t, e)
	known := stages.KnownModules()
	for range 20 {
		m := mlirtest.Parse(t, mlirtest.Context(t), strings.Replace(negate, "negate", "sine", 1))
		other, err := stages.Compile(t.Context(), m, stages.Options{Devices: []stages.Device{stages.Interpreter()}})
		check.NoError(t, err)
		_, err = other.Call(t.Context(), tensor.Scalar(float32(1)))
		check.NoError(t, err)
		check.NoError(t, other.Close())
	}
	works(t, e)
	check.Diff(t, "modules", known, stages.KnownModules())
}

// TestWorkerReadsLargeModules runs a module so large that package mlir reads it on another thread, unless it is in a
// process of the interpreter.
func TestWorkerReadsLargeModules(t *testing.T) {
	const n = 1 << 13
	elements := make([]string, n)
	for i := range elements {
		elements[i] = fmt.Sprint(i)
	}
	typ := fmt.Sprintf("tensor<%dxi32>", n)
	e := onInterpreter(t, fmt.Sprintf(`func.func @main(%%i: tensor<i32>) -> tensor<1xi32> {
		%%c = stablehlo.constant dense<[%s]> : %s
		%%r = stablehlo.dynamic_slice %%c, %%i, sizes = [1] : (%s, tensor<i32>) -> tensor<1xi32>
		return %%r : tensor<1xi32> }`, strings.Join(elements, ","), typ, typ))
	got, err := e.Call(t.Context(), tensor.Scalar(int32(n-1)))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Vector(int32(n - 1))}, got)
}
