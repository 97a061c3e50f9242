package mlir

import (
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// The library recurses once for each level of nesting, and on the stack that Go's threads
// have a few thousand levels end the process. A context that is given anything nested so
// deeply calls what recurses on a thread with a large stack from then on, which takes some
// 70 µs each time; all others do not.

const (
	// maxNesting is how deep a text may be nested for the common stack.
	maxNesting = 1000
	// maxShallow is how long bytecode may be for the common stack: what is in it cannot be
	// told before it is read.
	maxShallow = 8 << 10
)

// expect is told of a text before it is parsed.
func (c *Context) expect(text string) {
	if len(text) > maxNesting && !c.api.Deep() && deeplyNested(text) {
		c.deepen()
	}
}

// deepen has all that recurses called on a large stack from now on.
func (c *Context) deepen() {
	if c.threads { // the library's own threads have none
		capi.MlirContextEnableMultithreading(c.api, c.raw, false)
	}
	c.api.SetDeep(true)
}

// deeplyNested reports whether a text is, or may be, nested deeper than maxNesting: by
// brackets, or by operators and prefixes that have none.
func deeplyNested(text string) bool {
	brackets := strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") + strings.Count(text, "<")
	if brackets <= maxNesting && !strings.HasPrefix(text, "affine_") {
		return false
	}
	if strings.HasPrefix(text, "affine_") && len(text) > 2*maxNesting {
		return true // chains of operators recurse too
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"': // what is in a string is no nesting
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
					i += end
				} else {
					return false
				}
			}
		case '(', '[', '{', '<':
			if depth++; depth > maxNesting {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		case '>': // of -> and >= too, but for these there is no <
			if i > 0 && text[i-1] != '-' && !strings.HasPrefix(text[i:], ">=") {
				depth = max(0, depth-1)
			}
		}
	}
	return false
}

// parse calls a parser, which gives an operation, on a large stack where it may need one.
// source is what it reads.
func (c *Context) parse(data []byte, source string, parse func() pointer) {
	if !IsBytecode(data) {
		c.expect(source)
		parse()
		return
	}
	if len(data) <= maxShallow || c.api.Deep() {
		parse()
		return
	}
	c.api.SetDeep(true)
	op := parse()
	c.api.SetDeep(false)
	if op != nil && capi.DeepOperation(c.api, capi.MlirOperation{Ptr: op}, len(data)) {
		c.deepen()
	}
}

// sampled reports, of every 64th thing that is made of others, that it is to be looked at:
// what is nested deeply is made of many. Which ones those are has no simple order, so that
// a program which makes two kinds in turns does not hide one of them.
func (c *Context) sampled() bool {
	c.composed++
	return c.composed*0x9e3779b97f4a7c15>>58 == 0 && !c.api.Deep()
}

func (c *Context) composedAttribute(a capi.MlirAttribute) Attribute {
	if c.sampled() && capi.DeepAttribute(c.api, a) {
		c.deepen()
	}
	return c.attribute(a)
}

func (c *Context) composedType(t capi.MlirType) Type {
	if c.sampled() && capi.DeepType(c.api, t) {
		c.deepen()
	}
	return c.typ(t)
}

// deepLooks is how many operations are looked at in a sampled one.
const deepLooks = 1 << 14

func (c *Context) composedOperation(op capi.MlirOperation) {
	if c.sampled() && capi.DeepOperation(c.api, op, deepLooks) {
		c.deepen()
	}
}
