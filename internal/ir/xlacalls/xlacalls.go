// Package xlacalls writes the custom calls that XLA's compilers take for operations as these operations, so that other
// compilers, derivatives and batches know them.
package xlacalls

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Expand replaces the custom calls in an operation that stand for operations of StableHLO or CHLO by these, and returns
// how many it replaced: those of contract.CHLOOperation, and XLA's TopK and ApproxTopK, whose results are then exact.
func Expand(in mlir.Operation) (n int, err error) {
	for op := range in.Index().Named("stablehlo.custom_call") {
		a, _ := op.Attribute("call_target_name")
		target, _ := a.Text()
		expand := expansions[target]
		if contract.CHLOOperation(target) != "" {
			expand = chloOperation
		}
		if expand == nil {
			continue
		}
		results, err := expand(op, mlir.NewBuilder(mlir.Before(op), op.Location()))
		if err != nil {
			return n, fmt.Errorf("the call of @%s at %s: %w", target, op.Location().Position(), err)
		}
		for i, r := range op.ResultValues() {
			r.ReplaceAllUses(results[i])
		}
		if err := op.Erase(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// expansions has the functions that return what takes the place of a call's results, for XLA's own targets.
var expansions = map[string]func(op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error){
	"ApproxTopK": approxTopK,
	"TopK":       topK,
}

// chloOperation makes the operation of CHLO for which a call stands.
func chloOperation(op mlir.Operation, b *mlir.Builder) ([]mlir.Value, error) {
	attributes, err := Attributes(op)
	if err != nil {
		return nil, err
	}
	for name, a := range op.Discardables() {
		has := slices.ContainsFunc(attributes, func(a mlir.NamedAttribute) bool { return a.Name == name })
		if !has && name != own && name != "mhlo.version" {
			attributes = append(attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
	}
	state := mlir.OperationState{
		Name:     contract.CHLOOperation(stablehlo.ReadCustomCall(op).Target),
		Location: op.Location(), Operands: op.OperandValues(), Attributes: attributes,
	}
	for _, r := range op.ResultValues() {
		state.Results = append(state.Results, r.Type())
	}
	made := b.Create(state)
	if b.Err() != nil {
		return nil, b.Cause() // without the line of this package
	}
	return made.ResultValues(), made.Verify()
}

// own is the attribute with those of the operation that a call stands for.
const own = "mhlo.attributes"

// Attributes returns the attributes of the operation of CHLO that a call stands for: see contract.CHLOOperation.
func Attributes(op mlir.Operation) (list []mlir.NamedAttribute, err error) {
	dictionary, ok := op.Attribute(own)
	if !ok || !dictionary.IsDictionary() {
		return nil, nil
	}
	for name, a := range dictionary.Entries() {
		if name != "largest" { // of mhlo.topk alone
			list = append(list, mlir.NamedAttribute{Name: name, Value: a})
		} else if largest, ok := a.Bool(); ok && !largest {
			return nil, errors.New("it asks for the smallest elements, which no engine has: negate what it gets")
		}
	}
	return list, nil
}
