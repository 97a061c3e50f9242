package mlir

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// A Trait is a property of the operations of one name.
type Trait int

const (
	// TraitTerminator says that the operations end their blocks.
	TraitTerminator Trait = iota
	// TraitIsolatedFromAbove says that the regions use no values from outside.
	TraitIsolatedFromAbove
	// TraitNoTerminator says that the blocks of the regions need no terminator.
	TraitNoTerminator
	// TraitPure says that the operations touch no memory and cannot fail: passes may remove, merge and move them, also
	// to where they would not have run, as out of a loop.
	TraitPure
)

var traits = []struct {
	name   string
	make   string
	create func(*capi.Table) capi.MlirDynamicOpTrait // nil for TraitPure, which consists of models of interfaces
}{
	{"terminator", "mlirDynamicOpTraitIsTerminatorCreate", capi.MlirDynamicOpTraitIsTerminatorCreate},
	{"isolated from above", "mlirDynamicOpTraitIsIsolatedFromAboveCreate",
		capi.MlirDynamicOpTraitIsIsolatedFromAboveCreate},
	{"no terminator", "mlirDynamicOpTraitNoTerminatorCreate", capi.MlirDynamicOpTraitNoTerminatorCreate},
	{"pure", "mlirMemoryEffectsOpInterfaceAttachFallbackModel", nil},
}

func (t Trait) String() string {
	if t < 0 || int(t) >= len(traits) {
		return fmt.Sprintf("Trait(%d)", int(t))
	}
	return traits[t].name
}

// AddTraits gives traits to the operations of a name, which LoadIRDL must have defined in this
// context. It returns an UnsupportedError if the library has no such traits that are known to
// work.
func (c *Context) AddTraits(operation string, list ...Trait) error {
	t := c.life.check("Context.AddTraits")
	if err := c.mayExtend("Context.AddTraits", operation); err != nil {
		return err
	}
	for _, trait := range list {
		if trait < 0 || int(trait) >= len(traits) {
			return fmt.Errorf("mlir: there is no trait with the number %d", int(trait))
		}
		if err := c.lib.need(traits[trait].make); err != nil {
			return err
		}
	}
	defer c.forgetKinds()
	for _, trait := range list {
		if trait == TraitPure {
			if err := c.makePure(t, operation); err != nil {
				return err
			}
			continue
		}
		if !capi.MlirDynamicOpTraitAttach(t, traits[trait].create(t), operation, c.raw) {
			return fmt.Errorf("mlir: the operation %s has the trait %q already", operation, trait)
		}
	}
	return nil
}

// makePure gives an operation the models of both interfaces that passes ask.
func (c *Context) makePure(t *capi.Table, operation string) error {
	if capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirMemoryEffectsOpInterfaceTypeID(t)) {
		return fmt.Errorf("mlir: the operation %s has the trait %q or other memory effects already", operation, TraitPure)
	}
	capi.AttachPure(t, c.raw, operation)
	return nil
}

// AddVerifier adds a condition to the operations of a name, which LoadIRDL must have defined in
// this context. Verification calls verify after the conditions of the dialect and after the
// operations in the regions were verified, from any thread but for one operation at a time. An
// error that it returns, or a panic, becomes a diagnostic at the operation. The handles that
// verify gets are valid until it returns, and it must not change anything or run passes. While
// it runs, the verifiers of other operations in the same module are not called, so it may print.
// AddVerifier returns an UnsupportedError if the library has no traits that are known to work.
func (c *Context) AddVerifier(operation string, verify func(Operation) error) error {
	t := c.life.check("Context.AddVerifier")
	if verify == nil {
		return fmt.Errorf("mlir: the verifier of %s needs a function", operation)
	}
	if err := c.mayExtend("Context.AddVerifier", operation); err != nil {
		return err
	}
	capi.AttachVerifier(t, c.raw, operation, func(op capi.MlirOperation) bool {
		err := c.ask(op, "of Context.AddVerifier", verify)
		if err != nil {
			message := append([]byte(strings.ReplaceAll(err.Error(), "\x00", "")), 0)
			capi.MlirEmitError(t, capi.MlirOperationGetLocation(t, op), unsafe.Pointer(&message[0]))
		}
		return err == nil
	})
	return nil
}

