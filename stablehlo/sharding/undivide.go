package sharding

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

const manual = "sdy.manual_computation"

// A ManualError reports a manual computation for several devices.
type ManualError struct {
	Position mlir.Position
}

func (e *ManualError) Error() string {
	return fmt.Sprintf("%s at %s: it is for several devices: use XLA, or one device", manual, e.Position)
}

// Undivide removes from a module what says how devices share its arrays: operations and attributes of Shardy. A module
// describes whole arrays, so it computes the same on one device. A manual computation describes parts: if it is for
// several devices, the error is a *[ManualError], and the module must not be used any more: see vmap.OneDevice.
func Undivide(m *mlir.Module) error {
	var meshes []mlir.Operation
	var err error
	m.Operation().WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		switch name := op.Name(); {
		case name == "func.func":
			err = undividedSignature(op)
		case name == "sdy.mesh":
			meshes = append(meshes, op)
		case name == manual:
			err = inlineManual(op)
		case annotations[name]:
			for i, r := range op.ResultValues() {
				r.ReplaceAllUses(op.Operand(i))
			}
			err = op.Erase()
		default:
			op.RemoveAttribute("sdy.sharding")
			op.RemoveAttribute("sdy.sharding_rule")
		}
		if err != nil {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	for _, mesh := range meshes {
		err = errors.Join(err, mesh.Erase())
	}
	return err
}

// annotations are the operations of Shardy whose results are their operands.
var annotations = map[string]bool{
	"sdy.propagation_barrier": true, "sdy.reshard": true, "sdy.sharding_constraint": true, "sdy.sharding_group": true,
}

// undividedSignature removes the shardings of a function's parameters and results.
func undividedSignature(f mlir.Operation) error {
	c := f.Context()
	for _, name := range []string{"arg_attrs", "res_attrs"} {
		list, _ := f.Attribute(name)
		if list.IsNil() || !strings.Contains(list.String(), "sdy.sharding") {
			continue
		}
		each, _ := list.Elements()
		for i, a := range each {
			var kept []mlir.NamedAttribute
			for key, value := range a.Entries() {
				if key != "sdy.sharding" {
					kept = append(kept, mlir.NamedAttribute{Name: key, Value: value})
				}
			}
			each[i] = c.DictionaryAttribute(kept...)
		}
		f.SetAttribute(name, c.ArrayAttribute(each...))
	}
	return nil
}

// inlineManual replaces a manual computation by its body.
func inlineManual(op mlir.Operation) error {
	body := op.Region(0).First()
	end := body.Terminator()
	for i, v := range op.OperandValues() {
		if !v.Type().Equal(body.Argument(i).Type()) {
			return &ManualError{op.Location().Position()}
		}
		body.Argument(i).ReplaceAllUses(v)
	}
	for inner := range body.Operations() {
		if !inner.Equal(end) {
			inner.MoveBefore(op)
		}
	}
	for i, r := range op.ResultValues() {
		r.ReplaceAllUses(end.Operand(i))
	}
	return op.Erase()
}
