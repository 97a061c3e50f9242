// Package define defines dialects while a program runs: their types, attributes and operations,
// what these may consist of, their traits and their verifiers in Go. It writes the definition as
// operations of the irdl dialect, for mlir.Context.LoadIRDL. Load refuses a definition that nothing could meet.
//
// The operations have only the generic form, and passes do not fold them: MLIR's C API has no function that sets how a
// dynamic operation is parsed, printed or folded, and IRDL has no operation for it. A rewrite pattern does what a fold
// would do: see mlir.Context.NewPatterns. mlir.TraitPure lets passes remove, merge and move operations.
package define

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Dialect is the definition of a dialect.
type Dialect struct {
	Name       string // the namespace
	Types      []Parametric
	Attributes []Parametric
	Operations []Operation
}

// A Parametric describes a type or attribute with its parameters, which are
// attributes. A type as a parameter is a TypeAttribute.
type Parametric struct {
	Name   string // without the namespace
	Params []Part
}

// An Operation describes an operation. It has the parts that are listed and no others,
// except for discardable attributes. An operation with several parts of one kind that are not
// single has their numbers in the attribute operandSegmentSizes or resultSegmentSizes.
type Operation struct {
	Name                          string // without the namespace
	Operands, Results, Attributes []Part
	Regions                       []Region
	Traits                        []mlir.Trait
	// Verify is an additional condition; see mlir.Context.AddVerifier.
	Verify func(mlir.Operation) error
}

// A Part describes an operand, a result, an attribute or a parameter.
type Part struct {
	Name string
	// Is says what it may be. Nil is anything. Parts of one operation with the same Constraint
	// are of the same type, or are the same attribute.
	Is *Constraint
	// Number is how many operands or results the part stands for.
	Number Number
}

// A Region describes a region.
type Region struct {
	Name   string
	Blocks int // 0 is any number
}

// A Number is how many operands or results a part stands for.
type Number int

const (
	Single   Number = iota // one
	Optional               // none or one
	Variadic               // any number
)

// A Constraint says what a type or an attribute may be. It may be nested 1000 deep, and consist of 65536 others, each
// counted wherever it is used.
type Constraint struct {
	op        string // of the irdl dialect
	text      string // its attribute
	attribute bool   // that is no type
	of        []*Constraint
}

// Anything returns a constraint that everything meets. Parts that share it are the same.
func Anything() *Constraint { return &Constraint{op: "irdl.any"} }

// Is returns a constraint that only this type or attribute meets.
func Is[T mlir.Type | mlir.Attribute](x T) *Constraint {
	c := &Constraint{op: "irdl.is", text: fmt.Sprint(x)}
	if a, ok := any(x).(mlir.Attribute); ok && !a.IsNil() {
		_, isType := a.TypeValue()
		c.attribute = !isType
	}
	return c
}

// OneOf returns a constraint that is met if one of these is.
func OneOf(of ...*Constraint) *Constraint { return &Constraint{op: "irdl.any_of", of: of} }

// AllOf returns a constraint that is met if all of these are.
func AllOf(of ...*Constraint) *Constraint { return &Constraint{op: "irdl.all_of", of: of} }

// Instance returns a constraint that the types or attributes of a Parametric meet, such
// as "cmath.complex", whose parameters meet these. The dialect is the one that is being defined or
// was defined before.
func Instance(name string, params ...*Constraint) *Constraint {
	return &Constraint{op: "irdl.parametric", text: name, of: params}
}

// Load defines the dialect in a context, which then parses, creates and verifies its types,
// attributes and operations as those of the library. It returns an *mlir.UnsupportedError if there
// are traits or verifiers and the library has none that are known to work, and an error if the
// dialect exists already.
func (d Dialect) Load(c *mlir.Context) error {
	text, err := d.irdl()
	if err != nil {
		return fmt.Errorf("define: the definition of the dialect %q: %w", d.Name, err)
	}
	for _, o := range d.Operations {
		if len(o.Traits) == 0 && o.Verify == nil {
			continue
		}
		if l := c.Library(); !l.Has(traits) {
			return &mlir.UnsupportedError{Library: l.Path(), Function: traits}
		}
	}
	m, err := c.Parse("the definition of "+d.Name, []byte(text))
	if err != nil {
		return err
	}
	defer m.Close()
	if err := c.LoadIRDL(m); err != nil {
		return err
	}
	for _, o := range d.Operations {
		if err := o.complete(c, d.Name+"."+o.Name); err != nil {
			return err
		}
	}
	return nil
}

