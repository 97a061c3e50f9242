package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestAttributesOfLibrary compares the tables of attributes with jaxlib's library. Its parser
// lists the keywords of an enumeration and the fields of a structure, and its C API must
// have the functions.
func TestAttributesOfLibrary(t *testing.T) {
	c := mlirtest.ContextOf(t, mlirtest.Jaxlib(t))
	keywords := regexp.MustCompile(`to be one of: (.*)`)
	fields := regexp.MustCompile("expected one of: (`.*)")
	for dialect := range ownDialects {
		check.NoError(t, c.LoadDialect(dialect))
		attributes, err := readAttributes(root, dialect)
		check.NoError(t, err)
		for _, a := range attributes {
			t.Run(dialect+"."+a.name, func(t *testing.T) {
				text, list, functions := a.text(), keywords, []string{a.capi() + "Get", "AttributeIsA" + a.capi()}
				if a.raw {
					text += "raw "
				}
				var want []string
				for _, v := range a.values {
					want = append(want, v.keyword)
				}
				for _, f := range a.fields {
					want = append(want, f.name)
					list = fields
					if getter := a.name + "Get" + camel(f.name); f.list {
						functions = append(functions, getter+"Size", getter+"Elem")
					} else {
						functions = append(functions, getter)
					}
				}
				if a.isEnum() {
					functions = append(functions, a.capi()+"GetValue")
				}
				for _, f := range functions {
					if name := a.function(f); !c.Library().Has(name) {
						t.Errorf("the library has no function %s", name)
					}
				}
				_, err := c.ParseAttribute(text + "unknown>")
				m := list.FindStringSubmatch(fmt.Sprint(err))
				if m == nil {
					if !a.complete {
						t.Fatalf("the library lists no names: %v", err)
					}
					return // the parser names only the next field of these
				}
				if d := cmp.Diff(strings.Split(strings.ReplaceAll(m[1], "`", ""), ", "), want); d != "" {
					t.Errorf("the table (-library +table):\n%s", d)
				}
			})
		}
	}
}

func TestAttributeErrors(t *testing.T) {
	const needed = "\tdoc d\n\tsource s\n"
	for text, want := range map[string]string{
		"\tdoc x\n":                                 "x:1: the attribute's name is missing above this line",
		"enum A\n":                                  "x:1: an attribute must begin with enum or struct, its Go name and its mnemonic",
		"list A a\n":                                "x:1: an attribute must begin with enum or struct",
		"enum A a\n\tvalue X\n":                     "x:2: a value needs a keyword and a name",
		"enum A a\n\tnumber n\n":                    "x:2: unknown line",
		"enum A a\n\tdotted yes\n":                  "x:2: unknown line",
		"struct A a\n\tvalue X AX\n":                "x:2: unknown line",
		"struct A a\n\tlist\n":                      "x:2: a field needs a name",
		"struct A a\n\tchecked\n":                   "x:2: unknown line",
		"struct A a\n\tdoc d\n\tnumber n\n":         "x: A needs a doc, a source, and values or fields",
		"struct A a\n" + needed:                     "x: A needs a doc, a source, and values or fields",
		"enum A a\n\tvalue X AX\n" + "\tsource s\n": "x: A needs a doc, a source, and values or fields",
	} {
		if _, err := parseAttributes("x", "d", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", text, err, want)
		}
	}
}
