package mlir

import (
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// OperationState is what a new operation is made of.
type OperationState struct {
	Name       string // full name, for example "stablehlo.add"
	Location   Location
	Operands   []Value
	Results    []Type
	Attributes []NamedAttribute
	Regions    []Region // detached ones, owned by the operation from then on
	Successors []Block  // where a terminator may branch to
	// InferResults asks the operation for its result types. Only operations that
	// AllowInference named can: the library does not check what it reads.
	InferResults bool
}

// NamedAttribute is an attribute under its name.
type NamedAttribute struct {
	Name  string
	Value Attribute
}

// Create makes a detached operation. What MLIR says against it comes back as a
// *DiagnosticError; whether the operation is valid is for Verify to say.
func (c *Context) Create(s OperationState) (Operation, error) {
	t := c.life.check("Context.Create")
	if !c.Registered(s.Name) && !capi.MlirContextGetAllowUnregisteredDialects(t, c.raw) {
		return Operation{}, fmt.Errorf("mlir: %s knows no operation %q", c.lib.path, s.Name)
	}
	if s.InferResults {
		if err := checkInference(&s); err != nil {
			return Operation{}, err
		}
	}
	raw := capi.OperationState{
		Name:       s.Name,
		Location:   s.Location.in(c, "Context.Create"),
		Results:    make([]capi.MlirType, len(s.Results)),
		Operands:   make([]capi.MlirValue, len(s.Operands)),
		Attributes: make([]capi.MlirNamedAttribute, len(s.Attributes)),
		Regions:    make([]capi.MlirRegion, len(s.Regions)),
		Infer:      s.InferResults,
	}
	life := &lifetime{ctx: c, parent: c.life}
	for i, r := range s.Results {
		raw.Results[i] = r.in(c, "Context.Create")
	}
	for i, v := range s.Operands {
		raw.Operands[i] = v.in(c, "Context.Create")
		life.using(v.life)
	}
	for i, a := range s.Attributes {
		raw.Attributes[i] = capi.MlirNamedAttribute{Name: c.identifier(a.Name), Attribute: a.Value.in(c, "Context.Create")}
	}
	for _, b := range s.Successors {
		raw.Successors = append(raw.Successors, b.in(c, "Context.Create"))
		life.uses = c.life // looked at where it is added
	}
	for i, r := range s.Regions {
		raw.Regions[i] = r.in(c, "Context.Create")
		if _, detached := c.tops[r.raw.Ptr]; !detached || slices.Contains(raw.Regions[:i], r.raw) {
			panic("mlir: Context.Create was given a region that is part of an operation already")
		}
	}
	for _, r := range raw.Regions { // also where it fails, they are gone
		l := c.tops[r.Ptr].life
		if l.uses != nil {
			life.using(l.uses)
		}
		c.join(l, r.Ptr, life)
		l.spent = true // the library moves the blocks to a region of its own
	}
	op := capi.CreateOperation(t, &raw)
	if op.Ptr == nil {
		life.ended, life.by = true, "a Context.Create that failed"
		return Operation{}, &DiagnosticError{Op: "creating " + s.Name, Diagnostics: c.takeDiagnostics("")}
	}
	c.tops[op.Ptr] = top{life, capi.OperationKind}
	return Operation{life, op}, nil
}

// Inference says what an operation's type inference reads, and so what it must be
// given: the library crashes on less.
type Inference struct {
	Operands   int
	Attributes []string
	Regions    int
}

var inference sync.Map // name -> Inference

// AllowInference permits InferResults for the named operation. Dialect packages call
// it for the operations whose inference they know.
func AllowInference(name string, i Inference) { inference.Store(name, i) }

func checkInference(s *OperationState) error {
	known, ok := inference.Load(s.Name)
	if !ok {
		return fmt.Errorf("mlir: what the type inference of %q reads is not known here: give its result types", s.Name)
	}
	i := known.(Inference)
	if len(s.Operands) != i.Operands {
		return fmt.Errorf("mlir: %s takes %d operands, %d given", s.Name, i.Operands, len(s.Operands))
	}
	if len(s.Regions) != i.Regions {
		return fmt.Errorf("mlir: %s takes %d regions, %d given", s.Name, i.Regions, len(s.Regions))
	}
	for _, name := range i.Attributes {
		if !hasAttribute(s.Attributes, name) {
			return fmt.Errorf("mlir: %s needs the attribute %q", s.Name, name)
		}
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
