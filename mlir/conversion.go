package mlir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A ConversionTarget says which operations are legal after a conversion. A name is that of
// an operation, such as "arith.addi", or of a dialect, such as "arith". What is said about
// an operation holds before what is said about its dialect. A full conversion fails if it
// leaves an operation that is not legal, and a partial one if it leaves one that is illegal.
// Operations that patterns create must be legal, or be converted to such.
type ConversionTarget struct {
	Legal   []string
	Illegal []string
	// Dynamic has functions that report whether an operation is legal. They are called with
	// operations of the names and dialects, and must not change anything.
	Dynamic map[string]func(Operation) bool
	// Unknown, if not nil, is the function for operations about which nothing else is said.
	Unknown func(Operation) bool
	// Recursive are names of operations, from Legal or Dynamic. If one of them is legal,
	// all operations in it are legal, too, and are not converted.
	Recursive []string
}

// A TypeConverter converts types, and values between the types. Its functions may be called
// often and in any order.
type TypeConverter struct {
	// Convert returns what a type becomes: itself if it is legal, another type, several, or
	// none for values that are removed. ok is false if the type cannot be converted.
	Convert func(Type) (to []Type, ok bool)
	// Source creates a value of the type that a value had before the conversion, from those
	// that replaced it. It is called for operations that stay and use the value. If Source is
	// nil or returns the nil Value, and such an operation is left at the end, the conversion
	// fails.
	Source func(r *Rewriter, to Type, from []Value, at Location) (Value, error)
	// Target creates values of the types that the type of an operand is converted to, from
	// the values that stand for the operand: itself if it is not converted, or what another
	// pattern replaced it by. original is the type of the operand before the conversion. If
	// Target is nil or returns no values, and they are needed at the end, the conversion
	// fails. See also ConversionOptions.NoMaterializations.
	Target func(r *Rewriter, to []Type, from []Value, at Location, original Type) ([]Value, error)
}

// A ConversionPattern is a rule, written in Go, that converts operations which a
// ConversionTarget calls illegal.
type ConversionPattern struct {
	Name string // for errors
	Op   string // the name of the operations that it may match
	// Benefit determines the order in which patterns are tried: the largest first. It is
	// from 1 to 65534; zero means 1.
	Benefit int
	// Generates are the names of the operations that the pattern creates, if known.
	Generates []string
	// Types converts the types of the operands. It may be nil: then the operands stay as
	// they are.
	Types *TypeConverter
	// Convert is called with an operation that is to be converted. operands are its operands
	// after they were converted: one value for each, or as many as its type was converted
	// to; see ConversionRewriter.Operand. If the pattern does not match, Convert returns
	// false and must not change anything. Otherwise, it replaces, erases or modifies the
	// operation with r and returns true. The insertion point of r is before the operation.
	//
	// The handles that Convert gets, and r, are valid until it returns. Convert must make
	// all changes with r, so that the library can undo them. After an error or a panic,
	// nothing more is converted.
	Convert func(op Operation, operands []Value, r *ConversionRewriter) (bool, error)
}

// A Conversion is a target and patterns that can be applied. It must be used by one
// goroutine at a time. The caller must close it, or it is closed with its context.
type Conversion struct {
	ctx    *Context
	life   *lifetime
	target capi.MlirConversionTarget
	raw    capi.MlirFrozenRewritePatternSet
	forget []func() // called after target and raw were destroyed

	running bool
	conversionRun
}

// conversionRun is the state of a run.
type conversionRun struct {
	within pointer            // the outermost object that contains …
	on     capi.MlirOperation // … the operation that the run is on
	failed error
}

// ConversionOptions are the settings of Conversion.Apply.
type ConversionOptions struct {
	// Full requires that every operation is legal at the end. Otherwise, operations about
	// which the target says nothing may stay.
	Full bool
	// NoFolding disables folding. If folding is enabled, Apply returns an error if operations
	// use one another's results in a cycle, because the library might never terminate.
	NoFolding bool
	// NoMaterializations puts the operation builtin.unrealized_conversion_cast where Source and
	// Target would be called. They are not called, and may be nil.
	NoMaterializations bool
}

