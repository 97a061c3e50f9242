package mlir

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/lazyregexp"
	"github.com/calliope-mlir/calliope/internal/lex"
)

var (
	checkStart   = lazyregexp.New(`//|"|\bcheck\.\w+`)
	checkString  = lazyregexp.New(`^"((?:[^"\\\n]|\\.)*)"`)
	checkOperand = lazyregexp.New(`^%[\w$.#-]+`)
	checkKey     = lazyregexp.New(`^(\w+)\s*=\s*(?:"(?:[^"\\\n]|\\.)*"|[-+\w.]+)`)
	checkType    = lazyregexp.New(`^\s*:\s*(?:f64|ui64|ui32)\b`)
	checkWord    = lazyregexp.New(`^[#!]?[\w$.]+`)
	checkSpace   = lazyregexp.New(`^(?:\s|//.*)+`)
)

// checkTypes are the types of attributes, which StableHLO's form leaves out.
var checkTypes = map[string]string{
	"tolerance": " : f64", "max_ulp_difference": " : ui64", "min_ulp_difference": " : ui64", "iter": " : ui32",
}

// A checkText finds the operations of StableHLO's dialect check in a text, and what gives them the generic form.
type checkText struct {
	text  []byte
	at    int
	edits []textEdit  // in the order of the text
	lines []int       // where they start
	wrong *wrongCheck // the first one that has not its form
}

// A textEdit puts a text in the place of n bytes.
type textEdit struct {
	at, n int
	text  string
}

type wrongCheck struct {
	name         string
	line, column int
}

// checksIn returns nil for a text without operations of StableHLO's dialect check, or with one of IREE's.
func checksIn(text []byte) *checkText {
	if IsBytecode(text) || !bytes.Contains(text, []byte(checkDialect+".expect_")) {
		return nil
	}
	c := &checkText{text: text}
	found := false
	for m := checkStart().FindIndex(text); m != nil; m = checkStart().FindIndex(text[c.at:]) {
		start := c.at + m[0]
		c.at += m[1]
		name := string(text[start:c.at])
		switch {
		case name == "//":
			c.at += max(0, bytes.IndexByte(text[c.at:], '\n'))
		case name == `"`:
			if m := checkString().FindSubmatch(text[start:]); m != nil {
				c.at = start + len(m[0])
				if checkForms[string(m[1])] != "" && c.next() == '(' {
					found = true
					c.generic()
				}
			}
		case start > 0 && (lex.IsWord(text[start-1]) || strings.IndexByte("@%^#!", text[start-1]) >= 0):
		case c.next() == '(':
			return nil
		case checkForms[name] != "":
			found = true
			if edits := c.operation(start, start+len(name)); edits != nil {
				c.edits = append(c.edits, edits...)
			} else if c.wrong == nil {
				line := 1 + bytes.Count(text[:start], []byte("\n"))
				c.wrong = &wrongCheck{name, line, start - bytes.LastIndexByte(text[:start], '\n')}
			}
		}
	}
	if !found {
		return nil
	}
	c.lines = []int{0}
	for i, b := range text {
		if b == '\n' {
			c.lines = append(c.lines, i+1)
		}
	}
	return c
}

// generic reads an operation in the generic form from its operands on. Its properties become attributes.
func (c *checkText) generic() {
	c.group()
	if c.next(); !bytes.HasPrefix(c.text[c.at:], []byte("<{")) {
		return
	}
	open := c.at
	c.at++
	c.group()
	if c.next() == '>' {
		c.edits = append(c.edits, textEdit{open, 1, " "}, textEdit{c.at, 1, " "})
	}
}

