// Package checkform reads the operations of StableHLO's dialect check in a text, whose form no library parses, and
// gives them the generic form. IREE has another dialect of that name, whose operations have their operands in
// parentheses.
package checkform

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/retext"
)

// Dialect is the namespace of the dialect.
const Dialect = "check"

// Definition defines the dialect in IRDL. It leaves out the attributes that may be missing.
const Definition = `irdl.dialect @check {
  irdl.operation @expect_eq_const {
    %0 = irdl.any
    %1 = irdl.any
    irdl.operands(lhs: %0)
    irdl.attributes { "value" = %1 }
  }
  irdl.operation @expect_almost_eq_const {
    %0 = irdl.any
    %1 = irdl.any
    irdl.operands(lhs: %0)
    irdl.attributes { "value" = %1 }
  }
  irdl.operation @expect_eq {
    %0 = irdl.any
    irdl.operands(lhs: %0, rhs: %0)
  }
  irdl.operation @expect_almost_eq {
    %0 = irdl.any
    irdl.operands(lhs: %0, rhs: %0)
  }
  irdl.operation @expect_close {
    %0 = irdl.any
    %1 = irdl.any
    irdl.operands(actual: %0, expected: %1)
  }
  irdl.operation @expect_serialized_eq {
    %0 = irdl.any
    %1 = irdl.any
    irdl.operands(expected: %0)
    irdl.attributes { "probe_id" = %1 }
  }
}`

// forms are what follows the names of the operations.
var forms = map[string]string{
	"check.expect_eq_const":        "%0, dense<…> : type",
	"check.expect_almost_eq_const": "%0, dense<…> : type, tolerance = number",
	"check.expect_eq":              "%0, %1 : type",
	"check.expect_almost_eq":       "%0, %1, tolerance = number : type",
	"check.expect_close":           "%0, %1, max_ulp_difference = number, min_ulp_difference = number : type, type",
	"check.expect_serialized_eq":   `%0, probe_id = "name", iter = number : type`,
}

// types are the types of attributes, which StableHLO's form leaves out.
var types = map[string]string{
	"tolerance": " : f64", "max_ulp_difference": " : ui64", "min_ulp_difference": " : ui64", "iter": " : ui32",
}

// A Text is a text with operations of the dialect.
type Text struct {
	text  []byte
	t     lex.Token     // the next piece
	end   int           // of the last one
	edits []retext.Edit // which give the operations the generic form
	wrong *Wrong
}

// A Wrong is an operation that has not its form.
type Wrong struct {
	Name, Form   string // and what should follow the name
	Line, Column int
}

// In returns nil for a text without operations of the dialect, or with one of IREE's.
func In(text []byte) *Text {
	if bytecode.Is(text) || !bytes.Contains(text, []byte(Dialect+".expect_")) {
		return nil
	}
	c := &Text{text: text}
	found := false
	for c.next(); c.t.Kind != lex.End; {
		t, name := c.t, string(text[c.t.Start:c.t.End])
		c.next()
		switch {
		case t.Kind == lex.String && forms[strings.Trim(name, `"`)] != "" && c.t.Kind == '(':
			found = true
			c.generic()
		case t.Kind != lex.Word || !strings.HasPrefix(name, Dialect+"."):
		case c.t.Kind == '(':
			return nil
		case forms[name] != "":
			found = true
			if edits := c.operation(t); edits != nil {
				c.edits = append(c.edits, edits...)
			} else if c.wrong == nil {
				line := 1 + bytes.Count(text[:t.Start], []byte("\n"))
				c.wrong = &Wrong{name, forms[name], line, t.Start - bytes.LastIndexByte(text[:t.Start], '\n')}
			}
		}
	}
	if !found {
		return nil
	}
	return c
}

// Wrong returns the first operation that has not its form, or nil.
func (c *Text) Wrong() *Wrong { return c.wrong }

// next reads a piece that is no comment.
func (c *Text) next() { c.seek(c.t.End) }

// seek goes on at a position.
func (c *Text) seek(at int) {
	c.end = at
	for c.t = lex.Piece(c.text, at); c.t.Kind == lex.Comment; c.t = lex.Piece(c.text, c.t.End) {
	}
}

// generic reads an operation in the generic form from its operands on. Its properties become attributes.
func (c *Text) generic() {
	c.group()
	open := c.t
	if open.Kind != '<' || !bytes.HasPrefix(c.text[open.End:], []byte("{")) {
		return
	}
	c.next()
	c.group()
	if c.t.Kind == '>' {
		c.edits = append(c.edits, retext.Put(open.Start, 1, " "), retext.Put(c.t.Start, 1, " "))
		c.next()
	}
}

