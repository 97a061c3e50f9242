package quick

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/notmlir"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// A Rule is a kind of operations to find. A rule of the same name in package lint/rules finds
// the same operations.
type Rule struct {
	Name     string
	Doc      string           // one line that says what the rule finds
	Severity finding.Severity // of its findings; a note may be wrong
	message  string
	op       string // the name of the operation in its dialect
}

const instead = "use a stablehlo.custom_call with api_version = 4 instead, in the observe or the passthrough form"

var rules = []Rule{
	{"create-token",
		"a token, whose use is unknown here: only the full rule knows whether it is a remainder of old host calls", finding.Note,
		"creates a token, use unknown: without -quick, this rule reports whether it is a remainder of old host calls", "create_token"},
	{"infeed", "an infeed waits for values of a host queue that current runtimes do not fill, so the program hangs",
		finding.Error, "waits for values of a host queue that current runtimes do not fill, so the program hangs here: " +
			"use a stablehlo.custom_call with api_version = 4 instead, in the call form", "infeed"},
	{"outfeed", "an outfeed sends values to a host queue that current runtimes do not drain, so the program hangs",
		finding.Error, "sends values to a host queue that current runtimes do not drain, so the program hangs here: " + instead, "outfeed"},
}

// Rules returns the rules in the order of their names.
func Rules() []Rule { return slices.Clone(rules) }

// operations are the full names of the operations that the rules find.
var operations = func() (list []struct {
	name string
	rule int
}) {
	for rule, r := range rules {
		for _, dialect := range []string{"stablehlo.", "mhlo."} {
			list = append(list, struct {
				name string
				rule int
			}{dialect + r.op, rule})
		}
	}
	return list
}()

// ruleOf returns an operation's full name and the index of its rule.
func ruleOf[S string | []byte](name S) (full string, rule int, ok bool) {
	if len(name) < len("mhlo.infeed") || len(name) > len("stablehlo.create_token") {
		return "", 0, false
	}
	for i := range operations {
		if op := &operations[i]; len(name) == len(op.name) && string(name) == op.name {
			return op.name, op.rule, true
		}
	}
	return "", 0, false
}

// An Error says why an input could not be searched.
type Error struct {
	Line, Column int // in a text, from 1 and in bytes; 1 and 1 for bytecode
	Message      string
}

func (e *Error) Error() string { return e.Message }

// Check returns the operations that the rules find in a module, which is text, bytecode or a portable artifact, in the
// order of their positions. file is their file name. Each message begins with the name of the operation, such as
// stablehlo.outfeed. The error, if any, is an *Error; then the findings are those before it. It does not change data,
// and may be called by several goroutines at once.
func Check(file string, data []byte) ([]finding.Finding, error) {
	var found []operation
	var err error
	if IsBytecode(data) {
		found, err = readBytecode(data)
	} else if line, reason := notmlir.Reason(data); reason != "" {
		err = &Error{Line: line, Column: 1, Message: reason}
	} else {
		found, err = scanText(data)
	}
	return findings(file, found), err
}

// IsBytecode reports whether a module is MLIR bytecode.
func IsBytecode(data []byte) bool { return bytecode.Is(data) }

// An operation is one that was found.
type operation struct {
	name         string
	rule         int
	line, column int      // in the text, or 0
	stated       position // by the module; the zero position if it states none
}

// A position is the first file:line:column in a location.
type position struct {
	file         string
	line, column int
	known        bool
}

// findings orders operations as package lint does: by position and, for each, by rule and name.
func findings(file string, found []operation) []finding.Finding {
	out := make([]finding.Finding, len(found))
	for i, op := range found {
		r, at := rules[op.rule], op.stated
		f := finding.Finding{File: file, Line: 1, Column: 1, NoPlace: op.line == 0, Severity: r.Severity,
			Message: op.name + " " + r.message, Rule: r.Name}
		if op.line > 0 {
			f.Line, f.Column = op.line, op.column
		}
		if at.line > 0 && (op.line == 0 || at != position{finding.TextName, op.line, op.column, true}) {
			f.Related = []finding.Related{finding.Stated("", at.file, at.line, at.column)}
		}
		out[i] = f
	}
	before := func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(b.Message, a.Message)) // stablehlo before mhlo
	}
	if !slices.IsSortedFunc(out, before) {
		slices.SortStableFunc(out, before)
	}
	return out
}

// integer parses an integer of 32 bits as MLIR's lexer writes it: decimal, or hexadecimal with 0x.
func integer(text []byte) (int, bool) {
	base := 10
	digits, hex := bytes.CutPrefix(text, []byte("0x"))
	if hex {
		base = 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	return int(n), err == nil && n <= math.MaxUint32
}
