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
	required []capi.MlirIdentifier // of these
}

// maxAttributeSets bounds what is kept of operations with ever other attributes.
const maxAttributeSets = 64

// complete reports whether an operation with the attributes is known to have what it
// needs, and notes in s which of them the library must take.
func (k *operationKind) complete(s *capi.OperationState) bool {
	for i := range k.made {
		if k.made[i].is(s.Attributes) {
			s.Required = k.made[i].required
			if i > 0 { // the next one is mostly like it
				k.made[0], k.made[i] = k.made[i], k.made[0]
			}
			return true
		}
	}
	s.Required = nil
	return false
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

// learn asks the library whether an operation, which was just made of c.creation, has the
// attributes that it needs, and remembers it. It is an error where one is missing.
func (c *Context) learn(kind *operationKind, op capi.MlirOperation) error {
	set := attributeSet{}
	for _, a := range c.creation.Attributes {
		set.names = append(set.names, a.Name)
	}
	if known, ok := c.lib.learned.find(c, kind.name, set.names); ok {
		set.required = known
	} else {
		answer, message := c.judge(kind, op, "")
		switch {
		case answer.lacks != "":
			return fmt.Errorf("mlir: %s needs the attribute %q, of the kind that its definition says", kind.name, answer.lacks)
		case answer.early && capi.MlirOperationGetNumRegions(c.lib.api, op) > 0:
			// Whether it is complete cannot be told, and what comes to stand in it may look.
			return fmt.Errorf("mlir: %s cannot be made so: %s", kind.name, message)
		case answer.early:
			return nil // Verify says what is wrong
		}
		for _, name := range set.names {
			text := c.text(name)
			if !capi.MlirOperationHasInherentAttributeByName(c.lib.api, op, text) {
				continue
			}
			if answer, _ := c.judge(kind, op, text); answer.lacks == text {
				set.required = append(set.required, name)
			}
		}
		c.lib.learned.keep(c, kind.name, set)
	}
	if len(kind.made) == maxAttributeSets {
		kind.made = kind.made[:maxAttributeSets/2]
	}
	kind.made = append(kind.made, set)
	for _, name := range set.required { // what was learned may be of another context
		if capi.MlirOperationGetAttributeByName(c.lib.api, op, c.text(name)).Ptr == nil {
			return c.notCreated(kind, slices.Index(set.required, name))
		}
	}
	return nil
}

// judgement is what the verifier says of the attributes that an operation needs.
type judgement struct {
	lacks string // one that is missing
	early bool   // it found something before it came to look at attributes
}

var (
	saysMissing = regexp.MustCompile(`^'[^']*' op requires attribute '([^']*)'`)
	// What is verified before attributes are, but for where an operation stands, which
	// is seen to when it is put there.
	saysEarly = regexp.MustCompile(`^'[^']*' op (requires (at least )?(zero|a single|one|\d+)( or more)? (operand|result|region|successor)|` +
		`(operand|result) count |'(operand|result)_?[sS]egment_?[sS]izes'|expects different number of (operands|results|regions|successors))`)
)

// judge asks the verifier what it says of the operation without the named attribute, and
// with nothing in its regions.
func (c *Context) judge(kind *operationKind, op capi.MlirOperation, without string) (judgement, string) {
	if kind.guard != nil && without != "" {
		// What is guarded would crash here.
		s := Operation{c.life, op}.state()
		s.Attributes = slices.DeleteFunc(s.Attributes, func(a NamedAttribute) bool { return a.Name == without })
		if kind.guarded(&s) != nil {
			return judgement{lacks: without}, ""
		}
	}
	c.takeDiagnostics("") // leftovers are not this one's
	if capi.VerifyBare(c.lib.api, op, without) {
		return judgement{}, ""
	}
	for _, d := range c.sink.Take() {
		if d.Severity != capi.MlirDiagnosticError {
			continue
		}
		if m := saysMissing.FindStringSubmatch(d.Message); m != nil {
			return judgement{lacks: m[1]}, d.Message
		}
		return judgement{early: saysEarly.MatchString(d.Message)}, d.Message
	}
	return judgement{}, ""
}

// removable panics where the operation needs the attribute of that name.
func (o Operation) removable(method, name string) {
	c := o.life.ctx
	kind := c.kind(o.Name())
	if !kind.registered || !capi.MlirOperationHasInherentAttributeByName(c.lib.api, o.raw, name) ||
		capi.MlirOperationGetAttributeByName(c.lib.api, o.raw, name).Ptr == nil {
		return
	}
	switch answer, message := c.judge(kind, o.raw, name); {
	case answer.lacks == name:
		panic(fmt.Sprintf("mlir: %s: %s needs the attribute %q: set another one in its place", method, kind.name, name))
	case answer.early && o.NumRegions() > 0:
		panic(fmt.Sprintf("mlir: %s: whether %s needs the attribute %q cannot be told: %s", method, kind.name, name, message))
	}
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
