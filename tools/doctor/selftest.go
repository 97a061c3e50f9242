//go:build cgo && (linux || darwin || windows)

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// The self-test's module doubles its input, passes the result to a callback of each form,
// and returns it with the sum that the last of them computed.
const (
	ioName   = "doctor.io"
	tapName  = "doctor.tap"
	callName = "doctor.sum"
)

var (
	input   = []float32{1, 2, 3, 4}
	doubled = []float32{2, 4, 6, 8}
	sum     = []float32{20}

	vector = tensor.ShapeOf(tensor.F32, len(input))
	scalar = tensor.ShapeOf(tensor.F32)
)

// buildModule returns the module as bytecode. It returns false if the module could not be
// built.
func buildModule(s *steps) (bytecode []byte, ok bool) {
	ok = s.do("build and verify", func() (string, error) {
		library, err := mlir.Open(mlir.OpenOptions{})
		if err != nil {
			return "", err
		}
		ir := library.NewContext(mlir.ContextOptions{})
		defer ir.Close()
		b := builder.New(ir, builder.Options{})
		f := b.Func("main", vector)
		x := builder.Add(f.Param(0), f.Param(0))
		x = builder.Passthrough(x, builder.Callback{Name: ioName})
		builder.Tap(x, builder.Callback{Name: tapName})
		f.Return(x, builder.RuntimeCall(builder.Like(scalar), x, builder.Callback{Name: callName}))
		module, err := b.Module()
		if err != nil {
			return "", err
		}
		bytecode, err = module.Bytecode()
		return "", err
	})
	return bytecode, ok
}

// seen holds what the callbacks received.
type seen struct {
	io, tap  []float32
	zeroCopy bool
}

func (s *seen) register() error {
	vectors, scalars := []tensor.Shape{vector}, []tensor.Shape{scalar}
	read := func(into *[]float32, v tensor.View) error {
		values, err := tensor.Slice[float32](v)
		*into = slices.Clone(values) // the memory belongs to XLA
		return err
	}
	return errors.Join(
		callbacks.Default.Register(ioName, func(c *callbacks.Frame) error {
			s.zeroCopy = &c.Args[0].Data[0] == &c.Results[0].Data[0]
			return read(&s.io, c.Args[0])
		}, callbacks.Options{Signature: contract.Signature(vectors, vectors)}),
		callbacks.Default.Register(tapName, callbacks.Tap(func(_ context.Context, args []tensor.View) error {
			return read(&s.tap, args[0])
		}), callbacks.Options{Signature: contract.Signature(vectors, nil)}),
		callbacks.Default.Register(callName,
			callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
				values, err := tensor.Slice[float32](args[0])
				var total float32
				for _, v := range values {
					total += v
				}
				return []tensor.View{tensor.Scalar(total)}, err
			}), callbacks.Options{Signature: contract.Signature(vectors, scalars)}),
	)
}

// withModule reads the module and calls do.
func withModule(bytecode []byte, do func(*mlir.Module) error) error {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	module, err := ir.Parse("self-test", bytecode)
	if err != nil {
		return err
	}
	return do(module)
}

// buildAndRunAlone runs the module without a plugin, as one step.
func buildAndRunAlone(s *steps) {
	bytecode, ok := buildModule(s)
	if !ok {
		return
	}
	s.do("run without XLA", func() (string, error) {
		var saw seen
		if err := saw.register(); err != nil {
			return "", err
		}
		executable, err := compile(bytecode, jit.Engine())
		if err != nil {
			return "", err
		}
		outputs, err := executable.Run(context.Background(), tensor.Vector(input...))
		if err != nil {
			return "", err
		}
		return "", errors.Join(same(saw.io, doubled), same(saw.tap, doubled), sameOutput(outputs[0], doubled),
			sameOutput(outputs[1], sum), executable.Close())
	})
}

// compile reads and compiles the module.
func compile(bytecode []byte, e engine.Engine) (executable engine.Executable, err error) {
	err = withModule(bytecode, func(module *mlir.Module) (err error) {
		executable, err = stages.Compile(context.Background(), module, stages.Options{Devices: stages.On(e)})
		return err
	})
	return executable, err
}

// buildAndRun runs the module on XLA.
func buildAndRun(s *steps) {
	bytecode, ok := buildModule(s)
	if !ok {
		return
	}
	var saw seen
	if !s.do("preflight", func() (string, error) {
		if err := saw.register(); err != nil {
			return "", err
		}
		return "", withModule(bytecode, func(module *mlir.Module) error { // against the registered functions
			return preflight.Check(module, preflight.Options{File: "self-test"})
		})
	}) {
		return
	}
	var client *bridge.Client
	var executable engine.Executable
	if !s.do("compile", func() (_ string, err error) {
		plugin, err := bridge.Open(bridge.OpenOptions{VLog: os.Getenv(vlogEnv)})
		if err != nil {
			return "", err
		}
		if client, err = plugin.NewClient(bridge.ClientOptions{}); err == nil {
			executable, err = compile(bytecode, client.Engine())
		}
		return "", err
	}) {
		return
	}
	var outputs []*engine.Array
	if !s.do("run", func() (_ string, err error) {
		outputs, err = executable.Run(context.Background(), tensor.Vector(input...))
		return "", err
	}) {
		return
	}
	s.do("io callback", func() (string, error) { return "", same(saw.io, doubled) })
	s.do("zero copy", func() (string, error) {
		if !saw.zeroCopy {
			return "", errors.New("the callback's result does not share memory with its operand")
		}
		return "", nil
	})
	s.do("tap", func() (string, error) { return "", same(saw.tap, doubled) })
	s.do("runtime call", func() (string, error) { return "", sameOutput(outputs[1], sum) })
	s.do("result", func() (string, error) { return "", sameOutput(outputs[0], doubled) })
	s.do("close", func() (string, error) { return "", errors.Join(executable.Close(), client.Close()) })
}

func sameOutput(b *engine.Array, want []float32) error {
	view, err := b.ToHost(context.Background())
	if err != nil {
		return err
	}
	got, err := tensor.Slice[float32](view)
	return errors.Join(err, b.Close(), same(got, want))
}

func same(got, want []float32) error {
	if !slices.Equal(got, want) { // small whole numbers: exact
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}
