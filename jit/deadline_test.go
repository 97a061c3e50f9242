package jit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestCompileLeavesAtDeadline ends the context of a compile in the middle of a step.
func TestCompileLeavesAtDeadline(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("too late")
	release, over := make(chan struct{}), make(chan struct{})
	none := func(*callbacks.Frame) error { return nil }
	err := callbacks.Default.Register("jit.deadline", none, callbacks.Options{})
	check.NoError(t, err)
	defer func() { check.NoError(t, callbacks.Default.Unregister("jit.deadline")) }()
	slow := callbacks.ForeignTarget{Target: "jit.deadline", Check: func(callbacks.Attributes) error {
		defer close(over)
		cancel(late)
		<-release
		return nil
	}}
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.custom_call @jit.deadline(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
		return %0 : tensor<2xf32> }`)
	left := make(chan error, 1)
	go func() {
		_, err := jit.Compile(ctx, m, jit.Options{Foreign: []callbacks.ForeignTarget{slow}})
		left <- err
	}()
	select {
	case err := <-left:
		if !errors.Is(err, late) {
			t.Errorf("the error is %v, want %v", err, late)
		}
	case <-time.After(20 * time.Second):
		t.Error("Compile waits for the step")
	}
	if err := m.Close(); err != nil { // the rest of the compile has a copy
		t.Error(err)
	}
	close(release)
	<-over
	if got := run(t, `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }`,
		tensor.Vector[float32](1, 2)); len(got) != 1 {
		t.Errorf("the next module gives %v", got)
	}
}

// TestCompilePanics has a function of the options that panics: the caller of Compile gets the panic.
func TestCompilePanics(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer func() {
		if p := recover(); p != "check" {
			t.Errorf("the panic is %v", p)
		}
	}()
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.custom_call @jit.panics(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
		return %0 : tensor<2xf32> }`)
	_, err := jit.Compile(ctx, m, jit.Options{Foreign: []callbacks.ForeignTarget{{Target: "jit.panics",
		Check: func(callbacks.Attributes) error { panic("check") }}}})
	t.Errorf("Compile returned %v", err)
}