// operation reads an operation, whose name is given, and returns nil if it has not its form.
func (c *checkText) operation(name, nameEnd int) []textEdit {
	edits := []textEdit{{name, 0, `"`}, {nameEnd, 0, `"(`}}
	operands, attributes, valueType := 0, 0, ""
	end := c.at // of the last operand or attribute
	for comma := c.at; ; comma = c.at - 1 {
		c.next()
		if attributes == 0 && c.match(checkOperand()) {
			operands++
		} else if operands == 0 {
			return nil
		} else {
			if attributes++; attributes == 1 {
				edits = append(edits, textEdit{end, 0, ")"}, textEdit{comma, 1, " {"})
			}
			if key := checkKey().FindSubmatch(c.text[c.at:]); key != nil {
				if string(key[1]) == "iter" {
					edits = append(edits, textEdit{c.at, 4, "iteration"})
				}
				c.at += len(key[0])
				if !c.match(checkType()) {
					edits = append(edits, textEdit{c.at, 0, checkTypes[string(key[1])]})
				}
			} else {
				edits = append(edits, textEdit{c.at, 0, "value = "})
				if !c.element() || c.next() != ':' {
					return nil
				}
				c.at++
				if valueType = c.typeText(); valueType == "" {
					return nil
				}
			}
		}
		if end = c.at; c.next() != ',' {
			break
		}
		c.at++
	}
	switch hasMore := c.next() == '{'; {
	case hasMore && attributes > 0:
		edits = append(edits, textEdit{c.at, 1, ","})
		c.group()
		end = c.at
	case attributes > 0:
		edits = append(edits, textEdit{end, 0, "}"})
	default:
		edits = append(edits, textEdit{end, 0, ")"})
		if hasMore {
			c.group()
		}
	}
	if valueType != "" {
		return append(edits, textEdit{end, 0, " : (" + valueType + ") -> ()"})
	}
	if c.next() != ':' {
		return nil
	}
	c.at++
	c.next()
	from, types := c.at, 0
	last := ""
	for {
		if last = c.typeText(); last == "" {
			return nil
		}
		types++
		if end = c.at; c.next() != ',' {
			break
		}
		c.at++
	}
	rest := ") -> ()"
	if types < operands {
		rest = ", " + last + rest
	}
	return append(edits, textEdit{from, 0, "("}, textEdit{end, 0, rest})
}

// next skips space and comments and returns the next byte, or 0.
func (c *checkText) next() byte {
	c.match(checkSpace())
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// match skips what matches and reports whether anything does.
func (c *checkText) match(e *regexp.Regexp) bool {
	m := e.FindIndex(c.text[c.at:])
	if m != nil {
		c.at += m[1]
	}
	return m != nil
}

// typeText reads a type and returns its text in one line, or "".
func (c *checkText) typeText() string {
	c.next()
	start := c.at
	if !c.element() {
		return ""
	}
	return string(bytes.Join(bytes.Fields(c.text[start:c.at]), []byte(" ")))
}

// element reads an attribute or a type: a word with what is in brackets behind it.
func (c *checkText) element() bool {
	if !c.match(checkWord()) {
		return false
	}
	end := c.at
	if c.next() == '<' {
		return c.group()
	}
	c.at = end
	return true
}

// group reads what is in brackets, of which the first is here, and reports whether the last one is there.
func (c *checkText) group() bool {
	depth := 0
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if c.text[c.at] != '>' || c.text[c.at-1] != '-' {
				depth--
			}
		case '"':
			if m := checkString().Find(c.text[c.at:]); m != nil {
				c.at += len(m) - 1
			}
		}
		if c.at++; depth == 0 {
			return true
		}
	}
	return false
}

// rewritten returns the text in which the operations have the generic form. Every line stays in its place.
func (c *checkText) rewritten() []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range c.edits {
		b.Write(c.text[at:e.at])
		b.WriteString(e.text)
		at = e.at + e.n
	}
	b.Write(c.text[at:])
	return b.Bytes()
}

// column returns the column in the text of what is in a line and column of the rewritten text.
func (c *checkText) column(line, column int) int {
	if line < 1 || line > len(c.lines) {
		return column
	}
	start := c.lines[line-1]
	at := start + column - 1
	first, _ := slices.BinarySearchFunc(c.edits, start, func(e textEdit, start int) int { return e.at - start })
	for _, e := range c.edits[first:] {
		if at < e.at {
			break
		}
		at = max(e.at, at-len(e.text)+e.n)
	}
	return at - start + 1
}
