package mlir

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// An EffectKind is what an operation does with memory.
type EffectKind int

const (
	EffectRead EffectKind = iota
	EffectWrite
	EffectAllocate
	EffectFree
)

// A MemoryEffect is one thing that an operation does with memory.
type MemoryEffect struct {
	Kind EffectKind
	// On is the operand or result whose memory it is, or nil for any memory.
	On Value
}

// SetMemoryEffects says what the operations of a name do with memory. effects is called by
// passes, from any thread but for one operation at a time, and must not change anything or
// call passes. Passes may remove and merge operations without effects. TraitPure says more, and needs no function:
// that they may also run where they would not have run.
// The handles that effects gets are valid until it returns. If it panics or returns something
// that is not an effect of the operation, the operation counts as one that may do anything,
// and an error is reported to the handlers of OnDiagnostic.
//
// The operations must be registered and have no effects in the library, as those of LoadIRDL
// and func.call do, and effects can be set once. SetMemoryEffects returns an UnsupportedError
// if the library has no models of interfaces that are known to work.
func (c *Context) SetMemoryEffects(operation string, effects func(Operation) []MemoryEffect) error {
	t := c.life.check("Context.SetMemoryEffects")
	if err := c.lib.need("mlirMemoryEffectsOpInterfaceAttachFallbackModel",
		"mlirMemoryEffectInstanceCreateForOpOperand", "mlirOperationGetOpOperand"); err != nil {
		return err
	}
	c.calls.idle("Context.SetMemoryEffects")
	switch {
	case effects == nil:
		return fmt.Errorf("mlir: the memory effects of %s need a function", operation)
	case !c.Registered(operation):
		return fmt.Errorf("mlir: the library has no operation %s: define it with LoadIRDL first", operation)
	case capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirMemoryEffectsOpInterfaceTypeID(t)):
		return fmt.Errorf("mlir: the operation %s has memory effects already", operation)
	}
	capi.AttachEffects(t, c.raw, operation, func(op capi.MlirOperation) []capi.Effect {
		anything := []capi.Effect{{Kind: int(EffectWrite)}, {Kind: int(EffectRead)}}
		top := capi.Top(t, capi.OperationKind, op.Ptr)
		if c.tops[top] == nil {
			return anything // the library has detached it
		}
		var list []capi.Effect
		err := c.enter(call{top: top, on: op, root: op, pattern: true, constraint: true,
			question: "of Context.SetMemoryEffects"}, func(*call) (err error) {
			o := c.operation(op)
			list, err = c.effectsOf(o, effects(o))
			return err
		})
		if err != nil {
			message := append([]byte(fmt.Sprintf("the memory effects of %s: %v", operation, err)), 0)
			capi.MlirEmitError(t, capi.MlirOperationGetLocation(t, op), unsafe.Pointer(&message[0]))
			return anything
		}
		return list
	})
	return nil
}

func (c *Context) effectsOf(o Operation, effects []MemoryEffect) ([]capi.Effect, error) {
	var list []capi.Effect
	for _, e := range effects {
		if e.Kind < EffectRead || e.Kind > EffectFree {
			return nil, fmt.Errorf("there is no kind of effect with the number %d", e.Kind)
		}
		made := capi.Effect{Kind: int(e.Kind)}
		if !e.On.IsNil() {
			e.On.in(c, "Context.SetMemoryEffects")
			for i, v := range o.Results() {
				if v == e.On {
					made.On, made.Index = 2, i
				}
			}
			for i, v := range o.Operands() {
				if v == e.On {
					made.On, made.Index = 1, i
				}
			}
			if made.On == 0 {
				return nil,
					fmt.Errorf("an effect is on a value that is neither an operand nor a result of the operation")
			}
		}
		list = append(list, made)
	}
	return list, nil
}
