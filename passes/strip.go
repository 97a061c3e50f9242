package passes

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// StripTaps removes the callbacks of the observe form for which which returns true, or all of
// them if which is nil, and the tokens that ordered them, also those that pass through loops,
// branches and calls, if no other operation needs them. It removes an if or case that only
// had taps. It keeps everything else, including operations that only a tap used. It returns
// the number of removed callbacks. After an error, the module may be changed in part.
func StripTaps(m *mlir.Module, which func(callop.Call) bool) (int, error) {
	var taps []callop.Call
	for call := range callop.Calls(m) {
		if call.Err == nil && call.Config.Form == contract.Observe && (which == nil || which(call)) {
			taps = append(taps, call)
		}
	}
	s := &stripper{changed: map[uint64]bool{}}
	for _, tap := range taps {
		if err := s.remove(tap); err != nil {
			return 0, err
		}
	}
	if len(taps) == 0 {
		return 0, nil
	}
	if err := s.unthread(m); err != nil {
		return len(taps), err
	}
	return len(taps), xlafix.KeepAgain(m)
}

// A stripper removes tokens that no longer order callbacks.
type stripper struct {
	// loose has the values that a removed operation took as its token. There are few of them:
	// after a chain is removed, only its first token is left.
	loose   []mlir.Value
	changed map[uint64]bool // operations that lost a token, by their hash
}

// remove removes one tap. Operations that took its token take the token that it took.
func (s *stripper) remove(call callop.Call) error {
	tap := call.Op
	if n := tap.NumOperands(); call.Config.NumTokens == 1 {
		if n == 0 || tap.NumResults() != 1 || !tap.Operand(n-1).Type().Equal(tap.Result(0).Type()) {
			return fmt.Errorf("passes: the tap of callback %q states that it takes and returns a token, but does not",
				call.Config.Name())
		}
		s.loosen(tap.Operand(n - 1))
		tap.Result(0).ReplaceAllUses(tap.Operand(n - 1))
	} else if tap.NumResults() == 1 && tap.Result(0).HasUses() {
		// It took no token, but another operation uses its token.
		first, err := callop.FirstToken(tap.Context(), tap.Location())
		if err != nil {
			return err
		}
		tap.Result(0).ReplaceAllUses(tap.Block().InsertBefore(tap, first).Result(0))
	}
	return tap.Erase()
}

func (s *stripper) loosen(v mlir.Value) {
	if !s.isLoose(v) {
		s.loose = append(s.loose, v)
	}
}

func (s *stripper) isLoose(v mlir.Value) bool { return slices.ContainsFunc(s.loose, v.Equal) }

// forget removes a value that is about to be erased.
func (s *stripper) forget(v mlir.Value) { s.loose = slices.DeleteFunc(s.loose, v.Equal) }

