package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// refine specializes the module for the inputs if its shapes are dynamic, or if it asserts shapes.
// All replicas have the shapes of the first one.
func (m *module) refine(o options) error {
	shapes := m.ir.Params
	if m.ir.IsOpen() {
		var err error
		if shapes, err = m.inputShapes(o); err != nil {
			return err
		}
	}
	if err := m.ir.Refine(shapes); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// inputShapes returns the shapes of the parameters for the inputs.
func (m *module) inputShapes(o options) ([]tensor.Shape, error) {
	if len(o.in) == 0 && len(m.ir.Params) > 0 {
		return nil, m.noInputs()
	}
	a, err := openArrays("--in", "in", o.in)
	if err != nil {
		return nil, err
	}
	defer a.close()
	shapes := make([]tensor.Shape, len(m.ir.Params))
	for i, p := range m.ir.Params {
		shapes[i] = p
		if !p.IsOpen() {
			continue // match compares it later
		}
		if shapes[i].Dims, err = a.dims(i, p); err != nil {
			return nil, fmt.Errorf("--in %s does not fit %s:\n  %s%w%s", strings.Join(o.in, " "), m.name,
				a.name(i), err, m.path(i))
		}
	}
	return shapes, nil
}

// dims returns the dimensions of an array for a parameter whose dimensions are not all
// known.
func (a arrays) dims(i int, param tensor.Shape) (dims []int, err error) {
	if !a.has(i) {
		return nil, fmt.Errorf(" is missing: %s is expected", param)
	}
	errRead := errors.New("read")
	_, err = a.read(i, func(h npz.Header) error {
		fits := h.Fits(param.DType) == nil && len(h.Shape.Dims) == len(param.Dims)
		for i, d := range param.Dims {
			fits = fits && (d == -1 || d == h.Shape.Dims[i])
		}
		if !fits {
			return &otherShape{h.Shape}
		}
		dims = h.Shape.Dims
		return errRead
	})
	if errors.Is(err, errRead) {
		return dims, nil
	}
	if other, ok := errors.AsType[*otherShape](err); ok {
		return nil, fmt.Errorf(" is %.200s: %s is expected", other.given, param)
	}
	return nil, fmt.Errorf(": %w", err)
}
