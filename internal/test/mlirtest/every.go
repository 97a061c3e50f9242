package mlirtest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// EveryOperation creates the operations of the default library in many forms, with the
// attributes that its errors name, puts terminators into its regions, and removes each
// attribute. It verifies, prints, writes, copies and walks the results, and checks that none of
// this ends the process. Without the build tag engines, it takes only those of the dialects
// that programs build directly, and with it all but the largest dialects, which take minutes.
// The environment variable CALLIOPE_TEST_EVERY=1 adds these.
func EveryOperation(t *testing.T) {
	t.Helper()
	Outlives(t, func(t *testing.T, start int) {
		library := Library(t)
		names := operationNames(t, library)
		if os.Getenv("CALLIOPE_TEST_EVERY") == "" {
			names = slices.DeleteFunc(names, func(name string) bool {
				dialect, _, _ := strings.Cut(name, ".")
				return slices.Contains(largeDialects, dialect) || furtherEngines == nil &&
					!slices.Contains(builtDialects, dialect)
			})
		}
		if len(names) < fewestOperations {
			t.Fatalf("found only %d operations in %s", len(names), library.Path())
		}
		for n, name := range names {
			if n >= start {
				every(t, library, n, name, names)
			}
		}
	})
}

// fewestOperations is less than the number of operations that are found.
const fewestOperations = 500

var builtDialects = strings.Fields(
	`arith builtin cf chlo complex func index linalg math memref quant scf shape stablehlo
	tensor vector`)

var largeDialects = strings.Fields("acc amdgpu arm_sme omp rocdl smt spirv torch transform vhlo wasmssa")

var operationName = regexp.MustCompile(`[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)+`)

func outsideOfNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.'
}

// operationNames finds the operations of a library among the strings in its file, because the
// C API does not list them.
func operationNames(t *testing.T, l *mlir.Library) []string {
	data, err := os.ReadFile(l.Path())
	check.NoError(t, err)
	candidates := map[string]bool{}
	for word := range bytes.FieldsFuncSeq(data, outsideOfNames) { // the expression takes seconds for the whole file
		if bytes.IndexByte(word, '.') >= 0 {
			for _, found := range operationName.FindAll(word, -1) {
				candidates[string(found)] = true
			}
		}
	}
	c := ContextOf(t, l)
	var names []string
	dialects := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		dialect, _, _ := strings.Cut(name, ".")
		known, asked := dialects[dialect]
		if !asked {
			known = c.LoadDialect(dialect) == nil
			dialects[dialect] = known
		}
		if known && c.Registered(name) {
			names = append(names, name)
		}
	}
	return names
}

var ending = regexp.MustCompile(
	`[._](return|yield|terminator|end|done|br|in_parallel|results|condition|apply_native_constraint)$`)

type everyOperation struct {
	c          *mlir.Context
	name       string
	number     int
	ends       []string
	attributes []mlir.Attribute
	kinds      map[string]int // the index of the attribute that was accepted last, by name
}

func every(t *testing.T, l *mlir.Library, number int, name string, names []string) {
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	e := &everyOperation{c: c, name: name, number: number, kinds: map[string]int{}}
	dialect, _, _ := strings.Cut(name, ".")
	for _, other := range names {
		if strings.HasPrefix(other, dialect+".") && ending.MatchString(other) {
			e.ends = append(e.ends, other)
		}
	}
	e.ends = append(e.ends, "func.return")
	for _, text := range anyAttributes {
		if a, err := c.ParseAttribute(text); err == nil {
			e.attributes = append(e.attributes, a)
		}
	}
	for _, text := range []string{"tensor<2xf32>", "i32"} {
		typ, err := c.ParseType(text)
		if err != nil {
			continue
		}
		for operands := range 3 {
			for results := range 2 {
				for regions := range 2 {
					e.form(typ, operands, results, regions)
				}
			}
		}
	}
}

// anyAttributes has attributes of many kinds, one of which is usually what an operation needs.
var anyAttributes = []string{
	`"x"`, "1 : i64", "1 : i32", "@x", "() -> ()", "i32", "tensor<2xf32>", "array<i64: 0>", "array<i32: 0>",
	"array<i1: true>", "[]", "[0]", "[@x]",
	"dense<1> : tensor<2xi64>", "dense<1.0> : tensor<2xf32>", "dense<1> : tensor<1x1xi64>", "affine_map<() -> ()>",
	"affine_map<(d0) -> (d0)>", "affine_set<() : (0 == 0)>",
	"true", "unit", "{}", "1.0 : f32", "1 : index", "1 : i8", "1 : i16", "0 : i1", "[affine_map<() -> ()>]",
	`["parallel"]`, `["x"]`, "@x::@y", "loc(unknown)",
	"#stablehlo<comparison_direction EQ>",
	"#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>",
	"#stablehlo.gather<index_vector_dim = 0>", "#stablehlo.scatter<index_vector_dim = 0>",
	"#stablehlo.conv<[b, f]x[o, i]->[b, f]>",
	"#stablehlo<fft_type FFT>", "#stablehlo<rng_distribution UNIFORM>", "#stablehlo<rng_algorithm DEFAULT>",
	"#stablehlo<transpose NO_TRANSPOSE>",
	"#stablehlo.channel_handle<handle = 0, type = 0>", "#llvm.linkage<external>", "#llvm.cconv<ccc>", "!llvm.ptr",
	"!llvm.func<void ()>", "!llvm.struct<(i32)>",
	"#gpu<dim x>", "#gpu.address_space<global>", "#spirv.vce<v1.0, [], []>",
	"#spirv.target_env<#spirv.vce<v1.0, [], []>, #spirv.resource_limits<>>",
}

