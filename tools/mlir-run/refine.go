package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// platform is JAX's name of the platform of the plugin.
const platform = "cpu"

// readExport reads a file of jax.export and sets the program to its module.
func (m *module) readExport() (err error) {
	if m.export, err = jaxexport.Read(m.program); err != nil {
		return err
	}
	if !m.export.Allows(platform) {
		return fmt.Errorf("it was exported for %s: export it with platforms=[%q]", strings.Join(m.export.Platforms, ", "), platform)
	}
	m.program = m.export.Module
	return nil
}

// isDynamic reports whether a parameter or a result has a dimension that is not known.
func (m *module) isDynamic() bool {
	return slices.ContainsFunc(slices.Concat(m.params, m.results), unknown)
}

func unknown(s tensor.Shape) bool { return slices.Contains(s.Dims, -1) }

// asserts reports whether the module asserts shapes. JAX writes that also for a program whose
// shapes are known, and which calls an exported one for any shapes.
func (m *module) asserts() (found bool) {
	m.mlir.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if call, ok := stablehlo.AsCustomCall(op); ok && call.Target == "shape_assertion" {
			found = true
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}

// refine specializes the module for the inputs if its shapes are dynamic, or if it asserts shapes.
// All replicas have the shapes of the first one.
func (m *module) refine(o options) error {
	shapes := m.params
	switch {
	case m.isDynamic():
		var err error
		if shapes, err = m.inputShapes(o); err != nil {
			return err
		}
	case !m.asserts():
		return nil
	}
	tokens := slices.Repeat([]tensor.Shape{{DType: tensor.Token}}, m.tokens)
	refined, err := stablehlo.Refine(m.mlir, append(tokens, shapes...)...)
	if err == nil {
		err = passes.Kept(m.mlir, refined)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	m.mlir = refined
	if err = m.readSignature(); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// inputShapes returns the shapes of the parameters for the inputs.
func (m *module) inputShapes(o options) ([]tensor.Shape, error) {
	if len(o.in) == 0 && len(m.params) > 0 {
		return nil, m.noInputs()
	}
	a, err := openArrays("--in", "in", o.in)
	if err != nil {
		return nil, err
	}
	defer a.close()
	shapes := make([]tensor.Shape, len(m.params))
	for i, p := range m.params {
		shapes[i] = p
		if !unknown(p) {
			continue // match compares it later
		}
		if shapes[i].Dims, err = a.dims(i, p); err != nil {
			return nil, fmt.Errorf("--in %s does not fit %s:\n  %s%w", strings.Join(o.in, " "), m.name, a.name(i), err)
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