// NewConversion creates a conversion. It returns an UnsupportedError if the library has
// none that is known to work: libraries of LLVM 22 and before have not.
func (c *Context) NewConversion(target ConversionTarget, patterns ...ConversionPattern) (*Conversion, error) {
	t := c.life.check("Context.NewConversion")
	if err := c.lib.need("mlirOpConversionPatternCreate", "mlirTypeConverterAdd1ToNTargetMaterialization",
		"mlirApplyPartialConversion", "mlirApplyFullConversion"); err != nil {
		return nil, err
	}
	if err := target.check(); err != nil {
		return nil, err
	}
	for _, p := range patterns {
		switch {
		case p.Op == "" || p.Convert == nil || p.Benefit < 0 || p.Benefit >= 1<<16-1:
			return nil, fmt.Errorf(
				"mlir: the conversion pattern %q needs an Op, a Convert, and a Benefit of at most 65534", p.Name)
		case p.Types != nil && p.Types.Convert == nil:
			return nil, fmt.Errorf("mlir: the TypeConverter of the conversion pattern %q needs a Convert", p.Name)
		}
		for _, name := range append([]string{p.Op}, p.Generates...) {
			c.Registered(name) // loads the dialect, without which the name would not match
		}
	}
	v := &Conversion{ctx: c, life: &lifetime{ctx: c, of: "Conversion", parent: c.life}}
	v.target = capi.MlirConversionTargetCreate(t, c.raw)
	v.addTarget(t, target)
	set := capi.MlirRewritePatternSetCreate(t, c.raw)
	converters := map[*TypeConverter]capi.MlirTypeConverter{}
	for _, p := range patterns {
		converter, ok := converters[p.Types]
		if !ok {
			converter = v.addConverter(t, p)
			converters[p.Types] = converter
		}
		capi.MlirRewritePatternSetAdd(t, set, capi.CreateConversionPattern(t, c.raw, p.Op, max(p.Benefit, 1), converter,
			p.Generates, v.convert(t, p, converter)))
	}
	v.raw = capi.MlirFreezeRewritePattern(t, set)
	capi.MlirRewritePatternSetDestroy(t, set)
	c.calls.keep(v)
	return v, nil
}

// check returns an error if the target says two things about one name.
func (target ConversionTarget) check() error {
	said := map[string]string{}
	say := func(name, what string) error {
		if name == "" {
			return fmt.Errorf("mlir: ConversionTarget.%s has an empty name", what)
		}
		if other, ok := said[name]; ok {
			return fmt.Errorf("mlir: ConversionTarget names %q in %s and in %s: name it in one", name, other, what)
		}
		said[name] = what
		return nil
	}
	for _, name := range target.Legal {
		if err := say(name, "Legal"); err != nil {
			return err
		}
	}
	for _, name := range target.Illegal {
		if err := say(name, "Illegal"); err != nil {
			return err
		}
	}
	for name, f := range target.Dynamic {
		if f == nil {
			return fmt.Errorf("mlir: ConversionTarget.Dynamic has no function for %q", name)
		}
		if err := say(name, "Dynamic"); err != nil {
			return err
		}
	}
	for _, name := range target.Recursive {
		if what := said[name]; !strings.Contains(name, ".") || what != "Legal" && what != "Dynamic" {
			return fmt.Errorf("mlir: ConversionTarget.Recursive names %q, which must be an operation in Legal or Dynamic", name)
		}
	}
	return nil
}

