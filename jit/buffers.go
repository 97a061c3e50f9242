package jit

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/bufferization"
)

// giveBuffers makes buffers of the parameters of main, which it only reads, and adds one for each result, to which it
// writes. Bufferization then computes results in place.
func giveBuffers(m *mlir.Module, _ *Executable) error {
	f, err := main(m)
	if err != nil {
		return err
	}
	c, body := m.Context(), f.Region(0).First()
	_, out := typesOf(f)
	b := mlir.NewBuilder(mlir.AtStart(body), f.Location())
	var in []mlir.Type
	for _, a := range body.Arguments() {
		t := a.Type()
		buffer := bufferOf(b, t)
		in = append(in, buffer)
		if b.Err() != nil {
			break
		}
		a.SetType(buffer)
		read := bufferization.ToTensorOp{Buffer: a, Restrict: true, ResultType: t}.Create(b)
		a.ReplaceAllUsesExcept(read.Result(0), read)
	}
	end := body.Terminator()
	at := b.At(mlir.Before(end))
	for i, t := range out {
		buffer := bufferOf(b, t)
		if b.Err() != nil {
			return b.Err()
		}
		in = append(in, buffer)
		to := body.AddArgument(buffer, f.Location())
		bufferization.MaterializeInDestinationOp{
			Source: end.Operand(i), Dest: to, Restrict: true, Writable: true}.Create(at)
	}
	if b.Err() != nil {
		return b.Err()
	}
	end.SetOperands()
	f.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(in, nil)))
	f.RemoveAttribute("arg_attrs")
	f.RemoveAttribute("res_attrs")
	return nil
}

// bufferOf returns the type of a buffer for a tensor.
func bufferOf(b *mlir.Builder, t mlir.Type) mlir.Type {
	elem, _ := t.Element()
	dims, _ := t.Dims()
	buffer, err := b.Context().MemRefType(elem, mlir.MemRefOptions{}, dims...)
	b.Fail(err)
	return buffer
}
