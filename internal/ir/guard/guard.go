// Package guard knows on what native libraries crash, or hang. Package mlir asks it before it gives a library a module
// to parse. It imports this package itself, so that nobody who parses lacks a guard, whatever else a program imports.
//
// The parser verifies what it reads, and some verifiers crash. The guards find in text and in bytecode what would crash
// them. A dialect, or several that belong together, bring what they know in a file of their own.
package guard

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// A dialect brings guards. Each returns what is wrong, or "". Bytecode that op looks at has one of the marks, if there
// are any.
type dialect struct {
	texts  []func(text []byte) (at int, wrong string)
	marks  []string
	tables func(m *module) (wrong string)                 // looks at attributes and types, if it is not nil
	op     func(m *module, op bytecode.Op) (wrong string) // looks at each operation
}

var dialects = []dialect{stablehlo, chlo, vhlo, linalg, builtin}

// Source returns what is wrong with a module, and where in a text.
func Source(data []byte) (at int, wrong string) {
	if bytecode.Is(data) {
		return 0, damaged(data)
	}
	return Text(data)
}

// Text returns what is wrong with a text, and where.
func Text(text []byte) (at int, wrong string) {
	for _, d := range dialects {
		for _, guard := range d.texts {
			if at, wrong = guard(text); wrong != "" {
				return at, wrong
			}
		}
	}
	return 0, ""
}

// damaged returns what is wrong with bytecode, whose reader in a library trusts what it reads.
func damaged(data []byte) (wrong string) {
	m := &module{bytecode.Open(data)}
	m.Read()
	if m.Lying() {
		return lyingCount
	}
	if wrong := m.damaged(); wrong != "" {
		return wrong
	}
	for _, d := range dialects {
		if d.tables != nil {
			if wrong := d.tables(m); wrong != "" {
				return wrong
			}
		}
	}
	// One search for each mark is many times faster than a regular expression.
	guards := slices.DeleteFunc(slices.Clone(dialects), func(d dialect) bool {
		return d.op == nil || d.marks != nil &&
			!slices.ContainsFunc(d.marks, func(text string) bool { return bytes.Contains(data, []byte(text)) })
	})
	if m.HasTopArguments() {
		return topArguments
	}
	m.Walk(bytecode.Visitor{Op: func(op bytecode.Op) bool {
		for _, d := range guards {
			if found := d.op(m, op); found != "" {
				wrong = found
			}
		}
		return true
	}})
	if m.Lying() {
		return lyingCount
	}
	return wrong
}

const topArguments = "the bytecode is damaged: its outermost block has arguments"

// builtin: the parser of arrays of booleans of some libraries crashes on a negative number, which no library takes.
var builtin = dialect{texts: []func([]byte) (int, string){negativeBooleans}}

var negativeBoolean = lazyregexp.New(`array\s*<\s*i1\s*:[\s\w,]*-`)

func negativeBooleans(text []byte) (at int, wrong string) {
	if bytes.Contains(text, []byte("i1")) && bytes.Contains(text, []byte("array")) {
		if i := negativeBoolean().FindIndex(text); i != nil {
			return i[0], "an array of i1 has a negative number: the library would crash on it"
		}
	}
	return 0, ""
}

// linalg: the verifier of linalg.transpose never comes back from one without a dimension, in all libraries.
var linalg = dialect{texts: []func([]byte) (int, string){emptyPermutation}}

var noPermutation = lazyregexp.New(`permutation"?\s*=\s*(?:\[\s*\]|array\s*<\s*i64\s*>)`)

func emptyPermutation(text []byte) (at int, wrong string) {
	if bytes.Contains(text, []byte("linalg.transpose")) {
		if i := noPermutation().FindIndex(text); i != nil {
			return i[0], "the permutation of a linalg.transpose is empty: the library would hang on it"
		}
	}
	return 0, ""
}