func (v *Conversion) addTarget(t *capi.Table, target ConversionTarget) {
	isOperation := func(name string) bool {
		v.ctx.Registered(name + ".") // loads the dialect
		return strings.Contains(name, ".")
	}
	for _, name := range target.Legal {
		if isOperation(name) {
			capi.MlirConversionTargetAddLegalOp(t, v.target, name)
		} else {
			capi.MlirConversionTargetAddLegalDialect(t, v.target, name)
		}
	}
	for _, name := range target.Illegal {
		if isOperation(name) {
			capi.MlirConversionTargetAddIllegalOp(t, v.target, name)
		} else {
			capi.MlirConversionTargetAddIllegalDialect(t, v.target, name)
		}
	}
	add := func(kind capi.LegalityKind, name string, f func(Operation) bool) {
		v.forget = append(v.forget, capi.AddLegality(t, v.target, kind, name, v.legality(name, f)))
	}
	for name, f := range target.Dynamic {
		if isOperation(name) {
			add(capi.LegalOp, name, f)
		} else {
			add(capi.LegalDialect, name, f)
		}
	}
	for _, name := range target.Recursive {
		v.forget = append(v.forget, capi.AddLegality(t, v.target, capi.LegalRecursively, name, nil))
	}
	if target.Unknown != nil {
		add(capi.LegalUnknown, "an unknown operation", target.Unknown)
	}
}

// legality returns the function that the library calls for f.
func (v *Conversion) legality(name string, f func(Operation) bool) capi.LegalityFunc {
	return func(op capi.MlirOperation) capi.MlirConversionTargetLegality {
		legal := false
		v.call("the legality of "+name, op, true, func(*call) error {
			legal = f(v.ctx.operation(op))
			return nil
		})
		if legal {
			return capi.MLIR_CONVERSION_TARGET_LEGALITY_LEGAL
		}
		return capi.MLIR_CONVERSION_TARGET_LEGALITY_ILLEGAL
	}
}

// convert returns the function that the library calls for a pattern.
func (v *Conversion) convert(t *capi.Table, p ConversionPattern, converter capi.MlirTypeConverter) capi.ConversionFunc {
	return func(op capi.MlirOperation, sizes []int, operands []capi.MlirValue,
		raw capi.MlirConversionPatternRewriter) bool {
		matched := false
		v.call(p.Name, op, false, func(this *call) (err error) {
			c := v.ctx
			o := c.operation(op)
			base := capi.MlirPatternRewriterAsBase(t, capi.MlirConversionPatternRewriterAsPatternRewriter(t, raw))
			r := &ConversionRewriter{raw: raw, root: op, types: p.Types, converter: converter, sizes: sizes,
				rewriter: &Rewriter{
					c: c, raw: base, life: this.life, call: this,
					at: point{block: c.block(capi.MlirOperationGetBlock(t, op)), before: o}}}
			for _, operand := range operands {
				r.operands = append(r.operands, c.value(operand))
			}
			matched, err = p.Convert(o, slices.Clone(r.operands), r)
			if err == nil && matched && !r.converted {
				// The library relies on it, and would report success.
				err = fmt.Errorf("it returned true for %s at %s and did not replace, erase or modify it: "+
					"return false if the pattern does not match", o.Name(), o.Location().Position())
			}
			return err
		})
		return matched && v.failed == nil
	}
}

// call calls Go code for the library. It stores the first error, which is returned at the
// end of the run; nothing is called after it.
func (v *Conversion) call(name string, op capi.MlirOperation, constraint bool, f func(*call) error) {
	if v.failed != nil {
		return
	}
	this := call{root: op, pattern: true, conversion: true, constraint: constraint, top: v.within, on: v.on}
	if constraint {
		this.question = "of a ConversionTarget"
	}
	if err := v.ctx.enter(this, f); err != nil && v.failed == nil {
		v.failed = &PatternError{Pattern: name, Err: err}
	}
}

