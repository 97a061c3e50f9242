package mlir

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/checkform"
	"github.com/calliope-mlir/calliope/internal/ir/retext"
)

// StableHLO's tests have a dialect check, which no library contains, and IREE has another one of the same name. Texts
// tell them apart: IREE's operations have their operands in parentheses. Parse defines StableHLO's dialect with IRDL,
// whose operations have only the generic form and no properties, and reads a text in which they have it.

// checksToRead returns the operations of StableHLO's dialect check in a text if this context reads them, and makes it
// know them. It returns nil for any other text.
func (c *Context) checksToRead(name string, text []byte) (*retext.Text, error) {
	checks := checkform.In(text)
	if checks == nil || !c.lib.Has("mlirLoadIRDLDialects") || c.LoadDialect("irdl") != nil {
		return nil, nil
	}
	if c.defined[checkform.Dialect] == nil {
		if c.LoadDialect(checkform.Dialect) == nil {
			return nil, nil // it is another dialect
		}
		m, err := c.Parse("", []byte(checkform.Definition))
		if err != nil {
			return nil, nil // LLVM 19 has another syntax of IRDL, and the module is in a dialect that it does not know
		}
		defer m.Close()
		if err := c.LoadIRDL(m); err != nil {
			return nil, err
		}
	}
	if at := checks.Wrong(); at != nil {
		p := Position{File: cmp.Or(name, unnamed), Line: at.Line, Column: at.Column}
		return nil, &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Position: p,
			Message: fmt.Sprintf("'%[1]s' is not in its form: write %[1]s %[2]s", at.Name, at.Form)}}}
	}
	return checks.Generic(), nil
}

// A rewriting is how a text was changed before the library read it, in this order. Some may be nil.
type rewriting []*retext.Text

// column returns the column in the text as it was of what is in a line and column of the last one.
func (r rewriting) column(line, column int) int {
	for _, t := range slices.Backward(r) {
		if t != nil {
			column = t.Column(line, column)
		}
	}
	return column
}

// restored returns diagnostics about the last text as those about the text as it was.
func (r rewriting) restored(list []Diagnostic) []Diagnostic {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i].Position
		p.Column = r.column(p.Line, p.Column)
		list[i].Notes = r.restored(list[i].Notes)
	}
	return list
}

// restore does the same with the locations in a module, which was parsed as that of a file.
func (c *Context) restore(r rewriting, file string, m capi.MlirModule) {
	file = cmp.Or(file, unnamed)
	if c.lib.Has("mlirOperationSetLocation") && slices.ContainsFunc(r, func(t *retext.Text) bool { return t != nil }) {
		namer{c: c, from: file, to: file, column: r.column}.module(m)
	}
}
