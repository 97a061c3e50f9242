package mlir

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// OperationState describes an operation to be created.
type OperationState struct {
	Name       string // the full name, for example "stablehlo.add"
	Location   Location
	Operands   []Value
	Results    []Type
	Attributes []NamedAttribute
	// Properties are those that are not attributes, such as the overflowFlags of llvm.add: see
	// Operation.Properties. An operation with some is created by parsing its text, which
	// verifies it, and takes tens of microseconds. It can have neither regions nor successors.
	Properties []NamedAttribute
	Regions    []Region // detached; the operation takes them over
	Successors []Block  // the blocks that a terminator may branch to
	// InferResults asks the operation for its result types. It is possible for operations of
	// upstream dialects that infer them, and for those that are named in a call of
	// AllowInference, because the library does not check what its inference reads.
	InferResults bool
}

// A NamedAttribute is an attribute and its name.
type NamedAttribute struct {
	Name  string
	Value Attribute
}

// Create creates an operation and inserts it. If MLIR refuses the operation, the error is a
// *DiagnosticError and nothing is inserted. Create does not verify the operation: call Verify
// for that.
func Create(ip InsertionPoint, s OperationState) (Operation, error) {
	// A type switch, and the context of the lifetime, let a Block in the interface and the
	// contents of s stay on the caller's stack.
	switch ip := ip.(type) {
	case Block:
		return ip.create(&s)
	case *Context:
		t := ip.life.check("Create")
		return ip.life.ctx.create(t, "Create", point{}, &s)
	case point:
		return ip.create(&s)
	case *Rewriter:
		return ip.create(&s)
	case *ConversionRewriter:
		return ip.rewriter.create(&s)
	case *Builder:
		return Create(ip.at, s)
	}
	panic("mlir: Create was given an invalid insertion point: " + insertionPoints)
}

func (b Block) create(s *OperationState) (Operation, error) {
	if s.InferResults && len(s.Attributes) == 0 && len(s.Results) == 0 && len(s.Regions) == 0 &&
		len(s.Successors) == 0 && len(s.Properties) == 0 {
		if op := b.infer(s.Location, s.Name, s.Operands); op.life != nil {
			return op, nil
		}
	}
	b.given("Create")
	return point{block: b}.add("Create", s)
}

func (p point) create(s *OperationState) (Operation, error) {
	if p.moved() {
		panic("mlir: Create was given an insertion point whose operation has moved or was erased: take a new one")
	}
	return p.add("Create", s)
}

// add creates an operation at p.
func (p point) add(method string, s *OperationState) (Operation, error) {
	b := p.block
	t := b.life.use(method, b.raw.Ptr)
	if b.life.ctx.placeholders > 0 {
		b.notPlaceholder(method)
	}
	return b.life.ctx.create(t, method, p, s)
}

// create creates every new operation: at a position, or detached if that has no block. It calls C
// once and does not allocate: the arguments of C are in memory of the context, and the
// caller's may be on the stack.
func (c *Context) create(t *capi.Table, method string, p point, s *OperationState) (Operation, error) {
	kind := c.kind(s.Name)
	if !kind.registered && !kind.shardy && !c.allows {
		if hint := c.HintFor(kind.name); hint != "" {
			return Operation{}, &UnsupportedError{Library: c.lib.path, Operation: kind.name, hint: hint}
		}
		return Operation{}, fmt.Errorf("mlir: %s does not know the operation %q%s", c.lib.path, kind.name,
			nearest.Hint(c.nearestDefined("operation", kind.name)))
	}
	if kind.shardy {
		made := *s
		if err := c.completeShardy(&made); err != nil {
			return Operation{}, err
		}
		s = &made
	}
	if s.InferResults {
		if err := c.checkInference(kind, s); err != nil {
			return Operation{}, err
		}
	}
	if kind.parsedOnly {
		return Operation{}, fmt.Errorf("mlir: %s cannot be created on its own, the library would crash on it: parse a text that contains it", kind.name)
	}
	if kind.static {
		s.Attributes = c.withDefaults(kind, s)
	}
	if kind.guard != nil {
		if err := kind.guarded(s); err != nil {
			return Operation{}, err
		}
	}
	if kind.properties {
		if err := kind.checkAttributes(s.Attributes); err != nil {
			return Operation{}, err
		}
	}
	if len(s.Properties) > 0 {
		return c.createWithProperties(t, method, p, kind, s)
	}
	raw := &c.creation
	raw.Name = kind.name
	raw.Infer = s.InferResults
	raw.Results = raw.Results[:0]
	for i := range s.Results {
		raw.Results = append(raw.Results, s.Results[i].in(c, method))
	}
	// An operation can be created in its block directly if its operands are in the same
	// outermost object.
	direct := p.block.life != nil && len(s.Regions) == 0 && len(s.Successors) == 0
	raw.Operands = raw.Operands[:0]
	for i := range s.Operands {
		v := &s.Operands[i]
		if v.life != c.era || c.listed(v.raw.Ptr) { // else v.in does nothing
			v.in(c, method)
		}
		raw.Operands = append(raw.Operands, v.raw)
	}
	raw.Attributes = raw.Attributes[:0]
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if a.Name == "" {
			panic("mlir: " + method + " was given an attribute with an empty name")
		}
		name := c.identifier(a.Name)
		for _, other := range raw.Attributes {
			if other.Name == name {
				return Operation{}, fmt.Errorf("mlir: %s was given the attribute %q of %s twice", method, a.Name,
					kind.name)
			}
		}
		raw.Attributes = append(raw.Attributes, capi.MlirNamedAttribute{Name: name, Attribute: a.Value.in(c, method)})
	}
	raw.Regions, raw.Successors = raw.Regions[:0], raw.Successors[:0]
	at := s.Location.in(c, method)
	complete, tried := kind.plain, true
	if raw.Required = nil; !complete || len(raw.Attributes) > 0 || len(s.Regions) > 0 {
		complete, tried = kind.complete(raw, countsOf(raw, len(s.Regions), len(s.Successors)))
	}
	if direct && (complete || !kind.registered) {
		if c.calls.current != nil {
			c.calls.mayChange(c, capi.BlockKind, p.block.raw.Ptr)
		}
		made := capi.CreateOperation(t, raw, at, p.block.raw, p.before.raw, !c.single())
		switch {
		case made.Operation.Ptr != nil:
			op := c.operation(made.Operation)
			c.last = known{operation: op, result: made.First}
			op.touch()
			kind.simple = kind.registered && kind.plain && kind.counted && kind.guard == nil
			return op, nil
		case made.Uses != capi.Several:
			return Operation{}, c.notCreated(kind, made.Lacks)
		}
	}
	op, err := c.createDetached(method, kind, s, at, complete, tried)
	if err != nil {
		return op, err
	}
	p.insert(op)
	if len(s.Regions) > 0 {
		c.composedOperation(op.raw)
	}
	return op, nil
}

