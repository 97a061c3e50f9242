package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// specified are the operations in chapter Ops of the StableHLO specification (docs/spec.md
// of openxla/stablehlo, August 2026).
const specified = `abs add after_all all_gather all_reduce all_to_all and async_done async_start atan2 batch_norm_grad
batch_norm_inference batch_norm_training bitcast_convert broadcast_in_dim case cbrt ceil cholesky clamp
collective_broadcast collective_permute collective_reduce compare complex composite concatenate constant convert
convolution cosine count_leading_zeros custom_call divide dot_general dynamic_broadcast_in_dim dynamic_conv
dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice exponential
exponential_minus_one fft floor gather get_dimension_size get_tuple_element if imag infeed iota is_finite log
log_plus_one logistic map maximum minimum multiply negate not optimization_barrier or outfeed pad partition_id popcnt
power real recv reduce reduce_precision reduce_scatter reduce_window remainder replica_id reshape return reverse rng
rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter send shift_left
shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh transpose triangular_solve tuple
uniform_dequantize uniform_quantize while xor`

// facts are the operations of the table that package stablehlo is generated from.
func facts(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../tools/opgen/facts/stablehlo.txt")
	check.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "operation stablehlo."); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	slices.Sort(names)
	return names
}

// TestComplete holds that every operation has a sample, and that all of the specification are among them.
func TestComplete(t *testing.T) {
	names := facts(t)
	have := map[string]bool{}
	for _, s := range samples {
		have[s.op] = true
		if !slices.Contains(names, s.op) {
			t.Errorf("there is a sample of %s, and no such operation", s.op)
		}
	}
	for _, name := range names {
		if !have[name] {
			t.Errorf("%s has no sample", name)
		}
	}
	for _, name := range strings.Fields(specified) {
		if !slices.Contains(names, name) {
			t.Errorf("%s is in the specification, and not among the operations", name)
		}
	}
	all, err := references()
	check.NoError(t, err)
	used := map[string]bool{}
	for i := range samples {
		if samples[i].reference {
			used[samples[i].name()] = true
		}
	}
	for name := range all {
		if !used[name] {
			t.Errorf("no sample uses the reference %q", name)
		}
	}
}

const document = "../../docs/reference/stablehlo-ops.md"

// TestTable holds docs/reference/stablehlo-ops.md against the samples; with -update it writes it.
func TestTable(t *testing.T) {
	programs(t, func(*sample) bool { return true }) // says of what the operations are made
	want := table(t)
	if *update {
		check.NoError(t, os.WriteFile(document, []byte(want), 0o644))
	}
	got, err := os.ReadFile(document)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/reference/stablehlo-ops.md is not what the samples say; run go generate ./tests/conformance (-file +samples):\n%s", diff)
	}
}

const head = `# StableHLO operations

Every operation that the default library knows (StableHLO %s), which is every one of the
specification, and some that the specification does not describe, marked by an asterisk.

Each is built through package stablehlo and verified by a test. The columns say who runs
it there: the reference interpreter of StableHLO, and XLA for the CPU. Their results are
compared, with each other where both run it, and else with results worked out by hand from
the specification, or by NumPy, SciPy or JAX (the script is
[make.py](../../tests/conformance/testdata/make.py)). Package builder has a function for what
its column says; a few others are built as part of these.

This file is written by ` + "`go generate ./tests/conformance`" + `; the test is
` + "`go test ./tests/conformance`" + `.

`

const tail = `
The programs go to both as portable artifacts, so each operation has a form there.
Operations of CHLO have none: stablehlo.PortableArtifact writes operations of StableHLO in
their place. Operations and attributes of Shardy stay as they are.

XLA CPU itself drops a NaN in maximum, minimum and clamp, and takes -0 for 0 there.
bridge.Client.Compile sets the flag that prevents this (see engine.CompileOptions.Flags).
The plugin of PJRT 0.81 still drops a NaN when it folds one of these operations on constants.
`

func table(t *testing.T) string {
	functions := builderFunctions(t)
	var b strings.Builder
	version := check.Must(stablehlo.CurrentVersion(mlirtest.Library(t)))
	fmt.Fprintf(&b, head, version[:strings.LastIndexByte(version, '.')])
	b.WriteString("| operation | package stablehlo | package builder | interpreter | XLA CPU | judged by | samples |\n|---|---|---|---|---|---|---|\n")
	var notes []string
	note := func(text string) string {
		i := slices.Index(notes, text)
		if i < 0 {
			notes = append(notes, text)
			i = len(notes) - 1
		}
		return fmt.Sprintf(" [%d]", i+1)
	}
	inSpecification := strings.Fields(specified)
	for _, name := range facts(t) {
		var interpreter, xla runs
		var judges, abouts []string
		for i := range samples {
			s := &samples[i]
			if s.op != name {
				continue
			}
			abouts = append(abouts, s.about)
			interpreter.add(s.notInterpreted)
			xla.add(s.notXLA)
			if s.quantized {
				interpreter.departs = append(interpreter.departs, legalized)
				xla.departs = append(xla.departs, legalized)
			}
			if s.op == "collective_reduce" {
				xla.departs = append(xla.departs, "it is made an all_reduce, of which the other devices take zeros, by passes.Prepare")
			}
			if s.departs != "" {
				if s.xlaSays != nil {
					xla.departs = append(xla.departs, s.departs)
				} else {
					interpreter.departs = append(interpreter.departs, s.departs)
				}
			}
			if s.notInterpreted == "" && s.notXLA == "" {
				judges = append(judges, "each other")
			}
			if s.notInterpreted == "" || s.notXLA == "" {
				_, judge, err := s.wanted()
				check.NoError(t, err)
				judges = append(judges, judge)
			}
		}
		slices.Sort(judges)
		judges = slices.DeleteFunc(slices.Compact(judges), func(j string) bool { return j == "" })
		if len(judges) == 0 {
			judges = []string{"nothing but the verifier"}
		}
		mark := ""
		if !slices.Contains(inSpecification, name) {
			mark = "*"
		}
		fmt.Fprintf(&b, "| %s%s | `%s` | %s | %s | %s | %s | %d |\n", name, mark, goTypes["stablehlo."+name],
			code(functions["stablehlo."+name]), interpreter.cell(note), xla.cell(note), strings.Join(judges, ", "),
			len(abouts))
	}
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s.\n", i+1, strings.ToUpper(n[:1])+n[1:])
	}
	b.WriteString(tail)
	return b.String()
}

