package mlir

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// StableHLO's tests have a dialect check, which no library contains, and IREE has another one of the same name. Texts
// tell them apart: IREE's operations have their operands in parentheses. Parse defines StableHLO's dialect with IRDL,
// whose operations have only the generic form and no properties, and reads a text in which they have it.

const checkDialect = "check"

// checkDefinition leaves out the attributes that may be missing.
const checkDefinition = `irdl.dialect @check {
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

// checkForms are what follows the names of the operations.
var checkForms = map[string]string{
	"check.expect_eq_const":        "%0, dense<…> : type",
	"check.expect_almost_eq_const": "%0, dense<…> : type, tolerance = number",
	"check.expect_eq":              "%0, %1 : type",
	"check.expect_almost_eq":       "%0, %1, tolerance = number : type",
	"check.expect_close":           "%0, %1, max_ulp_difference = number, min_ulp_difference = number : type, type",
	"check.expect_serialized_eq":   `%0, probe_id = "name", iter = number : type`,
}

// checksToRead returns the operations of StableHLO's dialect check in a text if this context reads them, and makes it
// know them. It returns nil for any other text.
func (c *Context) checksToRead(name string, text []byte) (*checkText, error) {
	checks := checksIn(text)
	if checks == nil || !c.lib.Has("mlirLoadIRDLDialects") || c.LoadDialect("irdl") != nil {
		return nil, nil
	}
	if c.defined[checkDialect] == nil {
		if c.LoadDialect(checkDialect) == nil {
			return nil, nil // it is another dialect
		}
		m, err := c.Parse("", []byte(checkDefinition))
		if err != nil {
			return nil, nil // LLVM 19 has another syntax of IRDL, and the module is in a dialect that it does not know
		}
		defer m.Close()
		if err := c.LoadIRDL(m); err != nil {
			return nil, err
		}
	}
	if at := checks.wrong; at != nil {
		p := Position{File: cmp.Or(name, unnamed), Line: at.line, Column: at.column}
		return nil, &DiagnosticError{Op: "parse", Diagnostics: []Diagnostic{{Position: p,
			Message: fmt.Sprintf("'%[1]s' is not in its form: write %[1]s %[2]s", at.name, checkForms[at.name])}}}
	}
	return checks, nil
}

// restored returns diagnostics about the text with the generic forms as those about the text as it was.
func (c *checkText) restored(list []Diagnostic) []Diagnostic {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i].Position
		p.Column = c.column(p.Line, p.Column)
		list[i].Notes = c.restored(list[i].Notes)
	}
	return list
}

// restore does the same with the locations in a module, which was parsed as that of a file.
func (c *checkText) restore(in *Context, file string, m capi.MlirModule) {
	file = cmp.Or(file, unnamed)
	if in.lib.Has("mlirOperationSetLocation") {
		namer{c: in, from: file, to: file, column: c.column}.module(m)
	}
}
