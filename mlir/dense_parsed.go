package mlir

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
)

// The library's parser accepts two numbers, as of a complex element, for an element of another
// type, and its reader of bytecode accepts any number of bytes. Then the elements do not fit their
// type, and the library crashes or reads other memory when it prints them.

// misfits returns what a parsed operation and those in its regions have of dense elements that do
// not fit their type, or nil.
func (c *Context) misfits(op capi.MlirOperation) error {
	dense, message := c.misfitIn(capi.DenseIn(c.api, op))
	if message == "" {
		return nil
	}
	for inner := op; inner.Ptr != nil; {
		op, inner = inner, capi.MlirOperation{}
		for _, child := range capi.AppendChildren(c.api, op, nil) {
			if slices.Contains(capi.DenseIn(c.api, child.Operation), dense) {
				inner = child.Operation
				break
			}
		}
	}
	name := c.text(capi.MlirOperationGetName(c.api, op))
	return &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{
		Position: c.location(capi.MlirOperationGetLocation(c.api, op)).Position(),
		Message:  "'" + name + "' op has " + message,
	}}}
}

// misfitIn returns the first dense elements in a list that do not fit their type, and says what is
// wrong.
func (c *Context) misfitIn(list []capi.MlirAttribute) (capi.MlirAttribute, string) {
	for _, dense := range list {
		if message := c.misfit(dense); message != "" {
			return dense, message
		}
	}
	return capi.MlirAttribute{}, ""
}

// misfit says how dense elements do not fit their type.
func (c *Context) misfit(dense capi.MlirAttribute) string {
	t := c.typ(capi.MlirAttributeGetType(c.api, dense))
	n, ok := t.NumElements()
	elem, _ := t.Element()
	stored := int64(capi.DenseStored(c.api, dense))
	if !ok || stored < 0 {
		return ""
	}
	splat := n > 0 && capi.MlirDenseElementsAttrIsSplat(c.api, dense)
	if splat {
		n = 1
	}
	l, hasLayout := elementLayout(elem)
	what, want := "bytes", n*int64(l.bytes)
	switch {
	case isStringElements(c.api, dense):
		what, want = "strings", n
	case !hasLayout:
		return ""
	case l.bits == 1 && l.kind == KindInteger && !splat && c.packsBooleans():
		want = (n + 7) / 8
	}
	if stored == want || n == 0 && stored == int64(l.bytes) { // dense<0>
		return ""
	}
	return fmt.Sprintf("dense elements of type %s with %d %s instead of %d", t, stored, what, want)
}

// packsBooleans reports whether the library stores eight booleans in a byte.
func (c *Context) packsBooleans() bool {
	c.packed.once.Do(func() {
		dim := int64(9)
		i1 := capi.MlirIntegerTypeGet(c.api, c.raw, 1)
		t := capi.MlirRankedTensorTypeGet(c.api, 1, &dim, i1, capi.MlirAttribute{})
		values := make([]int32, 9)
		values[0] = 1
		c.packed.yes = capi.DenseStored(c.api, capi.MlirDenseElementsAttrBoolGet(c.api, t, len(values), &values[0])) ==
			2
	})
	return c.packed.yes
}

// mayMisfit reports whether a text may have elements that do not fit their type: a parenthesis
// in a literal. Strings and comments, in which there may be brackets, count, too.
func mayMisfit(text []byte) bool {
	for _, word := range []string{"dense", "parse"} { // of sparse: a search for a rare first byte is faster
		for rest := text; ; {
			at := lex.Index(rest, word)
			if at < 0 {
				break
			}
			rest = bytes.TrimLeft(rest[at+len(word):], " \t\r\n")
			if bytes.HasPrefix(rest, []byte("/")) {
				return true
			}
			literal, found := bytes.CutPrefix(rest, []byte("<"))
			if !found {
				continue
			}
			literal = bytes.TrimLeft(literal, " \t\r\n")
			if hex, found := bytes.CutPrefix(literal, []byte(`"0x`)); found {
				rest = hex // has no brackets
				continue
			}
			if end := bytes.IndexByte(literal, '>'); end >= 0 {
				rest, literal = literal[end:], literal[:end]
			}
			if bytes.ContainsAny(literal, `("/`) {
				return true
			}
		}
	}
	return false
}
