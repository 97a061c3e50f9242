package mlir

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// An operation without an attribute that its definition requires ends the process, where
// the library writes it, prints it, or verifies what is in it: these read the attribute
// and do not ask whether it is there. So no such operation is made, and no such attribute
// removed. What is required only the library knows: its verifier says so, and what it
// said of the operations of one name with the same attributes holds for all of them.

// attributeSet are names of attributes with which an operation is complete.
type attributeSet struct {
	names    []capi.MlirIdentifier // in the order in which they were given
	values   []capi.MlirAttribute  // that were taken last
	required []capi.MlirIdentifier // of the names: what it needs, and what has a default
	counts   [4]int                // of an operation with regions, which others look at: see countsOf
}

// countsOf is how many regions, operands, results and successors an operation with regions
// has, nothing for others.
func countsOf(s *capi.OperationState, regions, successors int) (counts [4]int) {
	if regions == 0 {
		return counts
	}
	return [4]int{regions, len(s.Operands), len(s.Results), successors}
}

// maxAttributeSets bounds what is kept of operations with ever other attributes.
const maxAttributeSets = 64

// complete reports whether an operation with attributes of these names is known to have
// what it needs, and whether it is with these very values. It notes in s which of them
// the library must take.
func (k *operationKind) complete(s *capi.OperationState, counts [4]int) (complete, tried bool) {
	for i := range k.made {
		if !k.made[i].is(s.Attributes) || k.made[i].counts != counts {
			continue
		}
		if i > 0 { // the next one is mostly like it
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

// tried reports whether the library has taken the same values before, and keeps them.
func (a *attributeSet) tried(list []capi.MlirNamedAttribute) bool {
	same := true
	for i := range list {
		if a.values[i] != list[i].Attribute {
			a.values[i], same = list[i].Attribute, false
		}
	}
	return same
}

// learn asks the library whether an operation, which was just made of c.creation, has the
// attributes that it needs, and remembers it. It is an error where one is missing.
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
		answer, message := c.judge(kind, op, "")
		if err := answer.refuses(c, kind, op, message); err != nil {
			return err
		}
		if answer.early {
			return nil // Verify says what is wrong
		}
		for _, name := range set.names {
			text := c.text(name)
			if !capi.MlirOperationHasInherentAttributeByName(c.api, op, text) {
				continue
			}
			if answer, _ := c.judge(kind, op, text); answer.lacks == text || answer.given.Ptr != nil {
				set.required = append(set.required, name)
			}
		}
		c.lib.learned.keep(c, kind.name, set)
	}
	if len(kind.made) == maxAttributeSets {
		kind.made = kind.made[:maxAttributeSets/2]
	}
	for i, name := range set.required { // what was learned may be of another one
		if capi.MlirOperationGetAttributeByName(c.api, op, c.text(name)).Ptr == nil {
			c.creation.Required = set.required
			return c.notCreated(kind, i)
		}
	}
	kind.made = append(kind.made, set)
	kind.plain = kind.plain || len(set.names) == 0 && set.counts == [4]int{}
	return nil
}

// sound is an error where an operation lacks what those that come to stand in its regions
// read of it.
func (c *Context) sound(kind *operationKind, op capi.MlirOperation) error {
	answer, message := c.judge(kind, op, "")
	return answer.refuses(c, kind, op, message)
}

func (j judgement) refuses(c *Context, kind *operationKind, op capi.MlirOperation, message string) error {
	regions := capi.MlirOperationGetNumRegions(c.api, op) > 0
	switch {
	case j.lacks != "":
		return fmt.Errorf("mlir: %s needs the attribute %q, of the kind that its definition says", kind.name, j.lacks)
	case j.odd != "" && regions, j.early && regions:
		return fmt.Errorf("mlir: %s cannot be made so: %s", kind.name, message)
	}
	return nil
}

// judgement is what the verifier says of the attributes that an operation needs.
type judgement struct {
	lacks string             // one that is missing
	odd   string             // one that is not what the definition says
	early bool               // it found something before it came to look at attributes
	given capi.MlirAttribute // what the library puts in place of the one that is left out
}

var (
	saysMissing = regexp.MustCompile(`^'[^']*' op requires attribute '([^']*)'`)
	saysOdd     = regexp.MustCompile(`^'[^']*' op attribute '([^']*)' failed to satisfy constraint`)
	// What is verified before attributes are, but for where an operation stands, which
	// is seen to when it is put there.
	saysEarly = regexp.MustCompile(`^'[^']*' op (requires (at least )?(zero|a single|one|\d+)( or more)? (operand|result|region|successor)|` +
		`(operand|result) count |'(operand|result)_?[sS]egment_?[sS]izes'|expects different number of (operands|results|regions|successors))`)
)

// judge asks the verifier what it says of the operation without the named attribute, and
// with nothing in its regions.
//
// It is asked only in a library with the C API of StableHLO, the default one, all of whose
// verifiers were tried. Those of others crash on some operations that stand in nothing,
// or that have nothing in their regions.
func (c *Context) judge(kind *operationKind, op capi.MlirOperation, without string) (judgement, string) {
	if !c.api.Has("stablehloGetCurrentVersion") {
		return judgement{}, ""
	}
	if kind.guard != nil && without != "" {
		// What is guarded would crash here.
		s := c.operation(op).state()
		s.Attributes = slices.DeleteFunc(s.Attributes, func(a NamedAttribute) bool { return a.Name == without })
		if kind.guarded(&s) != nil {
			return judgement{lacks: without}, ""
		}
	}
	c.takeDiagnostics("") // leftovers are not this one's
	ok, given := capi.VerifyBare(c.api, op, without)
	answer := judgement{given: given}
	if ok {
		return answer, ""
	}
	for _, d := range c.sink.Take() {
		if d.Severity != capi.MlirDiagnosticError {
			continue
		}
		if m := saysMissing.FindStringSubmatch(d.Message); m != nil {
			answer.lacks = m[1]
		} else if m := saysOdd.FindStringSubmatch(d.Message); m != nil {
			answer.odd = m[1]
		} else {
			answer.early = saysEarly.MatchString(d.Message)
		}
		return answer, d.Message
	}
	return answer, ""
}

// remove removes an attribute that the operation has, or sets it to its default. It
// panics where the operation needs it.
func (o Operation) remove(method, name string, remove func() bool) bool {
	c := o.life.ctx
	kind := c.kind(o.Name())
	if !kind.registered || !capi.MlirOperationHasInherentAttributeByName(c.api, o.raw, name) ||
		capi.MlirOperationGetAttributeByName(c.api, o.raw, name).Ptr == nil {
		return remove()
	}
	switch answer, message := c.judge(kind, o.raw, name); {
	case answer.given.Ptr != nil:
		capi.MlirOperationSetAttributeByName(c.api, o.raw, name, answer.given)
		return true
	case answer.lacks == name:
		panic(fmt.Sprintf("mlir: %s: %s needs the attribute %q: set another one in its place", method, kind.name, name))
	case answer.early && o.NumRegions() > 0:
		panic(fmt.Sprintf("mlir: %s: whether %s needs the attribute %q cannot be told: %s", method, kind.name, name, message))
	}
	return remove()
}

// odd reports whether an attribute that was just set is not what the operation's
// definition says, where what stands in its regions would read it.
func (o Operation) odd(name string) bool {
	c := o.life.ctx
	if capi.MlirOperationGetNumRegions(c.api, o.raw) == 0 || !capi.MlirOperationHasInherentAttributeByName(c.api, o.raw, name) {
		return false
	}
	if o.guarded() != nil {
		return true
	}
	answer, _ := c.judge(c.kind(o.Name()), o.raw, "")
	return answer.odd == name || answer.lacks == name
}

// learned is what the contexts of a library share of what its verifiers said. It may be
// used concurrently.
type learned struct {
	mu  sync.Mutex
	set map[string][]string // what is required, by the name of the operation and of the attributes
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

func (l *learned) find(c *Context, operation string, names []capi.MlirIdentifier) (required []capi.MlirIdentifier, ok bool) {
	if c.defines {
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

// maxLearned bounds what is kept for a process that gives operations ever other attributes.
const maxLearned = 1 << 14

func (l *learned) keep(c *Context, operation string, set attributeSet) {
	if c.defines {
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
