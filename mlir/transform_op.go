package mlir

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A TransformOp is what an operation of transform scripts does, in Go; see Context.SetTransform.
type TransformOp struct {
	// Apply changes the module that is transformed, with Transformation.Rewriter, and sets the
	// results. An error or a panic ends Module.Transform, which returns it. A *SilenceableError
	// does not if the script goes on after it.
	Apply func(*Transformation) error
	// Consumes are the operands whose handles a script cannot use afterwards, because what they
	// stand for may be gone. Other handles stay valid.
	Consumes []int
	// ReadsOnly says that the module is not changed.
	ReadsOnly bool
	// Repeats allows that two operands stand for the same thing.
	Repeats bool
}

// A Transformation is one application of a TransformOp. It and its handles are valid until Apply
// returns.
type Transformation struct {
	// Op is the operation of the script. It must not be changed.
	Op Operation
	// Rewriter changes the module that is transformed. It has no insertion point at first.
	Rewriter *Rewriter

	c       *Context
	run     *scriptRun
	top     pointer // the outermost operation that it works on
	results capi.MlirTransformResults
	state   capi.MlirTransformState
	set     []bool // by result
}

// scriptRun is a run of a transform script on a module.
type scriptRun struct {
	top         pointer
	on          capi.MlirOperation
	failed      error         // of an operation in Go
	silenceable []silenceable // of operations in Go
	previous    *scriptRun
}

// SetTransform makes the operations of a name, which LoadIRDL must have defined in this context,
// usable in the scripts of Module.Transform. Their operands and results are handles: of the types
// !transform.any_op and !transform.op for operations, !transform.any_value for values, and
// !transform.any_param and !transform.param for attributes. It returns an UnsupportedError if the
// library has no models of interfaces that are known to work for this.
func (c *Context) SetTransform(operation string, f TransformOp) error {
	t := c.life.check("Context.SetTransform")
	if missing := capi.CanTransform(t); missing != "" {
		return &UnsupportedError{Library: c.lib.path, Function: missing}
	}
	if err := c.mayExtend("SetTransform", operation); err != nil {
		return err
	}
	if f.Apply == nil {
		return fmt.Errorf("mlir: the transform of %s needs a function", operation)
	}
	if capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirMemoryEffectsOpInterfaceTypeID(t)) {
		return fmt.Errorf("mlir: the operation %s has memory effects or a transform already", operation)
	}
	if err := c.LoadDialect("transform"); err != nil {
		return err
	}
	var consumed uint64
	for _, i := range f.Consumes {
		if i < 0 || i >= 64 {
			return fmt.Errorf("mlir: the transform of %s consumes the operand %d: only those from 0 to 63 can be consumed", operation, i)
		}
		consumed |= 1 << i
	}
	c.inGo = true
	capi.AttachTransform(t, c.raw, operation,
		capi.Transform{Consumed: consumed, ReadsOnly: f.ReadsOnly, Repeats: f.Repeats,
			Apply: func(op capi.MlirOperation, rewriter capi.MlirTransformRewriter, results capi.MlirTransformResults,
				state capi.MlirTransformState) capi.MlirDiagnosedSilenceableFailure {
				err := c.transform(op, f.Apply, &Transformation{c: c, run: c.scripts, results: results, state: state},
					rewriter)
				if err == nil {
					return capi.MlirDiagnosedSilenceableFailureSuccess
				}
				if isSilenceable(err) {
					at := c.location(capi.MlirOperationGetLocation(t, op)).Position()
					c.scripts.silenceable = append(c.scripts.silenceable, silenceable{operation, at, err})
					return capi.MlirDiagnosedSilenceableFailureSilenceableFailure
				}
				err = fmt.Errorf("mlir: transforming: %s: %w", operation, err)
				if c.scripts != nil && c.scripts.failed == nil {
					c.scripts.failed = err
				}
				message := append([]byte(strings.ReplaceAll(err.Error(), "\x00", "")), 0)
				capi.MlirEmitError(t, capi.MlirOperationGetLocation(t, op), unsafe.Pointer(&message[0]))
				return capi.MlirDiagnosedSilenceableFailureDefiniteFailure
			}})
	return nil
}