// ask calls f, which must not change anything, for the library.
func (c *Context) ask(op capi.MlirOperation, question string, f func(Operation) error) error {
	top := capi.Top(c.api, capi.OperationKind, op.Ptr)
	this := call{top: top, on: op, root: op, pattern: true, constraint: true, question: question, anywhere: true}
	return c.enter(this, func(this *call) error {
		if outer := this.previous; outer != nil && outer.question != "" && outer.top == top {
			return nil // a verifier prints its operation, for example
		}
		return f(c.operation(op))
	})
}

// mayExtend returns an error if an operation was not defined in this context.
func (c *Context) mayExtend(method, operation string) error {
	if err := c.lib.need("mlirDynamicOpTraitAttach", "mlirDynamicOpTraitCreate"); err != nil {
		return err
	}
	c.calls.idle(method)
	dialect, _, _ := strings.Cut(operation, ".")
	if c.defined[dialect] == nil || !c.Registered(operation) {
		return fmt.Errorf("mlir: LoadIRDL has not defined the operation %s in this context%s", operation,
			nearest.Hint(c.nearestDefined("operation", operation)))
	}
	return nil
}

// DynamicType returns a type that LoadIRDL defined in this context, such as "cmath.complex",
// with its parameters. A type parameter is a TypeAttribute.
func (c *Context) DynamicType(name string, params ...Attribute) (Type, error) {
	c.life.check("Context.DynamicType")
	text, err := c.dynamic("!", "type", name, params, "DynamicType")
	if err != nil {
		return Type{}, err
	}
	return c.ParseType(text)
}

// DynamicAttribute returns an attribute that LoadIRDL defined in this context; see DynamicType.
func (c *Context) DynamicAttribute(name string, params ...Attribute) (Attribute, error) {
	c.life.check("Context.DynamicAttribute")
	text, err := c.dynamic("#", "attribute", name, params, "DynamicAttribute")
	if err != nil {
		return Attribute{}, err
	}
	return c.ParseAttribute(text)
}

// dynamic returns the text of a type or an attribute. Parsing it verifies the parameters, which
// the C API's functions do not.
func (c *Context) dynamic(prefix, what, name string, params []Attribute, method string) (string, error) {
	if dialect, rest, _ := strings.Cut(name, "."); !slices.Contains(c.defined[dialect][what], rest) {
		return "", fmt.Errorf("mlir: LoadIRDL has not defined the %s %s in this context%s", what, name,
			nearest.Hint(c.nearestDefined(what, name)))
	}
	var texts []string
	for _, p := range params {
		p.in(c, "Context."+method)
		texts = append(texts, p.String())
	}
	if len(texts) == 0 {
		return prefix + name, nil
	}
	return prefix + name + "<" + strings.Join(texts, ", ") + ">", nil
}

// Dynamic returns the name and the parameters of a type that LoadIRDL defined. ok is false for
// other types, and in libraries without functions for that which are known to work.
func (t Type) Dynamic() (name string, params []Attribute, ok bool) {
	api := t.check("Type.Dynamic")
	c := t.Context()
	if !c.lib.Has("mlirTypeIsADynamicType") || !capi.MlirTypeIsADynamicType(api, t.raw) {
		return "", nil, false
	}
	definition := capi.MlirDynamicTypeGetTypeDef(api, t.raw)
	dialect := capi.MlirDialectGetNamespace(api, capi.MlirDynamicTypeDefinitionGetDialect(api, definition))
	for i := range capi.MlirDynamicTypeGetNumParams(api, t.raw) {
		params = append(params, c.attribute(capi.MlirDynamicTypeGetParam(api, t.raw, i)))
	}
	return dialect + "." + capi.MlirDynamicTypeDefinitionGetName(api, definition), params, true
}

// Dynamic returns the name and the parameters of an attribute that LoadIRDL defined; see
// Type.Dynamic.
func (a Attribute) Dynamic() (name string, params []Attribute, ok bool) {
	api := a.check("Attribute.Dynamic")
	c := a.Context()
	if !c.lib.Has("mlirAttributeIsADynamicAttr") || !capi.MlirAttributeIsADynamicAttr(api, a.raw) {
		return "", nil, false
	}
	definition := capi.MlirDynamicAttrGetAttrDef(api, a.raw)
	dialect := capi.MlirDialectGetNamespace(api, capi.MlirDynamicAttrDefinitionGetDialect(api, definition))
	for i := range capi.MlirDynamicAttrGetNumParams(api, a.raw) {
		params = append(params, c.attribute(capi.MlirDynamicAttrGetParam(api, a.raw, i)))
	}
	return dialect + "." + capi.MlirDynamicAttrDefinitionGetName(api, definition), params, true
}
