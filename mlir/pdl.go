package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// PDLOptions are the Go functions that the patterns of a PDL module call by name. Arguments
// are of type Operation, Value, Type or Attribute, or nil for a range.
type PDLOptions struct {
	// Constraints report whether a match holds (pdl.apply_native_constraint).
	Constraints map[string]func(arguments []any) (bool, error)
	// Rewrites change the IR (pdl.apply_native_rewrite, and pdl.rewrite with a name). They
	// return the results of the operation that calls them, of the types above.
	Rewrites map[string]func(r *Rewriter, arguments []any) ([]any, error)
}

// NewPDLPatterns creates a set of the patterns that a module describes in the pdl dialect.
// The module can be closed after the call.
//
// The library matches, but the rewrites are done by a Rewriter, with its checks, and the
// changes are verified like those of a Pattern. If a rewrite creates an operation without
// result types, they are inferred if AllowInference was called for the operation.
// Otherwise, the operation has the result types of the one that it replaces.
func (c *Context) NewPDLPatterns(m *Module, o PDLOptions) (*Patterns, error) {
	t := c.life.check("Context.NewPDLPatterns")
	m.life.mine(c, "a module", "Context.NewPDLPatterns")
	if err := c.lib.need("mlirPDLPatternModuleFromModule", "mlirRewritePatternSetFromPDLPatternModule",
		"mlirFreezeRewritePattern",
		"mlirPDLPatternModuleRegisterRewriteFunction", "mlirPDLPatternModuleRegisterConstraintFunction",
		"mlirPatternRewriterAsBase"); err != nil {
		return nil, err
	}
	if err := m.Verify(); err != nil {
		return nil, err
	}
	if err := o.check(m); err != nil {
		return nil, err
	}
	copied := m.Clone()
	defer copied.Close()
	calls, err := o.replaceSteps(copied)
	if err == nil {
		err = copied.Verify()
	}
	if err != nil {
		return nil, err
	}
	s := &Patterns{ctx: c, byPDL: true, life: &lifetime{ctx: c, of: "Patterns", parent: c.life}}
	// The library takes ownership of the module, so it gets a copy.
	raw := capi.MlirPDLPatternModuleFromModule(t,
		capi.MlirModuleFromOperation(t, capi.MlirOperationClone(t, copied.Operation().raw)))
	for name, f := range o.Constraints {
		s.forget = append(s.forget, capi.RegisterPDL(t, raw, name, true, s.constraint(t, name, f)))
	}
	for _, call := range calls {
		s.forget = append(s.forget, capi.RegisterPDL(t, raw, call.name, false, s.step(t, call)))
	}
	set := capi.MlirRewritePatternSetFromPDLPatternModule(t, raw)
	s.freeze(t, set)
	capi.MlirPDLPatternModuleDestroy(t, raw)
	return s, nil
}

// check returns an error if the module calls functions that o lacks. The library does not
// check this.
func (o PDLOptions) check(m *Module) (err error) {
	patterns := 0
	m.Operation().Walk(func(op Operation) WalkAction {
		kind := op.Name()
		switch kind {
		case "pdl.pattern":
			patterns++
		case "pdl.operation":
			// A name in a dialect that is not loaded would match nothing.
			if name, _ := op.Attribute("opName"); !name.IsNil() {
				text, _ := name.Text()
				m.ctx.Registered(text)
			}
		}
		attribute, _ := op.Attribute("name")
		if attribute.IsNil() || kind != "pdl.apply_native_constraint" && kind != "pdl.apply_native_rewrite" &&
			kind != "pdl.rewrite" {
			return WalkContinue
		}
		name, _ := attribute.Text()
		switch {
		case kind == "pdl.apply_native_constraint":
			if o.Constraints[name] == nil {
				err = fmt.Errorf("mlir: the patterns call the constraint %q, which PDLOptions does not have", name)
			} else if op.NumResults() > 0 {
				err = fmt.Errorf("mlir: the constraint %q has results, which constraints written in Go cannot return",
					name)
			}
		case o.Rewrites[name] == nil:
			err = fmt.Errorf("mlir: the patterns call the rewrite %q, which PDLOptions does not have", name)
		default:
			for _, v := range op.Results() {
				if typ := v.Type().String(); pdlKind(typ) == nil {
					err = fmt.Errorf("mlir: the rewrite %q has a result of type %s, which rewrites written in Go cannot return", name, typ)
				}
			}
		}
		if err != nil {
			return WalkStop
		}
		return WalkContinue
	})
	if err == nil && patterns == 0 {
		err = errors.New("mlir: the module has no pdl.pattern")
	}
	return err
}

