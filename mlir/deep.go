package mlir

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
)

// The library recurses once for each level of nesting. On the stack of Go's threads, a few
// thousand levels end the process. Once a context is given anything nested so deeply, it
// makes recursive calls on a thread with a large stack, which takes about 70 µs each time.
// Other contexts do not.

const (
	// maxNesting is the deepest nesting of a text that is parsed on the normal stack.
	maxNesting = 1000
	// maxShallow is the longest bytecode that is read on the normal stack. Its nesting is
	// not known before it is read.
	maxShallow = 8 << 10
	// maxDeep is about the deepest nesting that the large stack is used for. It has room for
	// twice as much of what takes most of it, the parser.
	maxDeep = 1 << 17
)

// expect prepares the context for parsing the text of an attribute or a type.
func (c *Context) expect(text string) {
	c.loadNamed([]byte(text))
	if !c.shardy && strings.Contains(text, shardyform.Dialect) && mentionsShardy([]byte(text)) {
		_ = c.LoadDialect(shardyform.Dialect)
	}
	c.foresee(text)
}

// foresee prepares the context for the nesting of a text.
func (c *Context) foresee(text string) {
	if len(text) > maxNesting && !c.roomy() && deeplyNested(text) {
		c.deepen()
	}
}

// roomy reports whether the library may recurse deeply in the next call.
func (c *Context) roomy() bool {
	return c.api.Deep() || !c.threads && capi.IsLargeStack() // the library's own threads have small stacks
}

// deepen makes all recursive calls from now on use a large stack.
func (c *Context) deepen() {
	if c.threads {
		capi.MlirContextEnableMultithreading(c.api, c.raw, false)
	}
	c.api.SetDeep(true)
	c.held.deep = true
}

// deeplyNested reports whether a text is, or may be, nested deeper than maxNesting, by
// brackets, operators or prefixes.
func deeplyNested(text string) bool {
	brackets := strings.Count(text, "(") + strings.Count(text, "[") + strings.Count(text, "{") +
		strings.Count(text, "<")
	if brackets <= maxNesting && !strings.HasPrefix(text, "affine_") {
		return false
	}
	if strings.HasPrefix(text, "affine_") && len(text) > 2*maxNesting {
		return true // chains of operators recurse too
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"': // skip strings
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
		case '>': // part of -> and >= too, which have no <
			if i > 0 && text[i-1] != '-' && !strings.HasPrefix(text[i:], ">=") {
				depth = max(0, depth-1)
			}
		}
	}
	return false
}

// parse calls parse, which returns an operation, on a large stack if it may need one.
// source is the text to parse. It destroys the operation and returns an error if the library
// should not have accepted it.
func (c *Context) parse(data []byte, source string, parse func() pointer) error {
	c.loadNamed(data)
	bytecode := IsBytecode(data)
	if !bytecode {
		c.foresee(source)
	}
	var op capi.MlirOperation
	if (bytecode && len(data) > maxShallow || !bytecode && manyAliases(source)) && !c.roomy() {
		op.Ptr = c.parseDeep(data, parse)
	} else {
		c.asks(func() { op.Ptr = parse() })
	}
	if op.Ptr == nil || !bytecode && !mayMisfit(data) {
		return nil
	}
	err := c.misfits(op)
	if err != nil {
		capi.MlirOperationDestroy(c.api, op)
	}
	return err
}

// manyAliases reports whether a text may define as many aliases as deep nesting takes. What an alias
// names may use earlier aliases, so lines that are not nested may be deep.
func manyAliases(text string) bool {
	count := func(hash, mark string) int { return strings.Count(text, hash) + strings.Count(text, mark) }
	return count("#", "!") >= maxNesting && count("\n#", "\n!") >= maxNesting // the first count is the fast one
}

// parseDeep calls parse, which reads what may turn out to be nested deeply, on a large stack.
func (c *Context) parseDeep(data []byte, parse func() pointer) (op pointer) {
	c.api.SetDeep(true)
	c.asks(func() { op = parse() })
	c.api.SetDeep(false)
	if op != nil && capi.DeepRead(c.api, capi.MlirOperation{Ptr: op}, len(data)) {
		c.deepen()
	}
	return op
}

// sampled reports whether a composed object should be checked for deep nesting. It selects
// about one in 64: deep nesting takes many objects. The selection is hashed, so a program
// that alternates between two kinds of objects does not hide one of them.
func (c *Context) sampled() bool {
	c.composed++
	return c.composed*0x9e3779b97f4a7c15>>58 == 0 && !c.api.Deep()
}

// compose checks how deeply a composed object is nested, if it should be checked. Objects that
// are too deep for the large stack are looked for when there are deep ones.
func (c *Context) compose(deep func(n int) bool) {
	if c.sampled() && deep(maxNesting) {
		c.deepen()
	}
	if c.api.Deep() && c.composed*0x9e3779b97f4a7c15>>52 == 0 && deep(maxDeep) {
		c.tooDeep()
	}
}

func (c *Context) tooDeep() {
	panic(fmt.Sprintf("mlir: types, attributes or locations are nested more than %d levels deep: nest them less",
		maxDeep))
}

func (c *Context) composedAttribute(a capi.MlirAttribute) Attribute {
	c.compose(func(n int) bool { return capi.DeepAttribute(c.api, a, n) })
	return c.attribute(a)
}

func (c *Context) composedType(t capi.MlirType) Type {
	c.compose(func(n int) bool { return capi.DeepType(c.api, t, n) })
	return c.typ(t)
}

// composedLocation also takes the parts, which libraries before LLVM 21 cannot read.
func (c *Context) composedLocation(l capi.MlirLocation, parts ...capi.MlirLocation) Location {
	if c.api.Has("mlirLocationNameGetChildLoc") {
		c.compose(func(n int) bool { return capi.DeepAttribute(c.api, capi.MlirLocationGetAttribute(c.api, l), n) })
		return c.location(l)
	}
	depth := 1
	for _, part := range parts {
		depth = max(depth, c.depths[part]+1)
	}
	if depth > maxNesting && !c.api.Deep() {
		c.deepen()
	}
	if depth > maxDeep {
		c.tooDeep()
	}
	if c.depths == nil {
		c.depths = map[capi.MlirLocation]int{}
	}
	if _, known := c.depths[l]; !known { // a fused location may be its only part
		c.depths[l] = depth
	}
	return c.location(l)
}

// deepLooks bounds the operations checked in a sampled one.
const deepLooks = 1 << 14

func (c *Context) composedOperation(op capi.MlirOperation) {
	if c.sampled() && capi.DeepOperation(c.api, op, deepLooks) {
		c.deepen()
	}
}
