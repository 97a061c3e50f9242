package mlir

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// An operation without an attribute that its definition requires ends the process when
// the library writes or prints it, or verifies operations in it: the library reads the
// attribute without a check. So such operations are not created, and such attributes are
// not removed. Only the library's verifier knows which attributes are required. Its answer for
// an operation name and a set of attribute names is valid for all operations with these.

// attributeSet is a set of attribute names with which an operation is complete.
type attributeSet struct {
	names    []capi.MlirIdentifier // in the order given
	values   []capi.MlirAttribute  // the last ones that were accepted
	required []capi.MlirIdentifier // those of names that are inherent: see learn
	counts   [4]int                // of an operation with regions: see countsOf
}

// countsOf returns the numbers of regions, operands, results and successors of an
// operation with regions, which the verifiers of nested operations read. It returns zeros
// for others.
func countsOf(s *capi.OperationState, regions, successors int) (counts [4]int) {
	if regions == 0 {
		return counts
	}
	return [4]int{regions, len(s.Operands), len(s.Results), successors}
}

// maxAttributeSets bounds the sets kept for one kind of operation.
const maxAttributeSets = 64

// complete reports whether an operation with these attribute names is known to have what
// it needs, and whether the library has accepted these values. It sets s.Required to the
// attributes that the library must accept.
func (k *operationKind) complete(s *capi.OperationState, counts [4]int) (complete, tried bool) {
	for i := range k.made {
		if !k.made[i].is(s.Attributes) || k.made[i].counts != counts {
			continue
		}
		if i > 0 { // the next operation is usually like this one
			k.made[0], k.made[i] = k.made[i], k.made[0]
		}
		s.Required = nil
		if tried = k.made[0].tried(s.Attributes); !tried {
			s.Required = k.made[0].required
		}
		return true, tried
	}
	s.Required = nil
	return false, false
}

func (a *attributeSet) is(list []capi.MlirNamedAttribute) bool {
	if len(a.names) != len(list) {
		return false
	}
	for i := range list {
		if a.names[i] != list[i].Name {
			return false
		}
	}
	return true
}

// tried reports whether the library has accepted the same values before, and keeps them.
func (a *attributeSet) tried(list []capi.MlirNamedAttribute) bool {
	same := true
	for i := range list {
		if a.values[i] != list[i].Attribute {
			a.values[i], same = list[i].Attribute, false
		}
	}
	return same
}

// learn asks the library whether an operation that was just created from c.creation has
// the attributes that it needs, and keeps the answer. It returns an error if one is
// missing, or if the library did not take one. It drops an inherent attribute of the wrong
// kind, also one that has a default, and then crashes when it prints the operation.
func (c *Context) learn(kind *operationKind, op capi.MlirOperation) error {
	set := attributeSet{counts: countsOf(&c.creation, len(c.creation.Regions), len(c.creation.Successors))}
	for _, a := range c.creation.Attributes {
		set.names, set.values = append(set.names, a.Name), append(set.values, a.Attribute)
	}
	if known, ok := c.lib.learned.find(c, kind.name, set.names); ok {
		set.required = known
		if capi.MlirOperationGetNumRegions(c.api, op) > 0 {
			if err := c.sound(kind, op); err != nil {
				return err
			}
		}
	} else {
		answer, message := c.askVerifier(kind, op, "")
		if err := answer.refuses(c, kind, op, message); err != nil {
			return err
		}
		if answer.early {
			return nil // Verify reports the error
		}
		for _, name := range set.names {
			if c.hasInherent(op, c.text(name)) {
				set.required = append(set.required, name)
			}
		}
		c.lib.learned.keep(c, kind.name, set)
	}
	if len(kind.made) == maxAttributeSets {
		kind.made = kind.made[:maxAttributeSets/2]
	}
	for i, name := range set.required { // learned from an operation that may have had other attributes
		if capi.MlirOperationGetAttributeByName(c.api, op, c.text(name)).Ptr == nil {
			c.creation.Required = set.required
			return c.notCreated(kind, i)
		}
	}
	kind.made = append(kind.made, set)
	kind.plain = kind.plain || len(set.names) == 0 && set.counts == [4]int{}
	return nil
}

// sound returns an error if an operation lacks what the operations in its regions will
// read.
func (c *Context) sound(kind *operationKind, op capi.MlirOperation) error {
	answer, message := c.askVerifier(kind, op, "")
	return answer.refuses(c, kind, op, message)
}

func (a verifierAnswer) refuses(c *Context, kind *operationKind, op capi.MlirOperation, message string) error {
	regions := capi.MlirOperationGetNumRegions(c.api, op) > 0
	switch {
	case a.missing != "":
		return fmt.Errorf("mlir: %s needs the attribute %q, of the kind in its definition", kind.name, a.missing)
	case a.invalid != "" && regions, a.early && regions:
		return fmt.Errorf("mlir: cannot create %s: %s", kind.name, message)
	}
	return nil
}

// verifierAnswer is the verifier's answer about the attributes of an operation.
type verifierAnswer struct {
	missing  string             // a missing attribute
	invalid  string             // an attribute that violates its definition
	early    bool               // an error was found before attributes were checked
	fallback capi.MlirAttribute // the default for the attribute that was left out
}