// unthread removes loose tokens from operations with regions, the innermost first, and from
// functions, each before those that call it.
func (s *stripper) unthread(m *mlir.Module) error {
	order, byName := function.Defined(m)
	done := map[string]bool{}
	var visit func(f mlir.Operation) error
	visit = func(f mlir.Operation) error {
		name, _ := f.Symbol()
		if done[name] {
			return nil
		}
		done[name] = true
		for _, called := range function.Callees(f) {
			if g, ok := byName[called]; ok {
				if err := visit(g); err != nil {
					return err
				}
			}
		}
		var inner []mlir.Operation
		f.WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
			if callop.CanHold(op) {
				inner = append(inner, op)
			}
			return mlir.WalkContinue
		})
		for _, op := range inner {
			if err := s.unthreadOperation(op); err != nil {
				return err
			}
		}
		return s.unthreadFunction(m, f)
	}
	for _, f := range order {
		if err := visit(f); err != nil {
			return err
		}
	}
	for _, v := range slices.Clone(s.loose) {
		if owner := v.Owner(); !v.IsArgument() && owner.Name() == "stablehlo.constant" && !v.HasUses() {
			if err := owner.Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *stripper) unthreadOperation(op mlir.Operation) error {
	for i := op.NumResults() - 1; i >= 0; i-- {
		var err error
		if op.Name() == "stablehlo.while" {
			op, err = s.unthreadLoop(op, i)
		} else {
			op, err = s.unthreadBranches(op, i)
		}
		if err != nil {
			return err
		}
	}
	if s.changed[op.Hash()] && op.NumResults() == 0 && op.Name() != "stablehlo.while" {
		for _, region := range op.Regions() {
			if region.First().First().Equal(region.First().Terminator()) {
				continue
			}
			return nil
		}
		return op.Erase() // it contained only what was removed
	}
	return nil
}

// unthreadLoop removes the i-th value of a while, if it is a loose token without uses in the
// loop.
func (s *stripper) unthreadLoop(op mlir.Operation, i int) (mlir.Operation, error) {
	cond, body := op.Region(0).First(), op.Region(1).First()
	inCond, inBody := cond.Argument(i), body.Argument(i)
	end := body.Terminator()
	if !s.isLoose(inCond) && !s.isLoose(inBody) || !end.Operand(i).Equal(inBody) || inBody.NumUses() != 1 ||
		inCond.HasUses() {
		return op, nil
	}
	s.forget(inCond)
	s.forget(inBody)
	end.SetOperands(slices.Delete(end.OperandValues(), i, i+1)...)
	for _, block := range []mlir.Block{cond, body} {
		if err := block.EraseArgument(i); err != nil {
			return op, err
		}
	}
	return s.cut(op, i, i, op.Operand(i))
}

// unthreadBranches removes the i-th result of an if or case, if each branch returns the same
// loose token from outside.
func (s *stripper) unthreadBranches(op mlir.Operation, i int) (mlir.Operation, error) {
	var from mlir.Value
	for _, region := range op.Regions() {
		v := region.First().Terminator().Operand(i)
		if !from.IsNil() && !from.Equal(v) || !s.isLoose(v) || op.Encloses(v) {
			return op, nil
		}
		from = v
	}
	if from.IsNil() {
		return op, nil
	}
	for _, region := range op.Regions() {
		end := region.First().Terminator()
		end.SetOperands(slices.Delete(end.OperandValues(), i, i+1)...)
	}
	return s.cut(op, i, -1, from)
}

// cut removes a result of an operation that is the same as the value from.
func (s *stripper) cut(op mlir.Operation, result, operand int, from mlir.Value) (mlir.Operation, error) {
	s.forget(op.Result(result))
	op.Result(result).ReplaceAllUses(from)
	s.loosen(from)
	// The other results are replaced: keep the loose ones among them.
	var at []int
	for i, v := range op.Results() {
		if i != result && s.isLoose(v) {
			s.forget(v)
			at = append(at, i)
		}
	}
	made, err := rewrite.Without(op, result, operand)
	if err != nil {
		return op, err
	}
	s.changed[made.Hash()] = true
	for _, i := range at {
		if i > result {
			i--
		}
		s.loosen(made.Result(i))
	}
	return made, nil
}

// unthreadFunction removes loose tokens from a function that returns its arguments, and from
// its calls.
func (s *stripper) unthreadFunction(m *mlir.Module, f mlir.Operation) error {
	name, _ := f.Symbol()
	block := f.Region(0).First()
	end := block.Terminator()
	for i := end.NumOperands() - 1; i >= 0; i-- {
		v := end.Operand(i)
		if !v.IsArgument() || !v.Block().Equal(block) || v.NumUses() != 1 || !s.isLoose(v) {
			continue
		}
		calls, only := callsOf(m, name)
		if !only || len(calls) == 0 && f.Visibility() != mlir.Private {
			continue // other code may use its signature
		}
		param := v.Index()
		s.forget(v)
		end.SetOperands(slices.Delete(end.OperandValues(), i, i+1)...)
		if err := block.EraseArgument(param); err != nil {
			return err
		}
		rewrite.SetSignature(f, param, i)
		for _, call := range calls {
			if _, err := s.cut(call, i, param, call.Operand(param)); err != nil {
				return err
			}
		}
	}
	return nil
}

// callsOf returns the calls of a function. ok is false if the module refers to it otherwise.
func callsOf(m *mlir.Module, name string) (calls []mlir.Operation, ok bool) {
	ok = true
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if called, isCall := function.Callee(op); isCall {
			if called == name {
				calls = append(calls, op)
			}
			return mlir.WalkContinue
		}
		for attribute, a := range op.Attributes() {
			if attribute != "sym_name" && refers(a, name) {
				ok = false
				return mlir.WalkStop
			}
		}
		return mlir.WalkContinue
	})
	return calls, ok
}

// refers reports whether an attribute, or one in it, names a symbol.
func refers(a mlir.Attribute, name string) bool {
	if symbol, ok := a.Symbol(); ok {
		return symbol == name
	}
	if elements, ok := a.Elements(); ok {
		return slices.ContainsFunc(elements, func(e mlir.Attribute) bool { return refers(e, name) })
	}
	for _, e := range a.Entries() {
		if refers(e, name) {
			return true
		}
	}
	return false
}
