package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// waiting marks the callbacks that have no token yet. Copies of a callback have it, too.
const waiting = "calliope.waiting"

func isWaiting(op mlir.Operation) bool {
	if op.Name() != "stablehlo.custom_call" {
		return false
	}
	_, ok := op.Attribute(waiting)
	return ok
}

// replace replaces the operations of a site by a callback without a token.
func (g *migration) replace(s *site) error {
	c := g.module.Context()
	if s.op.Name() == "stablehlo.custom_call" {
		if _, ours := callop.AsCall(s.op); ours {
			s.op.SetAttribute(waiting, c.UnitAttribute())
			return nil
		}
		call, _ := stablehlo.AsCustomCall(s.op)
		made, err := g.create(s, call.Operands, call.Results)
		if err != nil {
			return err
		}
		for i, v := range s.op.Results() {
			v.ReplaceAllUses(made.Result(i))
		}
		return s.op.Erase()
	}
	if !s.ends {
		if err := g.replaceFeeds(s); err != nil {
			return err
		}
	}
	for _, op := range s.feeds {
		givenToken(op).ReplaceAllUses(takenToken(op))
		var flag mlir.Value
		if _, _, ok := isFlag(op); ok {
			flag = op.Operand(0)
		}
		if err := op.Erase(); err != nil {
			return err
		}
		if !flag.IsNil() && !flag.HasUses() {
			if err := flag.Owner().Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaceFeeds creates the callback of outfeeds or of an infeed.
func (g *migration) replaceFeeds(s *site) error {
	s.config.Registry = g.options.Registry
	var operands []mlir.Value
	for _, op := range s.data {
		operands = append(operands, op.OperandValues()[:op.NumOperands()-1]...)
	}
	var results []mlir.Type
	if s.config.Form == contract.Call {
		types := mlir.TypesOf(s.op.ResultValues())
		results = types[:len(types)-1]
	}
	made, err := g.create(s, operands, results)
	if err != nil {
		return err
	}
	for i := range results {
		s.op.Result(i).ReplaceAllUses(made.Result(i))
	}
	return nil
}

// create creates the callback of a site before its operation. results has the types of the
// data.
func (g *migration) create(s *site, operands []mlir.Value, results []mlir.Type) (mlir.Operation, error) {
	c, config := g.module.Context(), s.config
	config.Loc = placeOf(s.op.Location())
	types := mlir.TypesOf(operands)
	shapes, err := callop.Shapes(slices.Concat(types, results))
	if err != nil {
		return mlir.Operation{}, err
	}
	// A dimension that is not known yet is not part of a signature.
	if !slices.ContainsFunc(shapes, tensor.Shape.IsOpen) {
		config.Signature = contract.SignatureHash(contract.Signature(shapes[:len(types)], shapes[len(types):]))
	}
	call := stablehlo.CustomCallOp{
		Target: config.Form.Target(), APIVersion: stablehlo.TypedFFI, HasSideEffect: true,
		Operands: operands, Results: results,
	}
	switch config.Form {
	case contract.Observe:
		token, err := callop.TokenType(c)
		if err != nil {
			return mlir.Operation{}, err
		}
		call.Results = []mlir.Type{token}
	case contract.Passthrough:
		call.Aliases = aliasing.Passthrough(len(operands))
	}
	if call.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return mlir.Operation{}, err
	}
	e := rewrite.Before(s.op)
	made := call.Create(e.Builder)
	made.SetAttribute(waiting, c.UnitAttribute())
	return made, e.Cause()
}