// createDetached is the rest of create for an operation that is detached at first. Its
// parts, except for regions and successors, are in c.creation.
func (c *Context) createDetached(
	method string, kind *operationKind, s *OperationState, at capi.MlirLocation, complete, tried bool,
) (Operation, error) {
	raw := &c.creation
	made := &top{kind: capi.OperationKind, maker: c.calls.current.id()}
	for _, b := range s.Successors {
		raw.Successors = append(raw.Successors, b.in(c, method))
		c.setUses(made, elsewhere) // checked when it is added
	}
	var regions []*top
	for _, r := range s.Regions {
		region := r.in(c, method)
		t, detached := c.tops[region.Ptr]
		if !detached || slices.Contains(raw.Regions, region) {
			panic("mlir: " + method + " was given a region that is part of an operation already")
		}
		c.calls.mayJoin(region.Ptr, method)
		raw.Regions = append(raw.Regions, region)
		regions = append(regions, t)
	}
	var inside []capi.Thing // the contents of the regions, if Go code is called back
	for _, t := range regions {
		if c.calls.current != nil {
			inside = append(inside, c.gather(t)...)
		}
		c.join(t, made)
	}
	created := capi.CreateOperation(c.api, raw, at, capi.MlirBlock{}, capi.MlirOperation{}, len(raw.Operands) > 0)
	made.raw = created.Operation.Ptr
	var err error
	switch {
	case made.raw == nil:
		err = c.notCreated(kind, created.Lacks)
	case kind.registered && !complete:
		err = c.learn(kind, created.Operation)
	case kind.registered && !tried && len(raw.Regions) > 0:
		if err = c.sound(kind, created.Operation); err != nil {
			kind.made = nil // the library refused its values
		}
	}
	if err != nil {
		const how = "after a Create that failed" // the regions are destroyed on every path
		if c.calls.current != nil {
			c.forget(inside, how)
		} else if len(regions) > 0 {
			c.renew(nil, how)
		}
		if made.raw != nil {
			c.replaceUsesOf(made.raw)
			destroy(c.api, capi.OperationKind, made.raw)
		}
		c.dropPlaceholders(made)
		delete(c.users, made)
		return Operation{}, err
	}
	for _, t := range regions {
		if t.uses != nil {
			c.use(made, t.uses)
		}
		// The library moves the blocks to a new region.
		c.forget([]capi.Thing{{Ptr: t.raw, Kind: t.kind}},
			"on a region that is part of an operation already: get it with Operation.Region")
	}
	if created.Uses != 0 {
		c.usesOperands(made, created.Uses, regions)
	}
	c.tops[made.raw] = made
	return c.operation(created.Operation), nil
}

// usesOperands records the outermost object, given by its address, that contains the
// operands of a new operation.
func (c *Context) usesOperands(made *top, in uintptr, regions []*top) {
	for _, t := range regions {
		if uintptr(t.raw) == in {
			return
		}
	}
	if t := c.tops[*(*pointer)(pointer(&in))]; t != nil {
		c.use(made, t)
		return
	}
	c.setUses(made, elsewhere)
}