// traits is a function that libraries have if traits and verifiers are known to work.
const traits = "mlirDynamicOpTraitAttach"

// complete adds the traits and the verifier to a loaded operation.
func (o Operation) complete(c *mlir.Context, name string) error {
	if len(o.Traits) > 0 {
		if err := c.AddTraits(name, o.Traits...); err != nil {
			return err
		}
	}
	if o.Verify != nil {
		return c.AddVerifier(name, o.Verify)
	}
	return nil
}

var (
	definition = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	part       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// irdl returns the definition as a module of the irdl dialect.
func (d Dialect) irdl() (string, error) {
	if !definition.MatchString(d.Name) {
		return "", fmt.Errorf("the name must match %s", definition)
	}
	w := &definitionWriter{dialect: d.Name, attributes: d.Attributes, parametric: map[string]Parametric{}}
	for _, p := range slices.Concat(d.Types, d.Attributes) {
		w.parametric[p.Name] = p
	}
	fmt.Fprintf(w, "irdl.dialect @%s {\n", d.Name)
	for _, kind := range []struct {
		op   string
		list []Parametric
	}{{"irdl.type", d.Types}, {"irdl.attribute", d.Attributes}} {
		for _, p := range kind.list {
			w.begin(kind.op, p.Name)
			for _, param := range p.Params {
				w.check(param.Number == Single, "the parameter %s of %s can only be single", param.Name, p.Name)
			}
			w.parts("irdl.parameters", p.Params)
			w.WriteString("  }\n")
		}
	}
	for _, o := range d.Operations {
		w.begin("irdl.operation", o.Name)
		for _, p := range slices.Concat(o.Operands, o.Results) {
			w.check(!w.onlyAttributes(p.Is), "the part %s of %s is a value, but only attributes meet its constraint",
				p.Name, o.Name)
		}
		w.parts("irdl.operands", o.Operands)
		w.parts("irdl.results", o.Results)
		w.operationAttributes(o)
		w.regions(o)
		for i, t := range o.Traits {
			w.check(t >= mlir.TraitTerminator && t <= mlir.TraitPure && !slices.Contains(o.Traits[:i], t),
				"the trait %s of %s is unknown, or there twice", t, o.Name)
		}
		w.WriteString("  }\n")
	}
	w.WriteString("}\n")
	return w.String(), w.err
}

// definitionWriter writes operations of the irdl dialect, and keeps the first error.
type definitionWriter struct {
	strings.Builder
	dialect    string
	attributes []Parametric
	parametric map[string]Parametric  // types and attributes by name
	seen       map[string]bool        // kinds and names of definitions
	values     map[*Constraint]*value // of the current definition
	n          int
	steps      int // of the search for contradictions
	err        error
}

// A value is a constraint that is written.
type value struct {
	name  string // "" while it is being written
	depth int
	size  int // of the tree that it stands for
}

// The library follows a constraint at each of its uses, one call in C for each level.
const (
	maxDepth = 1000
	maxSize  = 1 << 16
)

func (w *definitionWriter) check(ok bool, format string, args ...any) {
	if !ok && w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// begin begins a definition. Types and attributes cannot have one name, nor can operations.
func (w *definitionWriter) begin(op, name string) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	key := strings.TrimPrefix(op, "irdl.operation") + " " + name
	w.check(definition.MatchString(name), "the name %q must match %s", name, definition)
	w.check(!w.seen[key], "%s is defined twice", name)
	w.seen[key] = true
	w.values, w.n = map[*Constraint]*value{}, 0
	fmt.Fprintf(w, "  %s @%q {\n", op, name)
}

func (w *definitionWriter) next() string {
	w.n++
	return fmt.Sprintf("%%%d", w.n-1)
}

// value writes the operations of a constraint, unless it has been written for this definition,
// and returns it.
func (w *definitionWriter) value(c *Constraint) *value {
	if c == nil {
		c = Anything()
	}
	if v, ok := w.values[c]; ok {
		w.check(v.name != "", "a constraint contains itself")
		return v
	}
	v := &value{depth: 1, size: 1}
	w.values[c] = v
	var of []string
	for _, inner := range c.of {
		part := w.value(inner)
		v.depth, v.size = max(v.depth, part.depth+1), min(v.size+part.size, maxSize+1)
		of = append(of, part.name)
	}
	w.check(v.depth <= maxDepth, "a constraint is nested more than %d deep", maxDepth)
	w.check(v.size <= maxSize, "a constraint consists of more than %d, each counted wherever it is used", maxSize)
	v.name = w.next()
	fmt.Fprintf(w, "    %s = %s", v.name, c.op)
	switch c.op {
	case "irdl.any":
	case "irdl.is":
		w.WriteString(" " + c.text)
	case "irdl.parametric":
		dialect, rest, _ := strings.Cut(c.text, ".")
		w.check(definition.MatchString(dialect) && definition.MatchString(rest),
			"Instance has the name %q, which must be DIALECT.NAME", c.text)
		w.check(dialect == w.dialect, "Instance has the name %q of another dialect", c.text)
		w.instance(c, rest)
		fmt.Fprintf(w, " @%s::@%s<%s>", dialect, rest, strings.Join(of, ", "))
	default:
		w.check(len(of) > 0, "OneOf and AllOf need constraints")
		for i, a := range c.of {
			excludes := func(b *Constraint) bool { return w.disjoint(a, b) }
			w.check(c.op != "irdl.all_of" || !slices.ContainsFunc(c.of[:i], excludes),
				"AllOf has constraints that exclude each other")
		}
		fmt.Fprintf(w, "(%s)", strings.Join(of, ", "))
	}
	w.WriteString("\n")
	return v
}

func (w *definitionWriter) named(name string, seen map[string]bool) {
	w.check(part.MatchString(name) && !seen[name], "the name %q of a part must match %s and be there once", name, part)
	seen[name] = true
}

// parts writes operands, results or parameters.
func (w *definitionWriter) parts(op string, list []Part) {
	var texts []string
	seen := map[string]bool{}
	for _, p := range list {
		w.named(p.Name, seen)
		w.check(p.Number >= Single && p.Number <= Variadic, "the part %s has no such Number", p.Name)
		texts = append(texts,
			p.Name+": "+map[Number]string{Optional: "optional ", Variadic: "variadic "}[p.Number]+w.value(p.Is).name)
	}
	if len(texts) > 0 {
		fmt.Fprintf(w, "    %s(%s)\n", op, strings.Join(texts, ", "))
	}
}

func (w *definitionWriter) operationAttributes(o Operation) {
	var texts []string
	seen := map[string]bool{}
	for _, p := range o.Attributes {
		w.named(p.Name, seen)
		w.check(p.Number == Single, "the attribute %s of %s can only be single: check an optional one with Verify",
			p.Name, o.Name)
		texts = append(texts, fmt.Sprintf("%q = %s", p.Name, w.value(p.Is).name))
	}
	if len(texts) > 0 {
		fmt.Fprintf(w, "    irdl.attributes {%s}\n", strings.Join(texts, ", "))
	}
}

func (w *definitionWriter) regions(o Operation) {
	var texts []string
	seen := map[string]bool{}
	for _, r := range o.Regions {
		w.named(r.Name, seen)
		w.check(r.Blocks >= 0, "the region %s of %s has a negative number of blocks", r.Name, o.Name)
		name := w.next()
		fmt.Fprintf(w, "    %s = irdl.region", name)
		if r.Blocks > 0 {
			fmt.Fprintf(w, " with size %d", r.Blocks)
		}
		w.WriteString("\n")
		texts = append(texts, r.Name+": "+name)
	}
	if len(texts) > 0 {
		fmt.Fprintf(w, "    irdl.regions(%s)\n", strings.Join(texts, ", "))
	}
}