var (
	matchMissing = lazyregexp.New(`^'[^']*' op requires attribute '([^']*)'`)
	matchInvalid = lazyregexp.New(`^'[^']*' op attribute '([^']*)' failed to satisfy constraint`)
	// Errors that are found before attributes are checked. The operation's parent is not
	// among them: it is checked on insertion.
	matchEarly = lazyregexp.New(`^'[^']*' op (requires (at least )?(zero|a single|one|\d+)( or more)? (operand|result|region|successor)|` +
		`(operand|result) count |'(operand|result)_?[sS]egment_?[sS]izes'|expects different number of (operands|results|regions|successors))`)
)

// askVerifier asks the verifier about the operation without the named attribute and with
// empty regions, and the library for the default of that attribute.
//
// It asks the verifier only in the two libraries with the C API of StableHLO, whose verifiers were tried
// with every operation, and for dialects that do not look for a parent or into empty regions
// before they look at the attributes. Other verifiers crash.
func (c *Context) askVerifier(kind *operationKind, op capi.MlirOperation, without string) (verifierAnswer, string) {
	if dialect, _, _ := strings.Cut(kind.name, "."); !c.api.Has("stablehloGetCurrentVersion") ||
		!slices.Contains(askedDialects, dialect) {
		return verifierAnswer{fallback: capi.DefaultAttribute(c.api, op, without)}, ""
	}
	if kind.guard != nil && without != "" {
		// Guarded operations would crash here.
		s := c.operation(op).state()
		s.Attributes = slices.DeleteFunc(s.Attributes, func(a NamedAttribute) bool { return a.Name == without })
		if kind.guarded(&s) != nil {
			return verifierAnswer{missing: without}, ""
		}
	}
	c.takeDiagnostics("") // discard earlier diagnostics
	ok, fallback := capi.VerifyBare(c.api, op, without)
	answer := verifierAnswer{fallback: fallback}
	if ok {
		return answer, ""
	}
	for _, d := range c.sink.Take() {
		if d.Severity != capi.MlirDiagnosticError {
			continue
		}
		if m := matchMissing().FindStringSubmatch(d.Message); m != nil {
			answer.missing = m[1]
		} else if m := matchInvalid().FindStringSubmatch(d.Message); m != nil {
			answer.invalid = m[1]
		} else {
			answer.early = matchEarly().MatchString(d.Message)
		}
		return answer, d.Message
	}
	return answer, ""
}

// remove removes an attribute of the operation, or sets it to its default. It panics if
// the operation requires it.
func (o Operation) remove(method, name string, remove func() bool) bool {
	c := o.life.ctx
	kind := c.kind(o.Name())
	if !kind.registered || !c.hasInherent(o.raw, name) ||
		capi.MlirOperationGetAttributeByName(c.api, o.raw, name).Ptr == nil {
		return remove()
	}
	switch answer, message := c.askVerifier(kind, o.raw, name); {
	case answer.fallback.Ptr != nil:
		capi.MlirOperationSetAttributeByName(c.api, o.raw, name, answer.fallback)
		return true
	case answer.missing == name:
		panic(fmt.Sprintf("mlir: %s: %s needs the attribute %q: set another value instead", method, kind.name, name))
	case answer.early && o.NumRegions() > 0:
		panic(fmt.Sprintf("mlir: %s: cannot find out whether %s needs the attribute %q: %s", method, kind.name, name,
			message))
	}
	return remove()
}

// odd reports whether the library would crash on an attribute that was just set, or whether the attribute
// violates the operation's definition and operations in its regions would read it.
func (o Operation) odd(name string) bool {
	c := o.life.ctx
	if o.guarded() != nil {
		return true
	}
	if capi.MlirOperationGetNumRegions(c.api, o.raw) == 0 || !c.hasInherent(o.raw, name) {
		return false
	}
	answer, _ := c.askVerifier(c.kind(o.Name()), o.raw, "")
	return answer.invalid == name || answer.missing == name
}

// askedDialects are the dialects whose verifiers are asked.
var askedDialects = strings.Fields(`arith async builtin cf chlo complex func gpu index irdl llvm math memref mhlo
	mosaic_gpu nvgpu nvvm quant scf sdy shape sparse_tensor stablehlo tensor tpu tt ub vector`)

// learned holds the verifiers' answers. The contexts of a library share it. It may be used
// concurrently.
type learned struct {
	mu  sync.Mutex
	set map[string][]string // required attributes by operation name and attribute names
}

func learnedKey(c *Context, operation string, names []capi.MlirIdentifier) string {
	var b strings.Builder
	b.WriteString(operation)
	for _, name := range names {
		b.WriteByte(0)
		b.WriteString(c.text(name))
	}
	return b.String()
}

func (l *learned) find(
	c *Context, operation string, names []capi.MlirIdentifier,
) (required []capi.MlirIdentifier, ok bool) {
	if len(c.defined) > 0 {
		return nil, false
	}
	l.mu.Lock()
	list, ok := l.set[learnedKey(c, operation, names)]
	l.mu.Unlock()
	for _, name := range list {
		required = append(required, c.identifier(name))
	}
	return required, ok
}

// maxLearned bounds the answers that are kept.
const maxLearned = 1 << 14

func (l *learned) keep(c *Context, operation string, set attributeSet) {
	if len(c.defined) > 0 {
		return
	}
	var required []string
	for _, name := range set.required {
		required = append(required, c.text(name))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set == nil || len(l.set) == maxLearned {
		l.set = map[string][]string{}
	}
	l.set[learnedKey(c, operation, set.names)] = required
}