// Close destroys the conversion and its patterns. Closing a closed conversion does nothing.
// The error is always nil.
func (v *Conversion) Close() error {
	if v.life.ended || v.ctx.life.ended {
		return nil
	}
	if v.running {
		panic("mlir: Conversion.Close called by a pattern of the conversion")
	}
	capi.MlirFrozenRewritePatternSetDestroy(v.ctx.api, v.raw)
	capi.MlirConversionTargetDestroy(v.ctx.api, v.target)
	for _, f := range v.forget {
		f()
	}
	v.life.ended = true
	delete(v.ctx.calls.open, v)
	return nil
}

// Apply converts a module. All handles into the module are invalid after it. The error is a
// *PatternError if a pattern or another function failed, and otherwise a *DiagnosticError
// that names an operation which could not be converted, with its location. After an error,
// the module is as it was before.
func (v *Conversion) Apply(m *Module, o ConversionOptions) error {
	m.given("Conversion.Apply")
	m.life.check("Conversion.Apply")
	_, err := v.ApplyTo(m.operation(), o)
	return err
}

// ApplyTo converts what is in one operation, and the operation itself, as Apply does with a
// module, and returns a new handle to it. The operation must not be replaced. Nothing outside
// may use a value in it or branch into it.
func (v *Conversion) ApplyTo(op Operation, o ConversionOptions) (Operation, error) {
	const method = "Conversion.Apply"
	t := v.life.check(method)
	op.in(v.ctx, method)
	if v.running {
		return op, fmt.Errorf("mlir: %s called by a pattern of the conversion", method)
	}
	if err := op.Verify(); err != nil {
		return op, err
	}
	if !o.NoFolding {
		if err := op.acyclic("applying the conversion", ", or set NoFolding"); err != nil {
			return op, err
		}
	}
	config := capi.MlirConversionConfigCreate(t)
	defer capi.MlirConversionConfigDestroy(t, config)
	if o.NoFolding {
		capi.MlirConversionConfigSetFoldingMode(t, config, capi.MLIR_DIALECT_CONVERSION_FOLDING_MODE_NEVER)
	}
	capi.MlirConversionConfigEnableBuildMaterializations(t, config, !o.NoMaterializations)
	apply := capi.MlirApplyPartialConversion
	if o.Full {
		apply = capi.MlirApplyFullConversion
	}
	v.running, v.conversionRun = true, conversionRun{}
	defer func() { v.running, v.conversionRun = false, conversionRun{} }()
	ok := false
	op, err := v.ctx.run(op, method, true, func(op Operation, top pointer) {
		v.within, v.on = top, op.raw
		// The library undoes what patterns did, but not what it does after them.
		before := capi.MlirOperationClone(t, op.raw)
		ok = apply(t, op.raw, v.target, v.raw, config).Value != 0
		if !ok || v.failed != nil {
			restore(t, op.raw, before)
		}
		capi.MlirOperationDestroy(t, before)
	})
	if err != nil {
		return op, err
	}
	diagnostics := v.ctx.takeDiagnostics("")
	switch {
	case v.failed != nil:
		return op, v.failed
	case !ok:
		return op, &DiagnosticError{Op: "the conversion", Diagnostics: diagnostics}
	}
	return op, nil
}

// restore gives an operation the attributes and the contents of its copy.
func restore(t *capi.Table, op, before capi.MlirOperation) {
	kept := map[string]bool{}
	for i := range capi.MlirOperationGetNumAttributes(t, before) {
		a := capi.MlirOperationGetAttribute(t, before, i)
		name := capi.MlirIdentifierStr(t, a.Name)
		kept[name] = true
		capi.MlirOperationSetAttributeByName(t, op, name, a.Attribute)
	}
	for i := capi.MlirOperationGetNumAttributes(t, op) - 1; i >= 0; i-- {
		if name := capi.MlirIdentifierStr(t, capi.MlirOperationGetAttribute(t, op, i).Name); !kept[name] {
			capi.MlirOperationRemoveAttributeByName(t, op, name)
		}
	}
	moveBodies(t, before, op)
}
