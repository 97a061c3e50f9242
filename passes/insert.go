package passes

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A TapOptions states which callback a tap calls, and how.
type TapOptions struct {
	// Config has the callback (Callback or ID, and Registry), the effect and the options.
	// InsertTap sets the other fields.
	Config contract.Config
	Target string // custom call target, or "" for the contract's
	// Unordered inserts taps without tokens: the module keeps its operations and
	// signatures, and the taps may run in any order.
	Unordered bool
}

// InsertTap adds a tap after the definition of every array value for which after returns true:
// results of operations, and arguments of functions and of bodies. It returns the number of
// taps.
//
// The taps run in the order of the text. A token passes through them, through while, if and
// case, and into functions that are only called in the module. Other functions start with
// their own token. In the condition of a while, a tap runs after the taps before it, and the
// taps after it do not wait for it. Values in the bodies of reduce, sort, map and the like, and in
// functions that custom calls name (called_computations), get no tap: no callback can run there.
//
// In a module that a mesh of devices shares, XLA compiles the taps only after ApplyPolicies. Values
// in manual computations get no tap.
//
// After an error, the module may have some of the taps. To keep the module, tap a Clone.
func InsertTap(m *mlir.Module, after func(mlir.Value) bool, spec TapOptions) (int, error) {
	if after == nil {
		return 0, errors.New("passes: InsertTap: the function that selects the values to tap is nil: use, for example, ByOp")
	}
	c := m.Context()
	token, err := callop.TokenType(c)
	if err != nil {
		return 0, err
	}
	config := spec.Config
	config.Form, config.NumIDs, config.NumTokens = contract.Observe, 0, 1
	config.Signature, config.Loc = "", ""
	if spec.Unordered {
		config.NumTokens = 0
		if config.Effect != "" {
			return 0, errors.New("passes: an unordered tap cannot have an effect: set only one of Config.Effect and Unordered")
		}
	}
	if config.Effect == contract.AllEffects {
		return 0, errors.New("passes: InsertTap: a tap that is inserted cannot be ordered against all effects: name one effect")
	}
	if err := config.Validate(); err != nil {
		return 0, err
	}
	spec.Target = cmp.Or(spec.Target, contract.TargetIOCallback)
	p := plan(m, after)
	ins := &inserter{spec: spec, config: config, plan: p, token: token}
	for _, f := range p.order {
		if err := ins.function(f); err != nil {
			return ins.count, err
		}
	}
	return ins.count, m.Verify()
}

// ByOp returns a function for InsertTap that selects the results of operations of these names,
// for example "stablehlo.dot_general".
func ByOp(names ...string) func(mlir.Value) bool {
	return func(v mlir.Value) bool {
		return v.IsResult() && slices.Contains(names, v.Owner().Name())
	}
}

// ByLocation returns a function for InsertTap that selects the results of operations whose
// location, as MLIR prints it, contains the text: a name such as "jit(f)/dot_general", or a
// position such as "model.py":12.
func ByLocation(text string) func(mlir.Value) bool {
	return func(v mlir.Value) bool {
		return v.IsResult() && strings.Contains(v.Owner().Location().String(), text)
	}
}

// An inserter inserts the taps of a plan.
type inserter struct {
	spec   TapOptions
	config contract.Config
	plan   *tapPlan
	token  mlir.Type
	count  int
}

// function taps the values of one function.
func (ins *inserter) function(f mlir.Operation) error {
	name, _ := f.Symbol()
	if !ins.plan.contains[f.Hash()] {
		return nil
	}
	block := f.Region(0).First()
	if ins.spec.Unordered {
		_, err := ins.block(block, mlir.Value{})
		return err
	}
	if !ins.plan.carries[name] {
		first, err := callop.FirstToken(f.Context(), f.Location())
		if err != nil {
			return err
		}
		first = block.Insert(0, first)
		_, err = ins.block(block, first.Result(0))
		return err
	}
	last, err := ins.block(block, block.AddArgument(ins.token, f.Location()))
	if err != nil {
		return err
	}
	rewrite.ReturnAlso(f, last)
	return nil
}

