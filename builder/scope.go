package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// scope is a block under construction: the body of a function, or a region in it. A value
// may be used in the scope in which it was made, and in scopes inside of it.
type scope struct {
	f       *Func
	outer   *scope // nil for a function's body
	name    string // name in errors, for example "the body of the reduce"
	at      place
	block   mlir.Block
	in      *mlir.Builder // see builder
	capture bool          // values from outside may be used in it
	manual  bool          // see Manual
	batches []int         // the sizes of the batches that are made of what is built in it, the innermost one last
	ended   bool
	effects []string         // of callbacks in it, in the order of their first ones
	tokens  map[string]Value // effect -> the token of its last callback in it
	entered mlir.Value       // token of AllEffects with which the scope starts, if it was asked for
	// entry returns the token of an effect at the start of the scope. It is nil if no token
	// can enter.
	entry func(effect string, at place) (Value, error)
}

// closed reports whether values from outside the scope may not be used in it.
func (s *scope) closed() bool { return s.outer != nil && !s.capture }

// innermostClosed returns the innermost closed scope among s and the scopes around it, or nil.
func (s *scope) innermostClosed() *scope {
	for ; s != nil; s = s.outer {
		if s.closed() {
			return s
		}
	}
	return nil
}

// perElement returns the innermost scope among s and those around it that XLA runs for single elements, such as the
// body of a reduce, or nil.
func (s *scope) perElement() *scope {
	for ; s != nil; s = s.outer {
		if s.closed() && !s.manual {
			return s
		}
	}
	return nil
}

// open starts a scope within the innermost one, with arguments of the given types.
func (f *Func) open(at place, name string, arguments []mlir.Type, capture bool) (*scope, []Value) {
	s := &scope{f: f, outer: f.scope, name: name, at: at, capture: capture, batches: f.scope.batches}
	s.block = f.b.ctx.NewBlock(at.location, arguments...)
	f.scope = s
	values := make([]Value, len(arguments))
	for i := range values {
		values[i] = Value{s: s, v: s.block.Argument(i)}
	}
	return s, values
}

// builder returns a Builder that creates operations at the end of the scope's block.
func (s *scope) builder() *mlir.Builder {
	if s.in == nil {
		s.in = s.f.b.creator.At(s.block)
	}
	return s.in
}

// leave makes the scope around s the innermost one again. Scopes inside of s that are still
// open after a panic end too.
func (s *scope) leave() {
	for inner := s.f.scope; inner != s; inner = inner.outer {
		inner.ended = true
	}
	s.ended = true
	s.f.scope = s.outer
}

// drop discards what was built in a scope that has ended. If it is still used, the context
// keeps it.
func (s *scope) drop() { _ = s.block.Erase() }

// check returns an error for a value that cannot be used in s.
func (s *scope) check(v Value) error {
	switch {
	case v.like != nil:
		return errors.New("is a template, which has a type and no value")
	case v.s == nil:
		return errors.New("is the zero Value: use what an operation returned")
	case v.s.f.b != s.f.b:
		return errors.New("belongs to another Builder's module")
	case v.s.f != s.f:
		return fmt.Errorf("belongs to the function %q, not to %q", v.s.f.name, s.f.name)
	case v.v.IsNil():
		return errors.New("was never built")
	case v.s.ended:
		return fmt.Errorf("belongs to %s at %s, which has ended: return the value from its Go function and use the operation's result", v.s.name, v.s.at)
	}
	for at := s; at != v.s; at = at.outer {
		if at == nil {
			return fmt.Errorf("belongs to %s at %s, which is not open here", v.s.name, v.s.at)
		}
		if at.closed() && !constant(v) {
			return fmt.Errorf("comes from outside of %s, which can use only its own arguments and constants: use the value before or after it", at.name)
		}
	}
	return nil
}

// constant reports whether a value is a constant, which can be cloned anywhere.
func constant(v Value) bool {
	owner := v.v.Owner()
	return !owner.IsNil() && owner.Name() == "stablehlo.constant"
}

// cloneConstants makes an operation of the scope's block use clones of constants that come from
// outside of a closed scope.
func (s *scope) cloneConstants(op mlir.Operation) {
	innermostClosed := s.innermostClosed()
	if innermostClosed == nil {
		return
	}
	for i, v := range op.Operands() {
		owner := v.Owner()
		if owner.IsNil() || owner.Name() != "stablehlo.constant" || s.within(innermostClosed, owner.Block()) {
			continue
		}
		op.SetOperand(i, s.block.InsertBefore(op, owner.Clone()).Result(0))
	}
}

// within reports whether a block belongs to a scope from s up to innermostClosed.
func (s *scope) within(innermostClosed *scope, block mlir.Block) bool {
	for ; ; s = s.outer {
		if s.block.Equal(block) {
			return true
		}
		if s == innermostClosed {
			return false
		}
	}
}