// pdlKind returns the zero value of the Go type for a PDL type, or nil if there is none.
func pdlKind(typ string) any {
	switch typ {
	case "!pdl.operation":
		return Operation{}
	case "!pdl.value":
		return Value{}
	case "!pdl.type":
		return Type{}
	case "!pdl.attribute":
		return Attribute{}
	}
	return nil
}

func (s *Patterns) pdlArguments(t *capi.Table, values []capi.MlirPDLValue) []any {
	out := make([]any, len(values))
	for i, v := range values {
		if op := capi.MlirPDLValueAsOperation(t, v); op.Ptr != nil {
			out[i] = s.ctx.operation(op)
		} else if raw := capi.MlirPDLValueAsValue(t, v); raw.Ptr != nil {
			out[i] = s.ctx.value(raw)
		} else if typ := capi.MlirPDLValueAsType(t, v); typ.Ptr != nil {
			out[i] = s.ctx.typ(typ)
		} else if a := capi.MlirPDLValueAsAttribute(t, v); a.Ptr != nil {
			out[i] = s.ctx.attribute(a)
		}
	}
	return out
}

func (s *Patterns) constraint(t *capi.Table, name string, f func([]any) (bool, error)) capi.PDLFunc {
	return func(_ capi.MlirPatternRewriter, _ capi.MlirPDLResultList, values []capi.MlirPDLValue) bool {
		holds := false
		s.callAs(call{pattern: true, constraint: true}, name, func(*call) (err error) {
			holds, err = f(s.pdlArguments(t, values))
			return err
		})
		return holds && s.failed == nil
	}
}

// pdlResults checks all results before it passes them to the library.
func (s *Patterns) pdlResults(t *capi.Table, list capi.MlirPDLResultList, types []string, out []any) error {
	if len(out) != len(types) {
		return fmt.Errorf("mlir: the rewrite must return %d results, but returned %d", len(types), len(out))
	}
	var push []func()
	for i, v := range out {
		if want := pdlKind(types[i]); fmt.Sprintf("%T", want) != fmt.Sprintf("%T", v) {
			return fmt.Errorf("mlir: result %d must be a %T, but is a %T", i, want, v)
		}
		const method = "a rewrite's result"
		switch v := v.(type) {
		case Operation:
			raw := v.in(s.ctx, method)
			push = append(push, func() { capi.MlirPDLResultListPushBackOperation(t, list, raw) })
		case Value:
			raw := v.in(s.ctx, method)
			push = append(push, func() { capi.MlirPDLResultListPushBackValue(t, list, raw) })
		case Type:
			raw := v.in(s.ctx, method)
			push = append(push, func() { capi.MlirPDLResultListPushBackType(t, list, raw) })
		case Attribute:
			raw := v.in(s.ctx, method)
			push = append(push, func() { capi.MlirPDLResultListPushBackAttribute(t, list, raw) })
		}
	}
	for _, p := range push {
		p()
	}
	return nil
}

// pdlPlaceholders passes results to the library instead of those of a rewrite that failed.
func (s *Patterns) pdlPlaceholders(
	t *capi.Table, base capi.MlirRewriterBase, list capi.MlirPDLResultList, types []string,
) {
	none := capi.MlirNoneTypeGet(t, s.ctx.raw)
	operation := func() capi.MlirOperation {
		op := capi.CreateOperation(t, &capi.OperationState{
			Name:    carrier,
			Results: []capi.MlirType{none},
		}, capi.MlirLocationUnknownGet(t, s.ctx.raw), capi.MlirBlock{}, capi.MlirOperation{}, false).Operation
		op = capi.MlirRewriterBaseInsert(t, base, op)
		s.pdl.passing = append(s.pdl.passing, op)
		return op
	}
	for _, typ := range types {
		switch pdlKind(typ).(type) {
		case Operation:
			capi.MlirPDLResultListPushBackOperation(t, list, operation())
		case Value:
			capi.MlirPDLResultListPushBackValue(t, list, capi.MlirOperationGetResult(t, operation(), 0))
		case Type:
			capi.MlirPDLResultListPushBackType(t, list, none)
		case Attribute:
			capi.MlirPDLResultListPushBackAttribute(t, list, capi.MlirUnitAttrGet(t, s.ctx.raw))
		}
	}
}
