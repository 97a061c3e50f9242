package lower_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

var update = flag.Bool("update", false, "write docs/reference/jit-operations.md")

const pageHead = `# Operations on the JIT compiler

What package [jit](../jit.md) makes of each operation of StableHLO and CHLO. A test compiles and runs samples of each, and
writes this page from what it finds: ` + "`go test ./jit/internal/lower -run TestOperations -update`" + `.

- **replaced by**: the step of the compile after which the operation is gone. Steps that are passes of MLIR and StableHLO have
  their names there; the others are of package jit, as ` + "`lower`" + `. ` + "`calliope-opt --jit-print-after=STEP`" + ` shows
  what is in its place. An operation that is refused has the reason, and what to do.
- **rank 0** and **no elements**: whether arrays without dimensions, and arrays with a dimension of size 0, are compiled. A dash
  stands for operations that do not allow them.
- **like**: what computes the same numbers.

Operations of several devices are compiled for one here. For several ones engine/load puts [a batch](../vmap.md#devices) in
their place, and jit.Compile refuses them. Sizes and other numbers of dynamic operations are constants here; it refuses others,
for which there are the static operations.

`

// An operationRow is what the page says of an operation.
type operationRow struct {
	replaced, other, scalar, empty string // other is what replaces the sample of rank 0
	like                           []string
}

// TestOperations holds the samples of all operations against the interpreter or XLA, and
// docs/reference/jit-operations.md against what becomes of them.
func TestOperations(t *testing.T) {
	rows := map[string]*operationRow{}
	for _, p := range operationSamples(t) {
		row := rows[p.op]
		if row == nil {
			row = &operationRow{scalar: "–", empty: "–"}
			rows[p.op] = row
		}
		t.Run(p.name, func(t *testing.T) {
			step, like := p.hold(t)
			cell := "yes"
			if strings.HasPrefix(step, "refused") {
				cell = step
			}
			switch p.kind() {
			case plain:
				row.replaced = cmp.Or(row.replaced, step)
			case scalar:
				row.scalar = cell
				row.other = cmp.Or(row.other, step)
			case empty:
				row.empty = cell
			}
			if like != "" && !slices.Contains(row.like, like) {
				row.like = append(row.like, like)
			}
		})
	}
	if t.Failed() {
		return
	}
	text := pageHead
	for _, dialect := range []struct{ name, title string }{{"stablehlo", "StableHLO"}, {"chlo", "CHLO"}} {
		text += fmt.Sprintf("| %s | replaced by | rank 0 | no elements | like |\n|---|---|---|---|---|\n", dialect.title)
		facts := filepath.Join("..", "..", "..", "tools", "opgen", "facts", dialect.name+".txt")
		operations := regexp.MustCompile(`(?m)^operation (\S+)`)
		for _, match := range operations.FindAllSubmatch(check.Must(os.ReadFile(facts)), -1) {
			name := string(match[1])
			row := rows[name]
			if row == nil {
				t.Errorf("%s has no sample", name)
				continue
			}
			slices.Sort(row.like)
			replaced := cmp.Or(row.replaced, row.other)
			if !strings.Contains(replaced, " ") {
				replaced = "`" + replaced + "`"
			}
			text += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", strings.TrimPrefix(name, dialect.name+"."),
				replaced, row.scalar, row.empty, strings.Join(row.like, ", "))
		}
		text += "\n"
	}
	path := filepath.Join("..", "..", "..", "docs", "reference", "jit-operations.md")
	text = strings.TrimSuffix(text, "\n")
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	check.Diff(t, "docs/reference/jit-operations.md, which -update writes", text, string(check.Must(os.ReadFile(path))))
}

// The kinds of samples.
type kind int

const (
	plain  kind = iota
	scalar      // without dimensions
	empty       // without elements
)

// kind returns what the first operand and the results are.
func (p operationSample) kind() kind {
	for _, t := range p.arrays {
		if strings.Contains(t, "<0x") || strings.Contains(t, "x0x") {
			return empty
		}
	}
	if !strings.Contains(strings.ReplaceAll(p.arrays[0], "complex", ""), "x") {
		return scalar
	}
	return plain
}

// An operationSample is a program with an operation.
type operationSample struct {
	program
	op     string
	arrays []string // the types of the first operand and of the results
}

// hold compiles and runs a sample, and compares it with what else runs it, which it returns. step is the step after
// which the operation is gone, or says why it is refused.
func (p operationSample) hold(t *testing.T) (step, like string) {
	t.Helper()
	m := mlirtest.Parse(t, mlirtest.Context(t), p.text)
	e, err := jit.Compile(t.Context(), m, jit.Options{After: func(name string, m *mlir.Module) {
		if step == "" && !m.Operation().Index().Has(p.op) {
			step = name
		}
	}})
	if u, ok := errors.AsType[*jit.UnsupportedError](err); ok {
		_, why, _ := strings.Cut(u.Err.Error(), ": ")
		return "refused: " + why, ""
	}
	check.NoError(t, err)
	check.Cleanup(t, e)
	inputs := p.randomInputs(e.Inputs())
	got := check.Must(e.Call(context.Background(), inputs...))
	want, like := p.reference(t, m, inputs)
	if p.op == "stablehlo.rng" { // the numbers are others each time
		return step, ""
	}
	if like != "" {
		compare(t, 1e-5, want, got)
	}
	return step, like
}

// reference returns the results by the interpreter or by XLA, and which of them it is, or "" if neither runs it.
func (p operationSample) reference(t *testing.T, m *mlir.Module, inputs []tensor.View) ([]tensor.View, string) {
	t.Helper()
	if client == nil {
		t.Skip("there is no XLA plugin for this platform")
	}
	engines := map[string]engine.Engine{"the interpreter": interpreter.Engine(), "XLA": client.Engine()}
	for _, name := range []string{"the interpreter", "XLA"} {
		e := engines[name] // the first one ends its process at times
		program, exact := passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{Exact: true}
		made, err := e.Compile(t.Context(), program, exact)
		if err == nil {
			check.Cleanup(t, made)
			if results, err := made.Call(t.Context(), inputs...); err == nil {
				return results, name
			}
		}
		t.Logf("%s: %v", e, err)
	}
	return nil, ""
}