const legalized = "quantized numbers are made integers first, by the pass stablehlo-legalize-quant-to-math"

// runs is what one of the two does with an operation's samples.
type runs struct {
	yes     bool
	cannot  []string
	departs []string // and what else there is to say
}

func (r *runs) add(cannot string) {
	if cannot == "" {
		r.yes = true
	} else if !slices.Contains(r.cannot, cannot) {
		r.cannot = append(r.cannot, cannot)
	}
}

func (r *runs) cell(note func(string) string) string {
	text := "no"
	if r.yes {
		text = "yes"
	}
	for _, n := range slices.Concat(r.cannot, r.departs) {
		text += note(n)
	}
	return text
}

func code(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// builderFunctions are the exported functions of package builder that stand for an
// operation: in themselves or in what they call first they have its name, which errors
// say, or they hand its full name on. Where there are none, they are those that use its
// struct with the fewest calls in between.
func builderFunctions(t *testing.T) map[string][]string {
	t.Helper()
	operation := map[string]string{} // Go name -> operation
	for op, name := range goTypes {
		operation[name] = op
	}
	uses, says, calls := map[string][]string{}, map[string][]string{}, map[string][]string{}
	var exported []string
	for _, f := range sources(t, "../../builder") {
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			name := function.Name.Name
			switch receiver := receiverOf(function); {
			case receiver != "" && ast.IsExported(receiver) && ast.IsExported(name):
				name = receiver + "." + name
				exported = append(exported, name)
			case receiver == "" && ast.IsExported(name):
				exported = append(exported, name)
			}
			ast.Inspect(function.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if from, ok := n.X.(*ast.Ident); ok && from.Name == "stablehlo" {
						uses[name] = append(uses[name], operation[n.Sel.Name])
						return false
					}
				case *ast.CallExpr:
					switch called := n.Fun.(type) {
					case *ast.Ident:
						calls[name] = append(calls[name], called.Name)
					case *ast.SelectorExpr:
						calls[name] = append(calls[name], called.Sel.Name)
					}
				case *ast.BasicLit:
					text, err := strconv.Unquote(n.Value)
					switch {
					case err != nil || n.Kind != token.STRING:
					case strings.HasPrefix(text, "stablehlo."):
						uses[name] = append(uses[name], text)
					default:
						says[name] = append(says[name], "stablehlo."+text)
					}
				}
				return true
			})
		}
	}
	called := func(name string) []string { return slices.DeleteFunc(calls[name], ast.IsExported) }
	// distance is how many calls, of functions that are not exported, are between a
	// function and the use of an operation's name; -1 where that is more than a few.
	distance := func(from, op string) int {
		names := []string{from}
		for n := range 5 {
			var next []string
			for _, name := range names {
				if slices.Contains(uses[name], op) {
					return n
				}
				next = append(next, called(name)...)
			}
			slices.Sort(next)
			names = slices.Compact(next)
		}
		return -1
	}
	found := map[string][]string{}
	for _, op := range operation {
		var named, near []string
		nearest := 5
		for _, name := range exported {
			n := distance(name, op)
			if n < 0 {
				continue
			}
			stands := slices.Contains(says[name], op) || n == 0 && len(says[name]) == 0
			for _, next := range called(name) {
				stands = stands || slices.Contains(says[next], op)
			}
			if stands {
				named = append(named, name)
			}
			if n < nearest {
				near, nearest = nil, n
			}
			if n == nearest {
				near = append(near, name)
			}
		}
		if len(named) == 0 {
			named = near
		}
		slices.Sort(named)
		found[op] = named
	}
	return found
}

// receiverOf is the type that a method belongs to, "" for a function.
func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// sources are the files of a package, without tests.
func sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	check.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		check.NoError(t, err)
		files = append(files, f)
	}
	return files
}

// TestRefusals holds that what the samples say cannot be run is refused in so many words.
func TestRefusals(t *testing.T) {
	isRefused := func(s *sample) bool { return s.notInterpreted == refused || s.notInterpreted == alone }
	for i := range samples {
		s := &samples[i]
		if can := stablehlo.Evaluates("stablehlo." + s.op); can == isRefused(s) && !s.quantized {
			t.Errorf("%s: stablehlo.Evaluates says %v, the sample %q", s.name(), can, s.notInterpreted)
		}
	}
	list := programs(t, isRefused)
	answers, err := interpret(t.Context(), list)
	check.NoError(t, err)
	for i, p := range list {
		// What the program needs besides may be refused first.
		if !strings.HasPrefix(answers[i].Error, "stablehlo: evaluating stablehlo.") {
			t.Errorf("%s: the interpreter says %q", p, answers[i].Error)
		}
	}
	for _, p := range programs(t, func(s *sample) bool { return s.notXLA != "" && s.notXLA != hosts }) {
		why := "can't be translated to XLA HLO"
		if p.samples[0].notXLA == noCode {
			why = "is not supported by XLA:CPU"
		}
		if _, err := onXLA(t.Context(), client, p); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: XLA says %v, want %q", p, err, why)
		}
	}
}
