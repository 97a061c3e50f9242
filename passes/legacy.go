package passes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// LegacyRegistry is the name of the registry of package callbacks/legacy.
const LegacyRegistry = "legacy"

// A LegacyCall is a custom call of the conventions that XLA had before its typed FFI.
type LegacyCall struct {
	Op          mlir.Operation // itself, until ReplaceLegacy replaces it
	Operation   string         // its name: stablehlo.custom_call or mhlo.custom_call
	Location    mlir.Location
	Target      string
	Version     int    // api_version, 0 to 3
	Opaque      string // backend_config
	Tuples      string // the tuples of its operands and results: see contract.Config
	Unsupported error  // why ReplaceLegacy leaves it, or nil
}

// LegacyOptions are the options of ReplaceLegacy. The zero value is useful.
type LegacyOptions struct {
	// Registry is the name of the functions' registry. "" is LegacyRegistry.
	Registry string
	// Callback returns the name of the function that serves a call. A call for which it returns "" stays, and is
	// not in the result. Nil means the target of the call.
	Callback func(LegacyCall) string
	// KeepSpelling leaves calls in JAX's spelling of the typed FFI as they are.
	KeepSpelling bool
}

// A LegacyResult states what ReplaceLegacy did.
type LegacyResult struct {
	Calls     []LegacyCall // that were replaced, in the order of the text
	Respelled int          // calls in JAX's spelling of the typed FFI that have the usual one now
	Skipped   []Skipped    // calls that stay, with the reason
}

// AsLegacyCall reads a custom call of api_version 0 to 3, of the dialect stablehlo or mhlo. It returns false
// for other operations, for calls of the contract's targets and of those that XLA serves itself, and for JAX's
// spelling of a typed call.
func AsLegacyCall(op mlir.Operation) (LegacyCall, bool) {
	o, ok := readLegacy(op)
	return o.call, ok
}

// ReplaceLegacy replaces custom calls of api_version 0 to 3 by calls of XLA's typed FFI that follow the
// contract, so that the functions of package callbacks/legacy serve them. It changes nothing else of what they
// mean:
//
//   - The opaque string, the version and the tuples are in keys of the contract.
//   - Operands that are tuples become their arrays. Results become their arrays, and tuples of them for
//     the operations that use the results. If @main has parameters or results that are tuples, they become
//     their elements, because XLA runs no other program.
//   - has_side_effect, called_computations, layouts and attributes of other dialects stay. Output operand aliases
//     name the arrays.
//
// A call in JAX's spelling of the typed FFI, version 1 with mhlo.backend_config, gets the usual spelling, unless
// LegacyOptions.KeepSpelling is set.
//
// A call stays if an array has a layout other than row-major, elements of less than a byte or no rank, if an operand
// or a result is a token, or if its attributes are not those of an old call. After an error, the module may be changed
// in part: to keep it, rewrite a Clone.
func ReplaceLegacy(m *mlir.Module, o LegacyOptions) (LegacyResult, error) {
	o.Registry = cmp.Or(o.Registry, LegacyRegistry)
	if o.Callback == nil {
		o.Callback = func(c LegacyCall) string { return c.Target }
	}
	result, err := o.replace(m)
	if err != nil {
		return result, fmt.Errorf("passes: ReplaceLegacy: %w", err)
	}
	return result, m.Verify()
}

func (o LegacyOptions) replace(m *mlir.Module) (result LegacyResult, err error) {
	var tuples []mlir.Value
	if o.nested(m) {
		if tuples, err = flattenParameters(m); err != nil {
			return result, err
		}
	}
	for _, op := range slices.Collect(m.Operation().All()) {
		if !o.KeepSpelling && respelled(op) {
			result.Respelled++
			continue
		}
		l, name := o.read(op)
		if name == "" {
			continue
		}
		if l.call.Unsupported != nil {
			result.Skipped = append(result.Skipped, Skipped{op.Name(), op.Location(), l.call.Unsupported.Error()})
			continue
		}
		config := contract.Config{
			Form: contract.Pure, Callback: name, Registry: o.Registry,
			Legacy: contract.Legacy{Version: int64(max(l.call.Version, 1)), Opaque: l.call.Opaque,
				Tuples: l.call.Tuples},
		}
		if err := l.replace(config); err != nil {
			return result, err
		}
		tuples = append(tuples, l.tuples...)
		result.Calls = append(result.Calls, l.call)
	}
	for _, v := range slices.Backward(tuples) { // the outer ones first
		if err := unpack(v); err != nil {
			return result, err
		}
	}
	return result, nil
}

