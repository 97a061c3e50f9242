package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shared are the dialects whose packages others import for their enumerations. Those of other
// dialects are written again in each package that uses them, so that no package imports another
// for a few of its operations.
var shared = []string{"arith"}

// writeEnums writes the enumerations.
func (g *generator) writeEnums() string {
	var b bytes.Buffer
	for _, e := range g.enumerations() {
		if !g.byHand[e.name] {
			g.writeEnum(&b, e)
		}
	}
	return g.file(&b)
}

// enumerations returns those of the table, and those of other dialects that its operations use.
func (g *generator) enumerations() []enum {
	list := slices.Clone(g.table.enums)
	for _, op := range g.operations {
		for _, p := range op.list("attribute") {
			name, ok := strings.CutPrefix(strings.TrimPrefix(p.kind, "array:"), "enum:")
			dialect, class, _ := strings.Cut(name, ".")
			if !ok || dialect == g.dialect || slices.Contains(shared, dialect) ||
				slices.ContainsFunc(list, func(e enum) bool { return e.name == class }) {
				continue
			}
			all := g.all[dialect].enums
			list = append(list, all[slices.IndexFunc(all, func(e enum) bool { return e.name == class })])
		}
	}
	return list
}

var notWord = regexp.MustCompile(`\W`)

func (g *generator) writeEnum(b *bytes.Buffer, e enum) {
	variable := parameter(e.name) + "Cases"
	bits := strings.HasPrefix(e.form, "bits-")
	first, what := " = iota + 1", "The zero value stands for the default, where there is one."
	kind := "int"
	if bits {
		kind, what = "uint64", "Its cases can be combined with |."
	}
	fmt.Fprintf(b, "\n%stype %s %s\n\nconst (\n", comment(strings.ToUpper(article(e.name)[:1])+article(e.name)[1:]+
		" is an enumeration of the dialect "+g.dialect+". "+what), e.name, kind)
	var keywords, values []string
	plain := true
	seen := map[string]bool{}
	for i, c := range e.cases {
		name := e.name + goName(notWord.ReplaceAllString(c.symbol, "_"))
		for seen[name] || g.byHand[name] || g.taken[name] {
			name += "Case"
		}
		seen[name] = true
		switch {
		case bits:
			fmt.Fprintf(b, "%s %s = %d\n", name, e.name, c.value)
		case i == 0:
			fmt.Fprintf(b, "%s %s%s\n", name, e.name, first)
		default:
			fmt.Fprintf(b, "%s\n", name)
		}
		keywords = append(keywords, strconv.Quote(c.keyword))
		values = append(values, strconv.FormatUint(c.value, 10))
		plain = plain && c.value == uint64(i)
	}
	b.WriteString(")\n")
	fmt.Fprintf(b, "\nvar %s = ods.Enum{What: %q,\n", variable, e.name)
	if bits {
		b.WriteString("Bits: true,\n")
	}
	if width, ok := strings.CutPrefix(strings.TrimPrefix(e.form, "bits-"), "int:"); ok {
		fmt.Fprintf(b, "Width: %s,\n", width)
	} else {
		fmt.Fprintf(b, "Text: %q,\n", e.text)
	}
	if list := otherSpellings[e.name]; list != nil {
		fmt.Fprintf(b, "Also: %#v,\n", list)
	}
	if list := otherWords[e.name]; list != nil {
		fmt.Fprintf(b, "Words: %#v,\n", list)
	}
	if bits {
		fmt.Fprintf(b, "Join: %q,\n", e.join)
	}
	fmt.Fprintf(b, "Cases: []string{%s},\n", strings.Join(keywords, ", "))
	if !plain {
		fmt.Fprintf(b, "Values: []uint64{%s},\n", strings.Join(values, ", "))
	}
	b.WriteString("}\n")
	fmt.Fprintf(b, `
// String returns the keyword of v.
func (v %[1]s) String() string { return %[2]s.String(uint64(v)) }

%[3]sfunc (v %[1]s) Attribute(c *mlir.Context) (mlir.Attribute, error) { return %[2]s.Attribute(c, uint64(v)) }

%[4]sfunc As%[1]s(a mlir.Attribute) (%[1]s, bool) {
	v, ok := %[2]s.Read(a)
	return %[1]s(v), ok
}
`, e.name, variable, comment("Attribute returns the attribute of v. If v is no case, the error lists the cases."),
		comment("As"+e.name+" returns a as "+article(e.name)+". It returns false if a is another attribute."))
}

func article(name string) string {
	if strings.ContainsRune("AEIO", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// comment returns text as lines of a comment.
func comment(text string) string {
	var b strings.Builder
	line := "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 88 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