// block taps the values of a block and returns the token of its last tap.
func (ins *inserter) block(block mlir.Block, token mlir.Value) (mlir.Value, error) {
	ops := slices.Collect(block.Operations())
	var anchor mlir.Operation // the operation before the next tap of an argument
	if len(ops) > 0 && !ins.spec.Unordered && !token.IsArgument() && token.Owner().Equal(ops[0]) {
		anchor = ops[0]
	}
	for _, i := range ins.plan.arguments(block) {
		tap, err := ins.tap(block.Argument(i), block.Parent().Location(), token)
		if err != nil {
			return token, err
		}
		if anchor.IsNil() {
			tap = block.Insert(0, tap)
		} else {
			tap = block.InsertAfter(anchor, tap)
		}
		anchor, token = tap, ins.next(tap)
	}
	for _, op := range ops {
		results := ins.plan.results[op.Hash()]
		if ins.plan.contains[op.Hash()] {
			var err error
			if op, token, err = ins.thread(op, token); err != nil {
				return token, err
			}
		}
		anchor := op
		for _, i := range results {
			tap, err := ins.tap(op.Result(i), op.Location(), token)
			if err != nil {
				return token, err
			}
			tap = block.InsertAfter(anchor, tap)
			anchor, token = tap, ins.next(tap)
		}
	}
	return token, nil
}

// next returns the token of a tap for the one after it.
func (ins *inserter) next(tap mlir.Operation) mlir.Value {
	if ins.spec.Unordered {
		return mlir.Value{}
	}
	return tap.Result(0)
}

// thread taps the values in an operation, or in the function that it calls. It returns the
// operation that replaces it, and the token that this one returns.
func (ins *inserter) thread(op mlir.Operation, token mlir.Value) (mlir.Operation, mlir.Value, error) {
	if ins.spec.Unordered {
		for _, region := range op.Regions() {
			if _, err := ins.block(region.First(), token); err != nil {
				return op, token, err
			}
		}
		return op, token, nil
	}
	if _, isCall := function.Callee(op); isCall {
		return ins.remade(op, token)
	}
	loop := op.Name() == "stablehlo.while"
	for i, region := range op.Regions() {
		block := region.First()
		inside := token
		if loop {
			inside = block.AddArgument(ins.token, op.Location())
		}
		last, err := ins.block(block, inside)
		if err != nil {
			return op, token, err
		}
		if loop && i == 0 {
			continue // a condition returns only the condition
		}
		end := block.Terminator()
		end.SetOperands(append(end.OperandValues(), last)...)
	}
	if loop {
		return ins.remade(op, token)
	}
	return ins.remade(op, mlir.Value{})
}

func (ins *inserter) remade(op mlir.Operation, token mlir.Value) (mlir.Operation, mlir.Value, error) {
	// The operation is erased, and another one may get its address, which is its hash.
	delete(ins.plan.results, op.Hash())
	delete(ins.plan.contains, op.Hash())
	delete(ins.plan.args, op.Hash())
	made, err := rewrite.Extended(op, token, ins.token)
	if err != nil {
		return op, token, err
	}
	return made, made.Result(made.NumResults() - 1), nil
}

// tap creates a detached tap of a value.
func (ins *inserter) tap(v mlir.Value, loc mlir.Location, token mlir.Value) (mlir.Operation, error) {
	config := ins.config
	shape, err := stablehlo.ShapeOf(v.Type())
	if err != nil {
		return mlir.Operation{}, err
	}
	if config.ByName() {
		config.Signature = contract.SignatureHash(contract.Signature([]tensor.Shape{shape}, nil))
	}
	config.Loc = placeOf(loc)
	c := v.Type().Context()
	call := stablehlo.CustomCallOp{
		Target: ins.spec.Target, APIVersion: stablehlo.TypedFFI, HasSideEffect: true,
		Operands: []mlir.Value{v}, Results: []mlir.Type{ins.token},
	}
	if !ins.spec.Unordered {
		call.Operands = append(call.Operands, token)
		call.Aliases = aliasing.List{aliasing.Result(0, 1, 1)}
	}
	if call.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return mlir.Operation{}, err
	}
	ins.count++
	e := mlir.NewBuilder(c, loc)
	return call.Create(e), e.Cause()
}

// placeOf returns the file and line of a location as a callback's configuration has them.
func placeOf(loc mlir.Location) string {
	p := loc.Position()
	if p.IsZero() {
		return ""
	}
	file := filepath.ToSlash(p.File)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(file)), path.Base(file)), p.Line)
}
