package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

type pointer = unsafe.Pointer

// An Op is what an operation of scripts does, in Go; see SetOp.
type Op struct {
	// Apply changes the module that is transformed, with Application.Rewriter, and sets the results. An error or a
	// panic ends the script, and is returned. A *SilenceableError does not if the script goes on after it.
	Apply func(*Application) error
	// Consumes are the operands whose handles a script cannot use afterwards, because what they stand for may be gone.
	// Other handles stay valid.
	Consumes []int
	// ReadsOnly says that the module is not changed.
	ReadsOnly bool
	// Repeats allows that two operands stand for the same thing.
	Repeats bool
}

// An Application is one application of an Op. It and its handles are valid until Op.Apply returns.
type Application struct {
	// Op is the operation of the script. It must not be changed.
	Op mlir.Operation
	// Rewriter changes the module that is transformed. It has no insertion point at first.
	Rewriter *mlir.Rewriter

	c       *mlir.Context
	t       *capi.Table
	run     *run
	top     pointer // the outermost operation that it works on
	results capi.MlirTransformResults
	state   capi.MlirTransformState
	set     []bool // by result
}

// scripts is what a context has of scripts.
type scripts struct {
	run  *run
	inGo bool // operations of scripts are defined in Go
}

// run is a run of a script on a module.
type run struct {
	top         pointer
	on          capi.MlirOperation
	failed      error         // of an operation in Go
	silenceable []silenceable // of operations in Go
}

// SetOp makes the operations of a name, which Context.LoadIRDL must have defined in the context, usable in scripts that
// Apply runs. Their operands and results are handles: of the types !transform.any_op and !transform.op for operations,
// !transform.any_value for values, and !transform.any_param and !transform.param for attributes. It returns an
// *mlir.UnsupportedError if the library has no models of interfaces that are known to work for this.
func SetOp(c *mlir.Context, operation string, f Op) error {
	const method = "transform.SetOp"
	t := raw.Use(c, method)
	if missing := capi.CanTransform(t); missing != "" {
		return &mlir.UnsupportedError{Library: c.Library().Path(), Function: missing}
	}
	if err := raw.MayExtend(c, method, operation); err != nil {
		return err
	}
	if f.Apply == nil {
		return fmt.Errorf("transform: %s needs a function", operation)
	}
	if capi.MlirOperationImplementsInterfaceStatic(t, operation, raw.Context(c),
		capi.MlirMemoryEffectsOpInterfaceTypeID(t)) {
		return fmt.Errorf("transform: the operation %s has memory effects or a transform already", operation)
	}
	if err := c.LoadDialect("transform"); err != nil {
		return err
	}
	var consumed uint64
	for _, i := range f.Consumes {
		if i < 0 || i >= 64 {
			return fmt.Errorf("transform: %s consumes the operand %d: only those from 0 to 63 can be consumed", operation, i)
		}
		consumed |= 1 << i
	}
	s := raw.Beside[scripts](c)
	s.inGo = true
	capi.AttachTransform(t, raw.Context(c), operation,
		capi.Transform{Consumed: consumed, ReadsOnly: f.ReadsOnly, Repeats: f.Repeats,
			Apply: func(op capi.MlirOperation, rewriter capi.MlirTransformRewriter, results capi.MlirTransformResults,
				state capi.MlirTransformState) capi.MlirDiagnosedSilenceableFailure {
				this := &Application{c: c, t: t, run: s.run, results: results, state: state}
				err := apply(this, op, rewriter, f.Apply)
				if err == nil {
					return capi.MlirDiagnosedSilenceableFailureSuccess
				}
				if isSilenceable(err) {
					at := raw.WrapLocation(c, capi.MlirOperationGetLocation(t, op)).Position()
					s.run.silenceable = append(s.run.silenceable, silenceable{operation, at, err})
					return capi.MlirDiagnosedSilenceableFailureSilenceableFailure
				}
				err = fmt.Errorf("transform: %s: %w", operation, err)
				if s.run != nil && s.run.failed == nil {
					s.run.failed = err
				}
				message := append([]byte(strings.ReplaceAll(err.Error(), "\x00", "")), 0)
				capi.MlirEmitError(t, capi.MlirOperationGetLocation(t, op), unsafe.Pointer(&message[0]))
				return capi.MlirDiagnosedSilenceableFailureDefiniteFailure
			}})
	return nil
}