// notCreated returns the error if the library did not create the operation of c.creation.
func (c *Context) notCreated(kind *operationKind, lacks int) error {
	if lacks >= 0 {
		kind.made = nil // the library refused its values
		return fmt.Errorf("mlir: the attribute %q of %s has a value of the wrong kind",
			c.text(c.creation.Required[lacks]), kind.name)
	}
	return &DiagnosticError{Op: "creating " + kind.name, Diagnostics: c.takeDiagnostics("")}
}

// Inference describes what an operation's type inference reads. The operation must be
// created with these parts, because the library crashes if they are missing.
type Inference struct {
	Operands        int  // their number, or the minimum if Variadic is set
	Variadic        bool // there may be more operands
	Attributes      []string
	Regions         int  // their number, or the minimum if VariadicRegions is set
	VariadicRegions bool // there may be more regions
	// Check, if not nil, checks what the counts do not express. The operation is not
	// created if it returns an error. It must not retain its argument.
	Check func(OperationState) error
}

var inference sync.Map // name -> *Inference

// AllowInference permits InferResults for the operation with the given name. Dialect
// packages call it for the operations whose inference they know.
func AllowInference(name string, i Inference) { inference.Store(name, &i) }

// operationKind caches the properties of the operations with one name in one context.
type operationKind struct {
	name       string
	registered bool
	inference  *Inference // nil if not looked up, or if AllowInference was not called for it
	counted    bool       // its inference reads nothing but a fixed number of operands
	simple     bool       // see Block.infer
	guard      guard.Check
	parsedOnly bool           // see guard.ParsedOnly
	static     bool           // see guard.HasStatic
	properties bool           // it has some that are not attributes
	made       []attributeSet // see complete
	plain      bool           // without regions, it is complete without attributes
	shardy     bool           // this package reads it
}

// forgetKinds clears the cache, after a change that made more operations known.
func (c *Context) forgetKinds() {
	clear(c.kinds)
	c.lastKind = nil
}

// kind looks up an operation, and loads its dialect on first use.
func (c *Context) kind(name string) *operationKind {
	if k := c.lastKind; k != nil && k.name == name {
		return k
	}
	if k, ok := c.kinds[name]; ok {
		c.lastKind = k
		return k
	}
	kept := strings.Clone(name) // the caller's string may be on its stack
	if namespace, ok := namespaceOf(kept); ok {
		_ = c.LoadDialect(namespace) // if it fails, the operation is not registered
	}
	k := &operationKind{name: kept, registered: capi.MlirContextIsRegisteredOperation(c.api, c.raw, kept),
		guard: guard.Creation(kept), properties: hasProperties(kept),
		static: guard.HasStatic(kept), shardy: c.isShardy(kept)}
	k.parsedOnly = k.registered && guard.ParsedOnly(kept)
	c.readsTables = c.readsTables || guard.ReadsTable(kept)
	c.kinds[kept] = k
	return k
}

func (c *Context) checkInference(k *operationKind, s *OperationState) error {
	if k.inference == nil {
		known, ok := inferenceOf(k.name)
		if !ok {
			return fmt.Errorf("mlir: the results of %q cannot be inferred, because AllowInference was not called for it: set Results", k.name)
		}
		k.inference = known
		k.counted = !known.Variadic && len(known.Attributes) == 0 && known.Regions == 0 && known.Check == nil
	}
	i := k.inference
	if k.counted && len(s.Operands) == i.Operands && len(s.Regions) == 0 {
		return nil
	}
	if err := k.count("operands", i.Operands, i.Variadic, len(s.Operands)); err != nil {
		return err
	}
	if err := k.count("regions", i.Regions, i.VariadicRegions, len(s.Regions)); err != nil {
		return err
	}
	for _, name := range i.Attributes {
		if !hasAttribute(s.Attributes, name) {
			return fmt.Errorf("mlir: %s needs the attribute %q", k.name, name)
		}
	}
	if i.Check != nil {
		// On copies, so that the caller's slices can stay on its stack.
		return i.Check(OperationState{
			Name: k.name, Operands: slices.Clone(s.Operands), Attributes: slices.Clone(s.Attributes),
			Regions: slices.Clone(s.Regions),
		})
	}
	return nil
}

func (k *operationKind) count(what string, want int, more bool, got int) error {
	switch {
	case more && got < want:
		return fmt.Errorf("mlir: %s takes at least %d %s, but %d are given", k.name, want, what, got)
	case !more && got != want:
		return fmt.Errorf("mlir: %s takes %d %s, but %d are given", k.name, want, what, got)
	}
	return nil
}

func hasAttribute(list []NamedAttribute, name string) bool {
	for _, a := range list {
		if a.Name == name {
			return true
		}
	}
	return false
}
