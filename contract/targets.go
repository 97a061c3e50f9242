package contract

import (
	"maps"
	"slices"
	"strings"
)

// The custom call targets of the contract, and of its further encodings.
const (
	TargetIOCallback          = "calliope_io_callback"
	TargetRuntimeCall         = "calliope_runtime_call"
	TargetEXLAIOCallback      = "exla_io_callback"
	TargetEXLARuntimeCallback = "exla_runtime_callback"
	TargetEXLAElixirCallback  = "exla_elixir_callback"
)

// Targets returns the custom call targets of the contract and of its further encodings.
func Targets() []string {
	return []string{TargetIOCallback, TargetRuntimeCall, TargetEXLAIOCallback, TargetEXLARuntimeCallback,
		TargetEXLAElixirCallback}
}

// IsTarget reports whether a target is one of Targets.
func IsTarget(target string) bool { return slices.Contains(Targets(), target) }

// The custom call targets of JAX's callbacks on CPU. Their calls do not follow the contract: the
// attribute index, a ui64, says which callback of the module is called, counted from 0 in the order
// in which JAX lowered them. Those of an ordered callback have a token as the first operand and the
// first result. The callbacks of TargetJAXPartitioned have no results.
const (
	TargetJAX            = "xla_ffi_python_cpu_callback"
	TargetJAXPartitioned = "xla_ffi_partitioned_python_cpu_callback"
)

// JAXTargets returns the custom call targets of JAX's callbacks on CPU.
func JAXTargets() []string { return []string{TargetJAX, TargetJAXPartitioned} }

// IsJAXTarget reports whether a target is one of JAXTargets.
func IsJAXTarget(target string) bool { return slices.Contains(JAXTargets(), target) }

// A PythonTarget says how the calls of a custom call target name a Python function of JAX.
type PythonTarget uint8

const (
	NotPython       PythonTarget = iota
	PythonByIndex                // by the index of a callback of the module: see TargetJAX
	PythonByAddress              // by the address of an object of the process that made the module
)

// PythonTargetOf returns how a target names a Python function. It knows the targets of each platform
// and of older versions of JAX. Only JAXTargets can be served.
func PythonTargetOf(target string) PythonTarget { return pythonTargets[target].by }

// IsPlaced reports whether XLA observes a maximal sharding in Shardy's form of the calls of a target,
// so that one device makes them.
func IsPlaced(target string) bool { return pythonTargets[target].placed }

var pythonTargets = map[string]struct {
	by     PythonTarget
	placed bool
}{
	TargetJAX:                                 {PythonByIndex, true},
	"xla_ffi_python_gpu_callback":             {PythonByIndex, true},
	TargetJAXPartitioned:                      {PythonByIndex, false},
	"xla_ffi_partitioned_python_gpu_callback": {PythonByIndex, false},
	"xla_python_cpu_callback":                 {PythonByAddress, true},
	"xla_python_gpu_callback":                 {PythonByAddress, true},
	"xla_buffer_python_cpu_callback":          {PythonByAddress, false},
	"xla_buffer_python_gpu_callback":          {PythonByAddress, false},
}

// An XLATarget says what XLA does with the calls of a custom call target.
type XLATarget uint8

const (
	// NotXLA is a target that XLA knows nothing of.
	NotXLA XLATarget = iota
	// XLAInternal is a target of calls that only XLA's own passes write. Its compilers end the process if the shapes
	// of such a call are others.
	XLAInternal
	// XLAElsewhere is a target of XLA's own that its CPU compilers refuse, or some of them. It has no
	// side effect outside the program.
	XLAElsewhere
	// XLAPartitioned is an annotation that the CPU compilers take only in a module that several devices
	// share.
	XLAPartitioned
	// XLACompiled is a target that each CPU compiler takes, with any api_version: an annotation, or an
	// operation that it expands.
	XLACompiled
)

// XLATargetOf returns what XLA does with a target. What the CPU compilers take was tried on each CPU
// plugin that package native fetches.
func XLATargetOf(target string) XLATarget {
	if chloTargets[target] != "" {
		return XLACompiled
	}
	if known := xlaTargets[target]; known != NotXLA {
		return known
	}
	for _, prefix := range []string{"xla.", "mhlo.", "stablehlo.", "chlo.", "__gpu$", "__cu", "tpu_"} {
		if strings.HasPrefix(target, prefix) {
			return XLAElsewhere
		}
	}
	for _, half := range []string{"-start", "-done"} {
		if name, ok := strings.CutSuffix(target, half); ok && slices.Contains(inHalves, name) {
			return XLAElsewhere
		}
	}
	return NotXLA
}

// inHalves are the collective operations that compilers write as two calls, of which one starts it.
var inHalves = []string{"all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter"}