// apply calls f in a call on the script, which must not change, and in one on the module.
func apply(this *Application, op capi.MlirOperation, rewriter capi.MlirTransformRewriter,
	f func(*Application) error) error {
	if this.run == nil {
		return fmt.Errorf("it is defined in Go: run the script with transform.Apply")
	}
	return raw.Ask(this.c, op, "of a script", func(o mlir.Operation) error {
		this.Op = o
		this.set = make([]bool, o.NumResults())
		on, err := this.on()
		if err != nil {
			return err
		}
		base := capi.MlirTransformRewriterAsBase(this.t, rewriter)
		return raw.Rewrite(this.c, this.top, on, base, func(r *mlir.Rewriter, valid func() error) error {
			this.Rewriter = r
			failed := f(this)
			if failed != nil && !isSilenceable(failed) {
				return failed
			}
			if err := valid(); err != nil {
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
func (a *Application) on() (capi.MlirOperation, error) {
	const method = "transform.Op.Apply"
	a.top = a.run.top
	first := true
	for _, v := range a.Op.OperandValues() {
		kind, ok := kindOf(v.Type())
		if !ok || kind == capi.PayloadParams {
			continue
		}
		of := capi.OperationKind
		if kind == capi.PayloadValues {
			of = capi.ValueKind
		}
		for _, p := range capi.Payload(a.t, a.state, raw.ValueIn(v, a.c, method), kind) {
			top := capi.Top(a.t, of, p)
			if !first && top != a.top {
				return capi.MlirOperation{}, errors.New("its operands stand for things in several copies: let " +
					"transform.foreach apply transform.alternatives to one operation at a time")
			}
			a.top, first = top, false
		}
	}
	if a.top == a.run.top {
		return a.run.on, nil
	}
	return capi.MlirOperation{Ptr: a.top}, nil
}

// kindOf returns what the handles of a type stand for.
func kindOf(t mlir.Type) (kind int, ok bool) {
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
func (a *Application) handle(values []mlir.Value, i, kind int, what, method string) capi.MlirValue {
	a.Rewriter.Context() // panics after the application
	if i < 0 || i >= len(values) {
		panic(fmt.Sprintf("mlir: transform.Application.%s was given the %s %d of an operation with %d", method, what, i,
			len(values)))
	}
	if got, ok := kindOf(values[i].Type()); !ok || got != kind {
		panic(fmt.Sprintf("mlir: transform.Application.%s was given the %s %d, whose type is %s", method, what, i,
			values[i].Type()))
	}
	return raw.ValueIn(values[i], a.c, "transform.Application."+method)
}

func (a *Application) payload(i, kind int, method string) []pointer {
	return capi.Payload(a.t, a.state, a.handle(a.Op.OperandValues(), i, kind, "operand", method), kind)
}

// Operations returns the operations that an operand stands for.
func (a *Application) Operations(operand int) (list []mlir.Operation) {
	for _, p := range a.payload(operand, capi.PayloadOps, "Operations") {
		list = append(list, raw.WrapOperation(a.c, capi.MlirOperation{Ptr: p}))
	}
	return list
}

// Values returns the values that an operand stands for.
func (a *Application) Values(operand int) (list []mlir.Value) {
	for _, p := range a.payload(operand, capi.PayloadValues, "Values") {
		list = append(list, raw.WrapValue(a.c, capi.MlirValue{Ptr: p}))
	}
	return list
}

// Params returns the attributes that an operand stands for.
func (a *Application) Params(operand int) (list []mlir.Attribute) {
	for _, p := range a.payload(operand, capi.PayloadParams, "Params") {
		list = append(list, raw.WrapAttribute(a.c, capi.MlirAttribute{Ptr: p}))
	}
	return list
}

func (a *Application) result(i, kind int, method string) capi.MlirValue {
	result := a.handle(a.Op.ResultValues(), i, kind, "result", method)
	if a.set[i] {
		panic(fmt.Sprintf("mlir: transform.Application.%s set the result %d twice", method, i))
	}
	a.set[i] = true
	return result
}

// SetOperations sets what a result stands for. Results that are not set stand for nothing.
func (a *Application) SetOperations(result int, list ...mlir.Operation) {
	var handles []capi.MlirOperation
	for _, o := range list {
		handles = append(handles, raw.OperationIn(o, a.c, "transform.Application.SetOperations"))
		a.inside(capi.OperationKind, handles[len(handles)-1].Ptr, "SetOperations")
	}
	capi.MlirTransformResultsSetOps(a.t, a.results, a.result(result, capi.PayloadOps, "SetOperations"), len(handles),
		raw.First(handles))
}

// SetValues sets what a result stands for.
func (a *Application) SetValues(result int, list ...mlir.Value) {
	var handles []capi.MlirValue
	for _, v := range list {
		handles = append(handles, raw.ValueIn(v, a.c, "transform.Application.SetValues"))
		a.inside(capi.ValueKind, handles[len(handles)-1].Ptr, "SetValues")
	}
	capi.MlirTransformResultsSetValues(a.t, a.results, a.result(result, capi.PayloadValues, "SetValues"), len(handles),
		raw.First(handles))
}

// SetParams sets what a result stands for.
func (a *Application) SetParams(result int, list ...mlir.Attribute) {
	var handles []capi.MlirAttribute
	for _, x := range list {
		handles = append(handles, raw.AttributeIn(x, a.c, "transform.Application.SetParams"))
	}
	capi.MlirTransformResultsSetParams(a.t, a.results, a.result(result, capi.PayloadParams, "SetParams"), len(handles),
		raw.First(handles))
}

// inside panics if something is not in the module that is transformed.
func (a *Application) inside(kind capi.Kind, p pointer, method string) {
	if capi.Top(a.t, kind, p) != a.top {
		panic("mlir: transform.Application." + method + " was given something that is not in the module")
	}
}

// finish sets the other results to nothing, because the library reads all.
func (a *Application) finish() error {
	results := a.Op.ResultValues()
	for i, v := range results {
		if a.set[i] {
			continue
		}
		kind, ok := kindOf(v.Type())
		if !ok {
			return fmt.Errorf("the result %d has the type %s, which is not one of a handle", i, v.Type())
		}
		switch kind {
		case capi.PayloadOps:
			a.SetOperations(i)
		case capi.PayloadValues:
			a.SetValues(i)
		case capi.PayloadParams:
			a.SetParams(i)
		}
	}
	if slices.Contains(a.set, false) {
		return fmt.Errorf("a result is not set")
	}
	return nil
}
