package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// attribute describes an attribute of a dialect: an enumeration, or a structure of
// integers and lists of integers.
type attribute struct {
	dialect  string
	name     string // of the Go type, "GatherDimensionNumbers"
	mnemonic string // MLIR's, "gather"
	doc      string // text after the name in the Go type's comment
	source   string // source of the facts

	values []value // of an enumeration
	dotted bool    // whether an enumeration prints as #dialect.mnemonic<VALUE>, not #dialect<mnemonic VALUE>

	fields   []field // of a structure
	complete bool    // whether its text always names every field
	raw      bool    // whether its text begins with "raw"; hand-written code reads its other form
	checked  string  // the condition that its method check tests, or "" without one
}

// value is one keyword of an enumeration.
type value struct {
	keyword string // "EQ"
	name    string // of the Go constant, "CompareEQ"
	comment string
}

// field is one part of a structure.
type field struct {
	name    string // MLIR's, "offset_dims"
	list    bool   // whether it is a list of integers, not one integer
	comment string
}

// A table of attributes has one paragraph for each: "enum" or "struct", the name of the
// Go type and MLIR's mnemonic, then lines with a tab and one of
//
//	doc TEXT                     for the Go type's comment, after its name
//	source TEXT                  source of the facts
//	value KEYWORD NAME [TEXT]    a keyword of an enumeration and the Go constant
//	dotted                       see attribute
//	number NAME [TEXT]           a field of a structure that is an integer
//	list NAME [TEXT]             a field that is a list of integers
//	complete, raw, checked TEXT  see attribute

// attributeFile returns the name of the table of a dialect's attributes below the repository's root.
func attributeFile(dialect string) string { return "tools/opgen/attributes/" + dialect + ".txt" }

// readAttributes reads the table of a dialect's attributes below the repository's root.
func readAttributes(root, dialect string) ([]*attribute, error) {
	table, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(attributeFile(dialect))))
	if err != nil {
		return nil, err
	}
	return parseAttributes(attributeFile(dialect), dialect, table)
}

// parseAttributes reads a table of attributes.
func parseAttributes(name, dialect string, data []byte) ([]*attribute, error) {
	var all []*attribute
	enum := false
	err := readParagraphs(name, data, func(line string) error {
		head := strings.Fields(line)
		if len(head) != 3 || head[0] != "enum" && head[0] != "struct" {
			return errors.New("an attribute must begin with enum or struct, its Go name and its mnemonic")
		}
		enum = head[0] == "enum"
		all = append(all, &attribute{dialect: dialect, name: head[1], mnemonic: head[2]})
		return nil
	}, func(line string) error {
		if len(all) == 0 {
			return errors.New("the attribute's name is missing above this line")
		}
		return all[len(all)-1].parseLine(enum, line)
	})
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.doc == "" || a.source == "" || len(a.values)+len(a.fields) == 0 {
			return nil, fmt.Errorf("%s: %s needs a doc, a source, and values or fields", name, a.name)
		}
	}
	return all, nil
}

// parseLine reads a line below the attribute's name.
func (a *attribute) parseLine(enum bool, line string) error {
	what, text, _ := strings.Cut(line, " ")
	switch {
	case what == "doc" && text != "":
		a.doc = strings.TrimSpace(a.doc + " " + text)
	case what == "source" && text != "":
		a.source = text
	case enum && what == "value":
		v := value{}
		v.keyword, text, _ = strings.Cut(text, " ")
		v.name, v.comment, _ = strings.Cut(text, " ")
		if v.name == "" {
			return errors.New("a value needs a keyword and a name")
		}
		a.values = append(a.values, v)
	case enum && line == "dotted":
		a.dotted = true
	case !enum && (what == "number" || what == "list"):
		f := field{list: what == "list"}
		if f.name, f.comment, _ = strings.Cut(text, " "); f.name == "" {
			return errors.New("a field needs a name")
		}
		a.fields = append(a.fields, f)
	case !enum && line == "complete":
		a.complete = true
	case !enum && line == "raw":
		a.raw = true
	case !enum && what == "checked" && text != "":
		a.checked = text
	default:
		return errors.New("unknown line")
	}
	return nil
}

// isEnum reports whether the attribute is an enumeration.
func (a *attribute) isEnum() bool { return len(a.values) > 0 }

// capi returns the attribute's name in the C API, without the dialect.
func (a *attribute) capi() string {
	if a.isEnum() {
		return camel(a.mnemonic) + "Attr"
	}
	return a.name
}

// text returns the beginning of the attribute's text: up to the "<" of a structure, or up
// to the keyword of an enumeration.
func (a *attribute) text() string {
	if a.isEnum() && !a.dotted {
		return "#" + a.dialect + "<" + a.mnemonic + " "
	}
	return "#" + a.dialect + "." + a.mnemonic + "<"
}

// irregular holds the actual names of functions that break the naming rule of the C API.
// The functions of a list add Size or Elem.
var irregular = map[string]string{
	"stablehloAttributeIsAChannelHandle":                          "stablehloAttributeIsChannelHandle",
	"stablehloScatterDimensionNumbersGetScatterDimsToOperandDims": "stablehloScatterDimensionNumbersGetScatteredDimsToOperandDims",
	"stablehloScatterDimensionNumbersGetIndexVectorDim":           "stablehloDimensionNumbersGetIndexVectorDim",
}

// function returns the full name of a function of the C API.
func (a *attribute) function(name string) string {
	name = a.dialect + name
	for rule, actual := range irregular {
		if suffix, ok := strings.CutPrefix(name, rule); ok {
			return actual + suffix
		}
	}
	return name
}

// goFunction returns the name of the Go function that calls it.
func (a *attribute) goFunction(name string) string {
	name = a.function(name)
	return "capi." + strings.ToUpper(name[:1]) + name[1:]
}

// camel returns a name in the form of the C API: lhs_dilation is LhsDilation.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// readParagraphs reads a table. It calls head with the first line of each paragraph, and
// below with each further line, without its tab. It stops at the first error, and returns
// it with the line.
func readParagraphs(file string, data []byte, head, below func(line string) error) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" {
			continue
		}
		read := head
		rest, inside := strings.CutPrefix(line, "\t")
		if inside {
			read = below
		}
		if err := read(rest); err != nil {
			return fmt.Errorf("%s:%d: %w: %q", file, n, err, line)
		}
	}
	return nil
}