// IsCheckTarget reports whether StableHLO's interpreter serves a target, which compares two arrays: in StableHLO's test
// data.
func IsCheckTarget(target string) bool {
	return slices.Contains([]string{"check.eq", "check.expect_almost_eq", "check.expect_close", "check.expect_eq"}, target)
}

// The targets of annotations, and that of JAX's assertions of shapes.
const (
	// TargetResultSharding has the sharding of a function's result.
	TargetResultSharding = "xla.sdy.FuncResultSharding"
	// TargetShapeAssertion is evaluated by stablehlo.Refine.
	TargetShapeAssertion = "shape_assertion"
)

var xlaTargets = map[string]XLATarget{
	"ApproxTopK":       XLACompiled,
	"Eigh":             XLACompiled,
	"LayoutConstraint": XLACompiled,
	"ProductOfElementaryHouseholderReflectors": XLACompiled,
	"Qr":                         XLACompiled,
	"SPMDFullToShardShape":       XLACompiled,
	"SPMDShardToFullShape":       XLACompiled,
	"Sharding":                   XLACompiled,
	"TopK":                       XLACompiled,
	TargetResultSharding:         XLACompiled,
	"xla.sdy.PropagationBarrier": XLACompiled,
	"xla.sdy.ShardingGroup":      XLACompiled,

	"xla.sdy.GlobalToLocalShape": XLAPartitioned,
	"xla.sdy.LocalToGlobalShape": XLAPartitioned,

	"AllocateBuffer":            XLAElsewhere,
	"CreateBuffer":              XLAElsewhere,
	"DynamicGatherBarrier":      XLAElsewhere,
	"MoveToDevice":              XLAElsewhere,
	"MoveToHost":                XLAElsewhere,
	"PadToStatic":               XLAElsewhere,
	"Pin":                       XLAElsewhere,
	"PinToDevice":               XLAElsewhere,
	"SliceToDynamic":            XLAInternal,
	"Unpin":                     XLAElsewhere,
	"X64Combine":                XLAElsewhere,
	"X64SplitHigh":              XLAElsewhere,
	"X64SplitLow":               XLAElsewhere,
	"annotate_device_placement": XLAElsewhere,
	TargetShapeAssertion:        XLAElsewhere,
}

// XLATargets returns the targets of XLA's own that it serves so, in no order.
func XLATargets(served XLATarget) (list []string) {
	for target, known := range xlaTargets {
		if known == served {
			list = append(list, target)
		}
	}
	if served == XLACompiled {
		list = slices.AppendSeq(list, maps.Keys(chloTargets))
	}
	return list
}

// CHLOOperation returns the name of the operation of CHLO that the calls of a target stand for, or "". XLA's libraries
// write such calls, with the attributes of the operation as mhlo.attributes, for readers that lack CHLO.
func CHLOOperation(target string) string { return chloTargets[target] }

// chloTargets are those that each CPU compiler takes.
var chloTargets = map[string]string{
	"mhlo.acos":  "chlo.acos",
	"mhlo.acosh": "chlo.acosh",
	"mhlo.asin":  "chlo.asin",
	"mhlo.asinh": "chlo.asinh",
	"mhlo.atanh": "chlo.atanh",
	"mhlo.cosh":  "chlo.cosh",
	"mhlo.erf":   "chlo.erf",
	"mhlo.sinh":  "chlo.sinh",
	"mhlo.tan":   "chlo.tan",
	"mhlo.topk":  "chlo.top_k",
}

// routines are those of LAPACK that JAX calls, without the letter of the element type. The names
// of some differ for complex types.
var (
	routines = []string{"trsm", "getrf", "geqrf", "geqp3", "potrf", "gesdd", "gesvd", "geev", "gees", "gehrd",
		"gtsv"}
	realRoutines    = []string{"orgqr", "ormqr", "syevd", "sytrd"}
	complexRoutines = []string{"ungqr", "unmqr", "heevd", "hetrd"}
)

// LAPACKTargets returns the targets of JAX that package bridge/lapack serves, in no order.
func LAPACKTargets() []string { return slices.Collect(maps.Keys(lapackTargets)) }

// IsLAPACKTarget reports whether a target is one of LAPACKTargets.
func IsLAPACKTarget(target string) bool { return lapackTargets[target] }

var lapackTargets = func() map[string]bool {
	list := map[string]bool{}
	for _, letter := range "sdcz" {
		further := realRoutines
		if letter == 'c' || letter == 'z' {
			further = complexRoutines
		}
		for _, routine := range slices.Concat(routines, further) {
			list["lapack_"+string(letter)+routine+"_ffi"] = true
		}
	}
	return list
}()