// read reads a legacy call and returns the name of its function, or "" if there is nothing to replace.
func (o LegacyOptions) read(op mlir.Operation) (legacy, string) {
	l, ok := readLegacy(op)
	if !ok {
		return l, ""
	}
	return l, o.Callback(l.call)
}

// nested reports whether a call that is replaced has tuples.
func (o LegacyOptions) nested(m *mlir.Module) bool {
	for op := range m.Operation().All() {
		if l, name := o.read(op); name != "" && l.call.Unsupported == nil && l.nested() {
			return true
		}
	}
	return false
}

// flattenParameters is flattenMain. It returns the tuples that stand for the parameters, the inner ones first.
func flattenParameters(m *mlir.Module) (tuples []mlir.Value, err error) {
	before := map[mlir.Operation]bool{}
	isTuple := func(op mlir.Operation) bool { return op.Name() == "stablehlo.tuple" }
	for op := range m.Operation().All() {
		if isTuple(op) {
			before[op] = true
		}
	}
	err = flattenMain(m)
	for op := range m.Operation().All() {
		if isTuple(op) && !before[op] {
			tuples = append(tuples, op.Result(0))
		}
	}
	return tuples, err
}

// respelled gives a call in JAX's spelling of the typed FFI the usual one.
func respelled(op mlir.Operation) bool {
	call, ok := stablehlo.AsCustomCall(op)
	dictionary, typed := stablehlo.TypedConfig(op)
	if !ok || !typed || call.APIVersion == stablehlo.TypedFFI {
		return false
	}
	if dictionary.IsNil() {
		dictionary = op.Context().DictionaryAttribute()
	}
	op.SetAttribute("api_version",
		op.Context().IntegerAttribute(op.Context().IntegerType(32, mlir.Signless), stablehlo.TypedFFI))
	op.SetAttribute("backend_config", dictionary)
	op.RemoveAttribute("mhlo.backend_config")
	return true
}

// readLegacy reads a legacy call.
func readLegacy(op mlir.Operation) (legacy, bool) {
	l := legacy{op: op}
	switch op.Name() {
	case "stablehlo.custom_call":
		l.custom, _ = stablehlo.AsCustomCall(op)
	case "mhlo.custom_call":
		l.readMHLO()
	default:
		return legacy{}, false
	}
	target := l.custom.Target
	_, typed := stablehlo.TypedConfig(op)
	if typed || contract.IsTarget(target) || contract.IsCheckTarget(target) ||
		contract.XLATargetOf(target) != contract.NotXLA {
		return legacy{}, false
	}
	l.call = LegacyCall{Op: op, Operation: op.Name(), Location: op.Location(), Target: target,
		Version: l.custom.APIVersion}
	l.call.Unsupported = l.read()
	return l, true
}

// A legacy is a legacy call that is replaced.
type legacy struct {
	op     mlir.Operation
	call   LegacyCall
	custom stablehlo.CustomCallOp
	bad    error // of an attribute
	in     []legacycall.Nest
	out    legacycall.Nest
	flat   stablehlo.CustomCallOp // the replacement, without operands, target and configuration
	tuples []mlir.Value           // that the replacement makes of its results
}

// readMHLO reads a mhlo.custom_call, which has the attributes of stablehlo.custom_call, and a schedule.
func (l *legacy) readMHLO() {
	l.custom = stablehlo.ReadCustomCall(l.op)
	l.custom.Aliases = nil
	aliases, _ := l.op.Attribute("output_operand_aliases")
	if !aliases.IsNil() {
		elements, _ := aliases.Elements()
		for _, e := range elements {
			alias, ok := aliasOfMHLO(e)
			if !ok {
				l.bad = fmt.Errorf("output_operand_aliases has %s, which is no alias", e)
			}
			l.custom.Aliases = append(l.custom.Aliases, alias)
		}
	}
	if schedule, ok := l.op.Attribute("custom_call_schedule"); ok && !strings.Contains(schedule.String(), "NONE") {
		l.bad = fmt.Errorf("it has the schedule %s, which typed calls do not have", schedule)
	}
}

// aliasOfMHLO reads an alias of the dialect mhlo, which is written like one of stablehlo.
func aliasOfMHLO(a mlir.Attribute) (stablehlo.OutputOperandAlias, bool) {
	if alias, ok := stablehlo.AsOutputOperandAlias(a); ok {
		return alias, true
	}
	rest, ok := strings.CutPrefix(a.String(), "#mhlo.")
	if !ok {
		return stablehlo.OutputOperandAlias{}, false
	}
	same, err := a.Context().ParseAttribute("#stablehlo." + rest)
	if err != nil {
		return stablehlo.OutputOperandAlias{}, false
	}
	return stablehlo.AsOutputOperandAlias(same)
}