// operation reads an operation behind its name, and returns nil if it has not its form.
func (c *Text) operation(name lex.Token) []retext.Edit {
	edits := []retext.Edit{retext.Put(name.Start, 0, `"`), retext.Put(name.End, 0, `"(`)}
	operands, attributes, valueType := 0, 0, ""
	end := name.End // of the last operand or attribute
	for comma := name.End; ; {
		if attributes == 0 && c.t.Kind == lex.Value {
			operands++
			if c.next(); c.t.Kind == lex.Attribute && c.t.Start == c.end { // the number of a result
				c.next()
			}
		} else if operands == 0 {
			return nil
		} else {
			if attributes++; attributes == 1 {
				edits = append(edits, retext.Put(end, 0, ")"), retext.Put(comma, 1, " {"))
			}
			start := c.t.Start
			if key, ok := c.key(); ok {
				if key == "iter" {
					edits = append(edits, retext.Put(start, len("iter"), "iteration"))
				}
				if !c.typed() {
					edits = append(edits, retext.Put(c.end, 0, types[key]))
				}
			} else {
				edits = append(edits, retext.Put(start, 0, "value = "))
				if !c.element() || c.t.Kind != ':' {
					return nil
				}
				c.next()
				if valueType = c.typeText(); valueType == "" {
					return nil
				}
			}
		}
		if end = c.end; c.t.Kind != ',' {
			break
		}
		comma = c.t.Start
		c.next()
	}
	switch hasMore := c.t.Kind == '{'; {
	case hasMore && attributes > 0:
		edits = append(edits, retext.Put(c.t.Start, 1, ","))
		c.group()
		end = c.end
	case attributes > 0:
		edits = append(edits, retext.Put(end, 0, "}"))
	default:
		edits = append(edits, retext.Put(end, 0, ")"))
		if hasMore {
			c.group()
		}
	}
	if valueType != "" {
		return append(edits, retext.Put(end, 0, " : ("+valueType+") -> ()"))
	}
	if c.t.Kind != ':' {
		return nil
	}
	c.next()
	from, number := c.t.Start, 0
	last := ""
	for {
		if last = c.typeText(); last == "" {
			return nil
		}
		number++
		if end = c.end; c.t.Kind != ',' {
			break
		}
		c.next()
	}
	rest := ") -> ()"
	if number < operands {
		rest = ", " + last + rest
	}
	return append(edits, retext.Put(from, 0, "("), retext.Put(end, 0, rest))
}

// key reads the name of an attribute and its value, a string or a number, if they are here.
func (c *Text) key() (name string, ok bool) {
	first := c.t
	second := lex.Piece(c.text, first.End)
	if first.Kind != lex.Word || second.Kind != '=' {
		return "", false
	}
	if c.seek(second.End); c.t.Kind == lex.String {
		c.next()
		return string(c.text[first.Start:first.End]), true
	}
	end := c.t.Start
	for end < len(c.text) && (lex.IsWord(c.text[end]) || c.text[end] == '-' || c.text[end] == '+') {
		end++
	}
	c.seek(end)
	return string(c.text[first.Start:first.End]), true
}

// typed reads the type of an attribute, if it is here.
func (c *Text) typed() bool {
	t := lex.Piece(c.text, c.t.End)
	if c.t.Kind != ':' || !slices.Contains([]string{"f64", "ui64", "ui32"}, string(c.text[t.Start:t.End])) {
		return false
	}
	c.seek(t.End)
	return true
}

// typeText reads a type and returns its text in one line, or "".
func (c *Text) typeText() string {
	start := c.t.Start
	if !c.element() {
		return ""
	}
	return string(bytes.Join(bytes.Fields(c.text[start:c.end]), []byte(" ")))
}

// element reads an attribute or a type: a word with what is in brackets behind it.
func (c *Text) element() bool {
	switch c.t.Kind {
	case lex.Word, lex.Number, lex.Attribute, lex.Type:
		if c.next(); c.t.Kind == '<' {
			return c.group()
		}
		return true
	}
	return false
}

// group reads what is in brackets, of which the first is here, and reports whether the last one is there.
func (c *Text) group() bool {
	for depth := 0; c.t.Kind != lex.End; {
		switch c.t.Kind {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			depth--
		}
		if c.next(); depth == 0 {
			return true
		}
	}
	return false
}

// Generic returns the text in which the operations have the generic form.
func (c *Text) Generic() *retext.Text { return retext.New(c.text, c.edits) }