// transform calls apply in a call on the script, which must not change, and in one on the module.
func (c *Context) transform(
	op capi.MlirOperation, apply func(*Transformation) error, this *Transformation, rewriter capi.MlirTransformRewriter,
) error {
	if this.run == nil {
		return fmt.Errorf("it is defined in Go: run the script with Module.Transform")
	}
	script := capi.Top(c.api, capi.OperationKind, op.Ptr)
	on := call{top: script, on: op, root: op, pattern: true, constraint: true, anywhere: true, question: "of a script"}
	return c.enter(on, func(*call) error {
		this.Op = c.operation(op)
		this.set = make([]bool, this.Op.NumResults())
		on, err := this.on()
		if err != nil {
			return err
		}
		return c.enter(call{top: this.top, on: on, pattern: true, anywhere: true, verified: true, inner: true},
			func(payload *call) error {
				r := &Rewriter{c: c, raw: capi.MlirTransformRewriterAsBase(c.api, rewriter), life: payload.life,
					call: payload}
				this.Rewriter = r
				defer r.free()
				failed := apply(this)
				if failed != nil && !isSilenceable(failed) {
					return failed
				}
				if err := payload.valid(c, true); err != nil {
					return err
				}
				if failed != nil {
					return failed // the library sets the results
				}
				return this.finish()
			})
	})
}

// on sets the outermost operation that the transformation works on, and returns what the script runs on in it. It is
// the module or, in transform.alternatives, a copy of what the alternatives work on, which is in no module.
func (t *Transformation) on() (capi.MlirOperation, error) {
	t.top = t.run.top
	first := true
	for _, v := range t.Op.OperandValues() {
		kind, ok := kindOf(v.Type())
		if !ok || kind == capi.PayloadParams {
			continue
		}
		of := capi.OperationKind
		if kind == capi.PayloadValues {
			of = capi.ValueKind
		}
		for _, p := range capi.Payload(t.c.api, t.state, v.raw, kind) {
			top := capi.Top(t.c.api, of, p)
			if !first && top != t.top {
				return capi.MlirOperation{}, errors.New("its operands stand for things in several copies: let " +
					"transform.foreach apply transform.alternatives to one operation at a time")
			}
			t.top, first = top, false
		}
	}
	if t.top == t.run.top {
		return t.run.on, nil
	}
	return capi.MlirOperation{Ptr: t.top}, nil
}

// kindOf returns what the handles of a type stand for.
func kindOf(t Type) (kind int, ok bool) {
	text := t.String()
	for _, known := range []struct {
		prefix string
		kind   int
	}{
		{"!transform.any_op", capi.PayloadOps}, {"!transform.op<", capi.PayloadOps},
		{"!transform.any_value", capi.PayloadValues},
		{"!transform.any_param", capi.PayloadParams}, {"!transform.param<", capi.PayloadParams},
	} {
		if strings.HasPrefix(text, known.prefix) {
			return known.kind, true
		}
	}
	return 0, false
}

// handle returns an operand or a result. It panics if it is not one of that kind.
func (t *Transformation) handle(values []Value, i, kind int, what, method string) capi.MlirValue {
	t.Rewriter.life.check("Transformation." + method)
	if i < 0 || i >= len(values) {
		panic(fmt.Sprintf("mlir: Transformation.%s was given the %s %d of an operation with %d", method, what, i,
			len(values)))
	}
	if got, ok := kindOf(values[i].Type()); !ok || got != kind {
		panic(fmt.Sprintf("mlir: Transformation.%s was given the %s %d, whose type is %s", method, what, i,
			values[i].Type()))
	}
	return values[i].raw
}

