package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// UnusedFunction reports private functions that no public one uses, also through others.
var UnusedFunction = &lint.Analyzer{
	Name:     "unused-function",
	Doc:      "a private function is not used",
	Run:      unusedFunction,
	Severity: finding.Warning,
	Details: `Severity: warning.

Only the operations of a module can use its private functions. A function that no public one uses, directly or through
others, is a remainder: a rewriting inlined it, or a person renamed what called it.

    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> { … }   // nothing calls it

A name in any attribute of an operation counts as a use, also as a string. Modules without a public function, which are
parts of others, are not reported, nor are modules with operations of a dialect that the library does not have: it may
name functions in ways of its own. The repair removes a function that nothing names. Source: MLIR's documentation of
symbols and their visibility.`,
}

func unusedFunction(p *lint.Pass) error {
	private, public := map[string]mlir.Operation{}, false
	for op := range p.Operations("func.func") {
		if op.Visibility() == mlir.Public {
			public = public || !entryOf(op).IsNil()
			continue
		}
		if name, ok := op.Symbol(); ok && op.Parent() == p.Module.Operation() {
			private[name] = op
		}
	}
	if len(private) == 0 || !public {
		return nil
	}
	// Calls name most functions. Only if they do not name all, the other attributes are read.
	uses := map[mlir.Operation]map[string]bool{} // of a function, or the nil operation for what is not in one
	for op := range p.Operations("func.call", "stablehlo.composite", "stablehlo.custom_call") {
		named(op, private, uses)
	}
	if len(unreached(private, uses)) == 0 {
		return nil
	}
	for _, op := range p.Index.All() {
		if !op.Context().Registered(op.Name()) {
			return nil
		}
		named(op, private, uses)
	}
	remove := finding.Fix{Message: "remove the function", Erase: true}
	for _, name := range unreached(private, uses) {
		const text = "the private function @%s is not used: remove it"
		isNamed := false // by one that is not used either
		for _, names := range uses {
			isNamed = isNamed || names[name]
		}
		if isNamed {
			p.Report(private[name], finding.Warning, text, name)
		} else {
			p.ReportFix(private[name], finding.Warning, remove, text, name)
		}
	}
	return nil
}

var symbolName = regexp.MustCompile(`@([\w$.-]+)`)

// named adds the functions that the attributes of an operation name to the uses of the function around it.
func named(op mlir.Operation, functions map[string]mlir.Operation, uses map[mlir.Operation]map[string]bool) {
	around := op
	for !around.IsNil() && around.Name() != "func.func" {
		around = around.Parent()
	}
	if uses[around] == nil {
		uses[around] = map[string]bool{}
	}
	symbols := func(text string) {
		for _, m := range symbolName.FindAllStringSubmatch(text, -1) {
			if _, ok := functions[m[1]]; ok {
				uses[around][m[1]] = true
			}
		}
	}
	var read func(a mlir.Attribute)
	read = func(a mlir.Attribute) {
		text, _ := a.Text()
		if path, ok := a.SymbolPath(); ok {
			text = path[len(path)-1]
		}
		if _, ok := functions[strings.TrimPrefix(text, "@")]; ok {
			uses[around][strings.TrimPrefix(text, "@")] = true
		}
		elements, _ := a.Elements()
		for _, e := range elements {
			read(e)
		}
		for _, e := range a.Entries() {
			read(e)
		}
		if a.Dialect() != "builtin" { // such as a group of devices, which names a mesh
			symbols(a.String())
		}
	}
	for name, a := range op.Attributes() {
		if name != "sym_name" {
			read(a)
		}
	}
}

// unreached returns the functions that are not used from outside of them, sorted.
func unreached(functions map[string]mlir.Operation, uses map[mlir.Operation]map[string]bool) []string {
	left := maps.Clone(functions)
	for again := true; again; {
		again = false
		for around, names := range uses {
			if name, _ := nameOf(around); left[name] == around && name != "" {
				continue // it is not used so far
			}
			for name := range names {
				if _, ok := left[name]; ok {
					delete(left, name)
					again = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// nameOf returns the name of a function, or "" of the nil operation.
func nameOf(function mlir.Operation) (string, bool) {
	if function.IsNil() {
		return "", false
	}
	return function.Symbol()
}
