package jit

import (
	"encoding/gob"
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
)

// find calls try, which crashes on a module, with each operation of it by itself, and says with which before it does:
// the last one is that on which try crashes. It gives each operation with parameters for its operands first, and then
// with the operations that compute these. Of operations that differ at most in large constants it takes the first one.
func find(m *mlir.Module, answers *gob.Encoder, try func(part *mlir.Module) error) (err error) {
	tried := map[string]bool{}
	for _, alone := range []bool{true, false} {
		m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
			if op.Block().IsNil() || op.Parent().Equal(m.Operation()) || op.Equal(op.Block().Terminator()) {
				return mlir.WalkContinue
			}
			part, broken := only(op, alone)
			if broken != nil {
				return mlir.WalkContinue
			}
			defer part.Close()
			text := part.Operation().Print(mlir.PrintOptions{ElideAbove: 64})
			if tried[text] {
				return mlir.WalkContinue
			}
			tried[text] = true
			err = answers.Encode(answer{On: Operation{op.Name(), op.Location().Position()}})
			if err != nil {
				return mlir.WalkStop
			}
			_ = try(part) // an error is not a crash
			return mlir.WalkContinue
		})
	}
	if err != nil {
		return err
	}
	return errors.New("there is no crash on an operation by itself")
}

// only returns a module whose main returns the results of a copy of an operation. Constants that it uses are copied,
// too, and so are other operations unless alone is set. Everything else that it uses is a parameter.
func only(op mlir.Operation, alone bool) (*mlir.Module, error) {
	m, err := op.Context().Parse("part", []byte("func.func @main() { return }"))
	if err != nil {
		return nil, err
	}
	f, err := main(m)
	if err != nil {
		return nil, err
	}
	p := piece{body: f.Region(0).First(), alone: alone}
	end := p.body.Terminator()
	end.SetOperands(p.copy(op).ResultValues()...)
	c := op.Context()
	t := c.FunctionType(mlir.TypesOf(p.body.ArgumentValues()), mlir.TypesOf(end.OperandValues()))
	f.SetAttribute("function_type", c.TypeAttribute(t))
	return m, nil
}

// A piece is a block with copies of operations.
type piece struct {
	body   mlir.Block
	alone  bool
	copies mlir.Mapping
}

// copy copies an operation, and before it what it uses.
func (p *piece) copy(op mlir.Operation) mlir.Operation {
	for inner := range op.All() {
		for _, v := range inner.OperandValues() {
			if _, has := p.copies.Value(v); has || op.Encloses(v) {
				continue
			}
			if v.IsResult() && (!p.alone || isConstant(v.Owner())) {
				p.copy(v.Owner())
			} else {
				p.copies.Map(v, p.body.AddArgument(v.Type(), op.Location()))
			}
		}
	}
	return p.body.InsertBefore(p.body.Terminator(), op.CloneWith(&p.copies))
}

// isConstant reports whether an operation only depends on its attributes.
func isConstant(op mlir.Operation) bool { return op.NumOperands() == 0 && op.NumRegions() == 0 }