func (t *Transformation) payload(i, kind int, method string) []pointer {
	return capi.Payload(t.c.api, t.state, t.handle(t.Op.OperandValues(), i, kind, "operand", method), kind)
}

// Operations returns the operations that an operand stands for.
func (t *Transformation) Operations(operand int) (list []Operation) {
	for _, p := range t.payload(operand, capi.PayloadOps, "Operations") {
		list = append(list, t.c.operation(capi.MlirOperation{Ptr: p}))
	}
	return list
}

// Values returns the values that an operand stands for.
func (t *Transformation) Values(operand int) (list []Value) {
	for _, p := range t.payload(operand, capi.PayloadValues, "Values") {
		list = append(list, t.c.value(capi.MlirValue{Ptr: p}))
	}
	return list
}

// Params returns the attributes that an operand stands for.
func (t *Transformation) Params(operand int) (list []Attribute) {
	for _, p := range t.payload(operand, capi.PayloadParams, "Params") {
		list = append(list, t.c.attribute(capi.MlirAttribute{Ptr: p}))
	}
	return list
}

func (t *Transformation) result(i, kind int, method string) capi.MlirValue {
	result := t.handle(t.Op.ResultValues(), i, kind, "result", method)
	if t.set[i] {
		panic(fmt.Sprintf("mlir: Transformation.%s set the result %d twice", method, i))
	}
	t.set[i] = true
	return result
}

// SetOperations sets what a result stands for. Results that are not set stand for nothing.
func (t *Transformation) SetOperations(result int, list ...Operation) {
	var raw []capi.MlirOperation
	for _, o := range list {
		raw = append(raw, o.in(t.c, "Transformation.SetOperations"))
		t.inside(capi.OperationKind, o.raw.Ptr, "SetOperations")
	}
	capi.MlirTransformResultsSetOps(t.c.api, t.results, t.result(result, capi.PayloadOps, "SetOperations"), len(raw),
		first(raw))
}

// SetValues sets what a result stands for.
func (t *Transformation) SetValues(result int, list ...Value) {
	var raw []capi.MlirValue
	for _, v := range list {
		raw = append(raw, v.in(t.c, "Transformation.SetValues"))
		t.inside(capi.ValueKind, v.raw.Ptr, "SetValues")
	}
	capi.MlirTransformResultsSetValues(t.c.api, t.results, t.result(result, capi.PayloadValues, "SetValues"), len(raw),
		first(raw))
}

// SetParams sets what a result stands for.
func (t *Transformation) SetParams(result int, list ...Attribute) {
	var raw []capi.MlirAttribute
	for _, a := range list {
		raw = append(raw, a.in(t.c, "Transformation.SetParams"))
	}
	capi.MlirTransformResultsSetParams(t.c.api, t.results, t.result(result, capi.PayloadParams, "SetParams"), len(raw),
		first(raw))
}

// inside panics if something is not in the module that is transformed.
func (t *Transformation) inside(kind capi.Kind, raw pointer, method string) {
	if capi.Top(t.c.api, kind, raw) != t.top {
		panic("mlir: Transformation." + method + " was given something that is not in the module")
	}
}

// finish sets the other results to nothing, because the library reads all.
func (t *Transformation) finish() error {
	results := t.Op.ResultValues()
	for i, v := range results {
		if t.set[i] {
			continue
		}
		kind, ok := kindOf(v.Type())
		if !ok {
			return fmt.Errorf("the result %d has the type %s, which is not one of a handle", i, v.Type())
		}
		switch kind {
		case capi.PayloadOps:
			t.SetOperations(i)
		case capi.PayloadValues:
			t.SetValues(i)
		case capi.PayloadParams:
			t.SetParams(i)
		}
	}
	if slices.Contains(t.set, false) {
		return fmt.Errorf("a result is not set")
	}
	return nil
}