var needed = regexp.MustCompile(`needs the attribute "?([A-Za-z0-9_.]+)`)

// made creates the operation, with the attributes that the errors name.
func (e *everyOperation) made(s mlir.OperationState, regions int) (mlir.Operation, bool) {
	wants, tries, kind := "", 0, 0 // the attribute that an error names, and the index of its value
	for {
		s.Regions = nil
		for range regions {
			s.Regions = append(s.Regions, e.c.NewRegion())
		}
		op, err := mlir.Create(e.c, s)
		var next []string
		if err != nil {
			if next = needed.FindStringSubmatch(err.Error()); next == nil {
				return op, false
			}
		}
		if wants != "" && (err == nil || next[1] != wants) {
			e.kinds[wants] = kind // it was accepted
		}
		switch {
		case err == nil:
			return op, true
		case next[1] != wants:
			wants, tries = next[1], 0
			if slices.ContainsFunc(s.Attributes, func(a mlir.NamedAttribute) bool { return a.Name == wants }) {
				return op, false
			}
			s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: wants})
		case tries > len(e.attributes):
			return op, false
		}
		if kind = tries - 1; tries == 0 {
			kind = e.kinds[wants]
		}
		if kind == len(e.attributes) {
			return op, false
		}
		s.Attributes[len(s.Attributes)-1].Value = e.attributes[kind]
		tries++
	}
}

func (e *everyOperation) form(typ mlir.Type, operands, results, regions int) {
	fmt.Printf("%s%d %s: %d operands and %d results of %s, %d regions\n", CaseMark, e.number, e.name, operands, results,
		typ, regions)
	home := e.c.NewBlock(mlir.Location{}, typ)
	s := mlir.OperationState{Name: e.name}
	for range operands {
		s.Operands = append(s.Operands, home.Argument(0))
	}
	for range results {
		s.Results = append(s.Results, typ)
	}
	bare := s
	for _, a := range e.attributes[:1] { // an attribute that is in no definition
		bare.Attributes = append(bare.Attributes, mlir.NamedAttribute{Name: "x.y", Value: a})
	}
	if op, ok := e.made(bare, regions); ok {
		e.use(op)
	}
	op, ok := e.made(s, regions)
	if !ok {
		return
	}
	e.use(op)
	e.fill(op, typ)
	e.use(op)
	var names []string
	for name := range op.Attributes() {
		names = append(names, name)
	}
	for _, name := range names {
		before, _ := op.Attribute(name)
		if attempt(func() { op.RemoveAttribute(name) }) {
			e.use(op)
			e.inside(op)
			attempt(func() { op.SetAttribute(name, before) })
		}
	}
	m := e.c.NewModule(mlir.Location{})
	if operands == 0 && attempt(func() { op = m.Body().Append(op) }) {
		e.use(m.Operation())
		e.inside(op)
	}
	m.Close()
}

// attempt reports whether f did not panic. It panics if mlir does not allow it.
func attempt(f func()) (ok bool) {
	defer func() { _ = recover() }()
	f()
	return true
}

// use calls all methods that read an operation.
func (e *everyOperation) use(op mlir.Operation) {
	_ = op.Verify()
	_ = op.String()
	_ = op.Print(mlir.PrintOptions{Generic: true, DebugInfo: true})
	_, _ = op.Bytecode()
	clone := op.Clone()
	_ = clone.Verify()
	_ = clone.Erase()
	op.Walk(func(op mlir.Operation) mlir.WalkAction { _ = op.Name(); return mlir.WalkContinue })
	if table, err := op.SymbolTable(); err == nil {
		_, _ = table.Lookup("x")
	}
}

// fill puts a block into each region, and each possible terminator into the block.
func (e *everyOperation) fill(op mlir.Operation, typ mlir.Type) {
	for i := range op.NumRegions() {
		for _, arguments := range [][]mlir.Type{nil, {typ}} {
			for _, name := range e.ends {
				block := e.c.NewBlock(mlir.Location{}, arguments...)
				op.Region(i).Append(block)
				s := mlir.OperationState{Name: name}
				for _, v := range block.Arguments() {
					s.Operands = append(s.Operands, v)
				}
				if end, ok := e.made(s, 0); ok {
					end = block.Append(end)
					fmt.Printf("%s%d %s: with %s of %d\n", CaseMark, e.number, e.name, name, len(arguments))
					e.use(end)
					e.use(op)
				}
				if err := block.Erase(); err != nil {
					return
				}
			}
		}
	}
}

// inside uses the operations in the regions.
func (e *everyOperation) inside(op mlir.Operation) {
	for inner := range op.All() {
		_ = inner.Verify()
		_ = inner.String()
	}
}
