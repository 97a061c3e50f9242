package mlir

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

var (
	// undefined matches the diagnostic for an unknown type or attribute of a dialect of LoadIRDL. Its position is that
	// of the name behind the namespace.
	undefined = lazyregexp.New(`^expected dynamic (type|attribute)$`)
	nameEnd   = lazyregexp.New(`[\w$.]*$`)
	nameStart = lazyregexp.New(`^[\w$.]*`)
)

// definedHint asks whether a name of LoadIRDL is meant in place of the operation, or of the type or attribute that a
// diagnostic is about. It returns "" if none is similar.
func (c *Context) definedHint(source []byte, d Diagnostic, operation string) string {
	kind, name := "operation", operation
	if at := undefined().FindStringSubmatch(d.Message); at != nil {
		left := before(source, d.Position)
		rest := before(source, Position{Line: d.Position.Line, Column: len(source) + 1})[len(left):]
		kind, name = at[1], string(nameEnd().Find(left))+string(nameStart().Find(rest))
	}
	return strings.Trim(nearest.Hint(c.nearestDefined(kind, name)), " ()")
}

// nearestDefined returns the name that LoadIRDL has defined in the dialect of another name and which is most similar to
// that, or "".
func (c *Context) nearestDefined(kind, name string) string {
	dialect, rest, _ := strings.Cut(name, ".")
	if near := nearest.Name(rest, slices.Values(c.defined[dialect][kind])); near != "" {
		return dialect + "." + near
	}
	return ""
}

// shortForm returns a diagnostic for the first operation of LoadIRDL in a text that is not in the generic form, which
// the library refuses without one.
func (c *Context) shortForm(name string, source []byte) []Diagnostic {
	for dialect, d := range c.defined {
		for _, o := range d["operation"] {
			form := regexp.MustCompile(
				`(?m)^[^/"\n]*?(?:^|[\s={;:])(` + regexp.QuoteMeta(dialect+"."+o) + `)(?:$|[^\w$.-])`)
			at := form.FindSubmatchIndex(source)
			if at == nil {
				continue
			}
			line := 1 + bytes.Count(source[:at[2]], []byte("\n"))
			column := at[2] - bytes.LastIndexByte(source[:at[2]], '\n')
			return []Diagnostic{{Position: Position{File: cmp.Or(name, unnamed), Line: line, Column: column},
				Message: "operations that LoadIRDL defines have only the generic form: write \"" + dialect + "." + o +
					"\"(…) : (…) -> (…)"}}
		}
	}
	return nil
}
