package jaxexport

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Exported is a function that jax.export serialized.
type Exported struct {
	Name string // of the function in Python
	// Module is the module in MLIR bytecode, usually a portable artifact. It shares memory
	// with the data that was read.
	Module []byte
	// CallingConvention is the version of the convention that the module follows: see
	// Exported.calling_convention_version of JAX.
	CallingConvention int
	// Platforms are the names of the platforms that the module is for, such as "cpu" and
	// "cuda". If there are several, the module takes an index into this list.
	Platforms []string
	Inputs    []Array // the flat list of all inputs
	Outputs   []Array
	// Kept are the indices of those inputs that the module takes, in ascending order. JAX
	// removes the others, which the function does not use.
	Kept             []int
	Devices          int // number of devices that the module is for
	OrderedEffects   []string
	UnorderedEffects []string
	// DisabledChecks are the safety checks that were disabled when the function was
	// exported.
	DisabledChecks []Check
	// GlobalConstants reports whether the module computes dimensions, or takes the index of
	// the platform.
	GlobalConstants bool
	// VJP is the function's vector-Jacobian product, or nil if the file does not have it.
	VJP *Exported

	arguments pytree // with the inputs as leaves
}

// PlatformIndex returns the index of a platform in Platforms, whose names are "cpu",
// "cuda", "rocm" and "tpu". It returns false if the
// module is not for this platform.
func (e *Exported) PlatformIndex(platform string) (int, bool) {
	i := slices.Index(e.Platforms, platform)
	return max(i, 0), i >= 0
}

// Allows reports whether the module may run on a platform: whether it is for the platform,
// or the check of the platform is disabled.
func (e *Exported) Allows(platform string) bool {
	if _, ok := e.PlatformIndex(platform); ok {
		return true
	}
	return slices.ContainsFunc(e.DisabledChecks, func(c Check) bool { return c.Kind == PlatformCheck })
}

// An Array is the type of an input or an output: JAX's abstract value.
type Array struct {
	// Type is JAX's name of the element type, for example "f32" or "ui8". It is "token"
	// for a token.
	Type string
	// Dims are the dimensions: numbers, or expressions of symbols, such as "2*b".
	Dims []string
}

// String returns the type in the form f32[2*b,3].
func (a Array) String() string { return a.Type + "[" + strings.Join(a.Dims, ",") + "]" }

// Shape returns the shape of an array whose dimensions are numbers. It returns false for
// others, and for element types that StableHLO lacks.
func (a Array) Shape() (tensor.Shape, bool) {
	d, ok := elementTypes[a.Type]
	dims := make([]int, len(a.Dims))
	for i, text := range a.Dims {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return tensor.Shape{}, false
		}
		dims[i] = n
	}
	s := tensor.ShapeOf(d, dims...)
	return s, ok && s.Check() == nil
}

// A Check is a safety check of jax.export.
type Check struct {
	Kind CheckKind
	// Target is the target of the custom calls that are allowed, for CustomCallCheck. Empty
	// means all.
	Target string
}

// A CheckKind is the kind of a Check.
type CheckKind int

// The safety checks of jax.export.DisabledSafetyCheck.
const (
	PlatformCheck        CheckKind = iota // the platform is one of Platforms
	CustomCallCheck                       // targets of custom calls are stable
	ShapeAssertionsCheck                  // shapes fit the symbols
)

// String returns the check's name in JAX.
func (k CheckKind) String() string {
	switch k {
	case PlatformCheck:
		return "platform"
	case CustomCallCheck:
		return "custom_call"
	case ShapeAssertionsCheck:
		return "shape_assertions"
	}
	return "check " + strconv.Itoa(int(k))
}

// Is reports whether data looks like a serialized Exported: a flatbuffer whose root has a
// version and a module in MLIR bytecode. Read may fail nevertheless.
func Is(data []byte) bool {
	r := &reader{data: data, left: allowance(data)}
	root, err := r.root()
	if err != nil {
		return false
	}
	version, module := root.number(fieldVersion, 2), root.bytes(fieldModule)
	return r.err == nil && version > 0 && isBytecode(module)
}

func isBytecode(data []byte) bool {
	return strings.HasPrefix(string(data[:min(len(data), 4)]), "ML\xefR")
}

// Read reads a serialized Exported. The data must not be changed while Module is used.
func Read(data []byte) (*Exported, error) {
	r := &reader{data: data, left: allowance(data)}
	root, err := r.root()
	if err != nil {
		return nil, err
	}
	e := r.exported(root, 0)
	if r.err != nil {
		return nil, r.err
	}
	return e, nil
}

// The fields of the table Exported.
const (
	fieldVersion = iota
	fieldName
	fieldInTree
	fieldInputs
	_ // out_tree
	fieldOutputs
	fieldShortDevices
	_ // in_shardings
	_ // out_shardings
	fieldPlatforms
	fieldOrdered
	fieldUnordered
	fieldChecks
	fieldModule
	fieldConvention
	fieldKept
	fieldConstants
	fieldVJP
	fieldDevices
	fieldUnique
	_ // unique_abstract_meshes
	_ // unique_named_shardings
	fieldInputIndices
	fieldOutputIndices
)

