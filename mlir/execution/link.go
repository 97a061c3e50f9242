package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/mlir"
)

// external returns the names of the symbols that the operations of a module use and that the
// module only declares, and whether the operations compute with bf16.
func external(m *mlir.Module) (names []string, bf16 bool) {
	declared := map[string]bool{}
	for op := range m.Body().Operations() {
		name, ok := op.Symbol()
		intrinsic := strings.HasPrefix(name, "llvm.")
		declared[name] = ok && !defines(op) && !intrinsic
	}
	for op := range m.Operation().All() {
		bf16 = bf16 || computesBF16(op)
		for _, attribute := range []string{"callee", "global_name"} {
			a, ok := op.Attribute(attribute)
			if !ok {
				continue
			}
			if name, _ := a.Symbol(); declared[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), bf16
}

// computesBF16 reports whether a result of an operation is of bf16.
func computesBF16(op mlir.Operation) bool {
	for _, result := range op.Results() {
		if kind, _ := result.Type().FloatKind(); kind == mlir.BF16 {
			return true
		}
	}
	return false
}

// defines reports whether a top-level operation is more than a declaration.
func defines(op mlir.Operation) bool {
	switch op.Name() {
	case "llvm.func", "llvm.mlir.global":
		_, value := op.Attribute("value")
		return value || !op.Region(0).First().IsNil()
	}
	return true
}

// unlinked returns the error for a function that the library cannot link. The library does not
// return the names of the symbols that it does not find, but prints them.
func (e *Engine) unlinked(function string) error {
	var searched []*dl.Library
	for _, path := range append([]string{""}, e.libraries...) {
		if l, err := dl.Open(path); err == nil {
			searched = append(searched, l)
		}
	}
	found := func(name string) bool {
		return slices.ContainsFunc(searched, func(l *dl.Library) bool { return l.Symbol(name) != nil })
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var missing []string
	for _, name := range e.external {
		if !e.symbols[name] && !found(name) {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}
	if len(missing) == 0 && e.brain {
		return fmt.Errorf("execution: %s cannot be linked: the module computes with bf16, for which LLVM needs "+
			"functions that this process lacks: run arith-emulate-unsupported-floats{source-types=bf16 "+
			"target-type=f32} and arith-expand{include-bf16=1} before the module is lowered, or compute with f32",
			function)
	}
	if len(missing) == 0 {
		missing = []string{"a symbol whose name the library printed to standard error"}
	}
	in := "this process"
	if len(e.libraries) > 0 {
		in += " and Options.Libraries (" + strings.Join(e.libraries, ", ") + ")"
	}
	return fmt.Errorf("execution: %s cannot be linked: nothing in %s defines %s: make the engine with a library "+
		"that does in Options.Libraries, or with Go functions in Options.Functions, or call Engine.Register",
		function, in, strings.Join(missing, ", "))
}
