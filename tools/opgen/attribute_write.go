package main

import (
	"fmt"
	"io"
	"strings"
)

// writeAttributes writes the files of the attributes that have Go types.
func (g *generator) writeAttributes() map[string]string {
	const module = "github.com/calliope-mlir/calliope/"
	start := fmt.Sprintf(header, g.pkg) + "import (\n"
	end := fmt.Sprintf("%q\n%q\n)\n", module+"internal/ir/ods", module+"mlir")
	var enums, structs strings.Builder
	fmt.Fprintf(&enums, "%s%q\n%s", start, module+"experimental/capi", end)
	fmt.Fprintf(&structs, "%s\"fmt\"\n\n%q\n%q\n%s", start, module+"experimental/capi", module+"internal/ir/raw", end)
	for _, a := range g.attributes {
		if a.isEnum() {
			writeKeywords(&enums, a)
		} else {
			writeStruct(&structs, a)
		}
	}
	return map[string]string{"gen_enums.go": enums.String(), "gen_structs.go": structs.String()}
}

// writeKeywords writes the Go type of an enumeration, its constants, and the functions that
// make and read the attribute.
func writeKeywords(b io.Writer, a *attribute) {
	variable := strings.ToLower(a.name[:1]) + a.name[1:] + "s"
	words := inWords(a.mnemonic)
	fmt.Fprintf(b, "\n%stype %s string\n\nconst (\n", comment(a.name+" "+a.doc+" ("+a.source+")."), a.name)
	var names []string
	for _, v := range a.values {
		names = append(names, v.name)
		fmt.Fprintf(b, "%s %s = %q", v.name, a.name, v.keyword)
		if v.comment != "" {
			fmt.Fprintf(b, " // %s", v.comment)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, `)

%[1]sfunc (v %[2]s) Attribute(c *mlir.Context) (mlir.Attribute, error) { return %[3]s.Attribute(c, v) }

%[12]sfunc As%[2]s(attr mlir.Attribute) (%[2]s, bool) { return %[3]s.Read(attr) }

var %[3]s = ods.Keywords[%[2]s]{
	Dialect: %[4]q, What: %[5]q, Prefix: %[6]q,
	Cases: []%[2]s{%[7]s},
	Symbol: %[8]q,
	Make: %[9]s,
	Is: %[10]s,
	Value: %[11]s,
}
`, comment("Attribute returns "+a.text()+"…>. If the keyword is unknown, the error lists the known ones."), a.name, variable, a.dialect, words, a.text(), strings.Join(names, ", "),
		a.function(a.capi()+"Get"), a.goFunction(a.capi()+"Get"), a.goFunction("AttributeIsA"+a.capi()),
		a.goFunction(a.capi()+"GetValue"),
		readerDoc(a.name))
}

// inWords returns a mnemonic in the form for errors: fft_type is "FFT type".
func inWords(mnemonic string) string {
	words := strings.Split(mnemonic, "_")
	for i, w := range words {
		if w == "fft" || w == "rng" {
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(words, " ")
}

// writeStruct writes the Go type of a structure, and the functions that make, print and
// read the attribute.
func writeStruct(b io.Writer, a *attribute) {
	var fields, arguments, formats, texts, reads, parses []string
	for _, f := range a.fields {
		name := goName(f.name)
		typ, argument, format, text := "int64", "v."+name, "%d", "v."+name
		getter := a.name + "Get" + camel(f.name)
		read := a.goFunction(getter) + "(t, a)"
		parse := "ods.FieldInt"
		if f.list {
			typ, argument, format, text = "[]int64", fmt.Sprintf("len(v.%[1]s), raw.First(v.%[1]s)", name), "%s",
				"ods.List(v."+name+")"
			read = fmt.Sprintf("ods.Gather(t, a, %[1]sSize, %[1]sElem)", a.goFunction(getter))
			parse = "ods.FieldInts"
		}
		fields = append(fields, fieldLine(name, typ, f.comment))
		arguments = append(arguments, argument)
		formats = append(formats, f.name+" = "+format)
		texts = append(texts, text)
		reads = append(reads, fmt.Sprintf("%s: %s,", name, read))
		parses = append(parses, fmt.Sprintf("v.%s = %s(f[%q], &ok)", name, parse, f.name))
	}
	doc := "Attribute returns " + a.text() + "…>."
	check, form, raw, parser := "", "", "", "parse"+a.name
	if a.checked != "" {
		doc += " " + a.checked
		check = "if err := v.check(); err != nil {\nreturn mlir.Attribute{}, err\n}\n"
	}
	if a.raw {
		form = "raw "
		raw = ", in its raw form"
	}
	fmt.Fprintf(b, "\n%stype %s struct {\n%s\n}\n", comment(a.name+" "+a.doc+" ("+a.source+")."), a.name,
		strings.Join(fields, "\n"))
	fmt.Fprintf(b, "\n%sfunc (v %s) Attribute(c *mlir.Context) (mlir.Attribute, error) {\n%s", comment(doc), a.name,
		check)
	fmt.Fprintf(b,
		`return ods.NewAttribute(c, %q, %q, v.String, func(t *capi.Table, c capi.MlirContext) capi.MlirAttribute {
		return %s(t, c,
			%s)
	})
}
`, a.dialect, a.function(a.name+"Get"), a.goFunction(a.name+"Get"), strings.Join(arguments, ",\n"))
	fmt.Fprintf(b, "\n// String returns the attribute's text%s.\nfunc (v %s) String() string {\nreturn fmt.Sprintf(%q,\n%s)\n}\n",
		raw, a.name, a.text()+form+strings.Join(formats, ", ")+">", strings.Join(texts, ", "))
	fmt.Fprintf(b, `
%[6]sfunc As%[1]s(attr mlir.Attribute) (%[1]s, bool) {
	t, a, ok := ods.Handle(attr, %[2]q)
	if !ok {
		return %[3]s(ods.TextOf(attr))
	}
	if !%[4]s(t, a) {
		return %[1]s{}, false
	}
	return %[1]s{
		%[5]s
	}, true
}
`, a.name, a.function("AttributeIsA"+a.name), parser, a.goFunction("AttributeIsA"+a.name), strings.Join(reads, "\n"), readerDoc(a.name))
	what := "the printed form"
	if a.raw {
		parser, what = "parseRaw"+a.name, "the raw form"
	}
	fmt.Fprintf(b, "\n%sfunc %s(text string) (v %s, ok bool) {\nf, ok := ods.Fields(text, %q)\n",
		comment(parser+" reads "+what+", for libraries without the dialect's C API."), parser, a.name, a.text()+form)
	if a.complete {
		fmt.Fprintf(b, "ok = ok && len(f) == %d\n", len(a.fields))
	}
	fmt.Fprintf(b, "%s\nif !ok {\nreturn %s{}, false\n}\nreturn v, true\n}\n", strings.Join(parses, "\n"), a.name)
}

// readerDoc returns the comment of the function that reads an attribute.
func readerDoc(name string) string {
	return comment("As" + name + " returns attr as " + withArticle(name) +
		". It returns false if attr is another attribute.")
}

// withArticle returns a type's name after its indefinite article. A plural has none.
func withArticle(name string) string {
	switch {
	case strings.HasSuffix(name, "Numbers"):
		return name
	case strings.ContainsRune("AEIO", rune(name[0])), strings.HasPrefix(name, "Fft"), strings.HasPrefix(name, "Rng"):
		return "an " + name
	}
	return "a " + name
}

// fieldLine returns a field of a struct. Its comment is beside it, or above it if it is
// long.
func fieldLine(name, typ, text string) string {
	switch {
	case text == "":
		return name + " " + typ
	case len(text) <= 75:
		return name + " " + typ + " // " + text
	}
	return comment(strings.ToUpper(text[:1])+text[1:]+".") + name + " " + typ
}
