package gomlx

import (
	"bytes"
	"context"
	"encoding/gob"
	stderrors "errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/bridge"
)

// saved is a compiled computation as Save writes it.
type saved struct {
	Names           []string
	Inputs, Outputs []shapes.Shape
	Devices         int
	Program         []byte
}

// Save returns a compiled computation as bytes, for Load in this or another process. They are machine code for the
// plugin's file and the CPU: see bridge.Executable.Serialize. A computation with dynamic axes, or that calls Go
// functions, cannot be saved.
func Save(e compute.Executable) ([]byte, error) {
	own, ok := e.(*executable)
	if !ok {
		return nil, errors.WithStack(fmt.Errorf("%s: save: a %T is an executable of another backend", Name, e))
	}
	program, ok := own.fixed.(*bridge.Executable)
	if !ok {
		return nil, errors.WithStack(fmt.Errorf("%s: save: the computation has dynamic axes, or there is no plugin: %w",
			Name, stderrors.ErrUnsupported))
	}
	data, err := program.Serialize()
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: save: %w", Name, err))
	}
	var out bytes.Buffer
	err = gob.NewEncoder(&out).Encode(saved{own.main.names, own.main.inputs, own.main.outputs, own.devices, data})
	return out.Bytes(), errors.WithStack(err)
}

// Load returns a computation that Save has saved. Load only what you trust.
func (b *Backend) Load(data []byte) (compute.Executable, error) {
	if b.client() == nil {
		return nil, errors.WithStack(fmt.Errorf("%s: load: there is no plugin: %w", Name, stderrors.ErrUnsupported))
	}
	var s saved
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: load: these are no bytes of Save: %w", Name, err))
	}
	program, err := b.client().Load(context.Background(), s.Program)
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: load: %w", Name, err))
	}
	if len(s.Names) != len(s.Inputs) || len(s.Inputs) != len(program.Inputs()) ||
		len(s.Outputs) != program.NumOutputs() || s.Devices != program.NumDevices() {
		err := fmt.Errorf(
			"%s: load: the program has %d inputs, %d outputs and %d devices, and not %d, %d and %d: save it again",
			Name, len(program.Inputs()), program.NumOutputs(), program.NumDevices(), len(s.Inputs), len(s.Outputs),
			s.Devices)
		return nil, errors.WithStack(stderrors.Join(err, program.Close()))
	}
	main := &function{names: s.Names, inputs: s.Inputs, outputs: s.Outputs}
	return &executable{backend: b, fixed: program, main: main, devices: s.Devices}, nil
}