// maxVJP limits how many derivatives are nested. JAX writes as many as the user asks for,
// and each is several times larger than the one before.
const maxVJP = 32

func (r *reader) exported(t table, depth int) *Exported {
	e := &Exported{
		Name:              t.text(fieldName),
		Module:            t.bytes(fieldModule),
		CallingConvention: int(t.number(fieldConvention, 2)),
		Platforms:         t.texts(fieldPlatforms),
		Devices:           int(t.number(fieldDevices, 4)),
		GlobalConstants:   t.number(fieldConstants, 1) != 0,
	}
	if e.Devices == 0 { // before November 2025
		e.Devices = int(t.number(fieldShortDevices, 2))
	}
	for _, i := range t.numbers(fieldKept, 2) {
		e.Kept = append(e.Kept, int(i))
	}
	unique := r.arrays(t.tables(fieldUnique))
	e.Inputs = r.inputs(t, unique, fieldInputIndices, fieldInputs)
	e.Outputs = r.inputs(t, unique, fieldOutputIndices, fieldOutputs)
	if tree, ok := t.table(fieldInTree); ok {
		e.arguments = r.pytree(tree, 0)
	}
	for _, effect := range t.tables(fieldOrdered) {
		e.OrderedEffects = append(e.OrderedEffects, effect.text(0))
	}
	for _, effect := range t.tables(fieldUnordered) {
		e.UnorderedEffects = append(e.UnorderedEffects, effect.text(0))
	}
	for _, c := range t.tables(fieldChecks) {
		e.DisabledChecks = append(e.DisabledChecks, Check{CheckKind(c.number(0, 1)), c.text(1)})
	}
	if vjp, ok := t.table(fieldVJP); ok {
		if depth == maxVJP {
			r.fail(fmt.Errorf("it has more than %d nested derivatives", maxVJP))
			return e
		}
		e.VJP = r.exported(vjp, depth+1)
	}
	switch {
	case r.err != nil:
	case !isBytecode(e.Module):
		r.fail(errors.New("it has no MLIR module in bytecode"))
	default:
		r.check(e)
	}
	return e
}

// check returns an error for indices that refer to nothing.
func (r *reader) check(e *Exported) {
	last := -1
	for _, i := range e.Kept {
		if i <= last || i >= len(e.Inputs) {
			r.fail(fmt.Errorf("its module takes the inputs %v, but there are %d inputs", e.Kept, len(e.Inputs)))
			return
		}
		last = i
	}
}

// inputs reads a list of arrays: by their indices in unique, or, before April 2026, in full.
func (r *reader) inputs(t table, unique []Array, indices, full int) []Array {
	list := t.numbers(indices, 4)
	if list == nil {
		return r.arrays(t.tables(full))
	}
	var arrays []Array
	for _, i := range list {
		if i >= uint64(len(unique)) {
			r.fail(fmt.Errorf("it refers to the type %d of %d", i, len(unique)))
			return nil
		}
		arrays = append(arrays, unique[i])
	}
	return arrays
}

func (r *reader) arrays(tables []table) []Array {
	var list []Array
	for _, t := range tables {
		if t.number(0, 1) == 1 { // AbstractValueKind.abstractToken
			list = append(list, Array{Type: "token"})
			continue
		}
		a := Array{Dims: t.texts(1), Type: "type " + strconv.FormatUint(t.number(2, 1), 10)}
		if d := t.number(2, 1); d < uint64(len(typeNames)) {
			a.Type = typeNames[d]
		}
		list = append(list, a)
	}
	return list
}

// typeNames are the names of the enumeration DType, in its order.
var typeNames = [...]string{
	"bool", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64", "c64", "c128", "bf16", "i4",
	"ui4",
	"f8_e4m3b11fnuz", "f8_e4m3fn", "f8_e4m3fnuz", "f8_e5m2", "f8_e5m2fnuz", "f0", "f8_e4m3", "f8_e3m4", "f8_e8m0fnu",
	"f4_e2m1fn",
	"key_fry", "key_rbg", "key_unsafe_rbg",
}

// elementTypes lacks f0, which JAX passes as booleans, and random keys.
var elementTypes = map[string]tensor.DType{
	"bool": tensor.Pred, "i4": tensor.S4, "i8": tensor.S8, "i16": tensor.S16, "i32": tensor.S32, "i64": tensor.S64,
	"ui4": tensor.U4, "ui8": tensor.U8, "ui16": tensor.U16, "ui32": tensor.U32, "ui64": tensor.U64,
	"f16": tensor.F16, "bf16": tensor.BF16, "f32": tensor.F32, "f64": tensor.F64, "c64": tensor.C64,
	"c128":           tensor.C128,
	"f8_e4m3b11fnuz": tensor.F8E4M3B11FNUZ, "f8_e4m3fn": tensor.F8E4M3FN, "f8_e4m3fnuz": tensor.F8E4M3FNUZ,
	"f8_e5m2": tensor.F8E5M2, "f8_e5m2fnuz": tensor.F8E5M2FNUZ, "f8_e4m3": tensor.F8E4M3, "f8_e3m4": tensor.F8E3M4,
	"f8_e8m0fnu": tensor.F8E8M0FNU, "f4_e2m1fn": tensor.F4E2M1FN,
}
