package stablehlo

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
	"github.com/calliope-mlir/calliope/mlir"
)

// IsPortableArtifact reports whether data is a portable artifact, which is bytecode whose operations are all of the
// dialect VHLO. StableHLO's own functions also state it as the producer.
func IsPortableArtifact(data []byte) bool {
	return bytecode.Is(data) && bytecode.Open(data).IsPortable()
}

// PortableArtifact serializes the module for consumers of the target version of
// StableHLO or a later one. An empty target means the library's current version. The
// module is not changed. An artifact has no form for operations of CHLO: it has the
// operations of StableHLO that chlo-legalize-to-stablehlo makes of them. It is an error
// if the version cannot express the module, or if the module has operations or attributes
// of dialects other than StableHLO, CHLO, func and sdy. Those of sdy stay as they are, so that only readers that have
// Shardy's dialect read the artifact.
//
// A parsed artifact differs from the module in three further ways: attributes with their
// default value are left out, array<i64: …> in a dictionary is read as a dense<…>
// tensor, and the types of channels are 0.
func PortableArtifact(m *mlir.Module, target string) ([]byte, error) {
	data, err := sharded(m, target)
	if _, ok := errors.AsType[*unportableError](err); !ok || !hasCHLO(m) {
		return data, err
	}
	lowered, err := withoutCHLO(m)
	if err != nil {
		return nil, err
	}
	defer lowered.Close()
	return sharded(lowered, target)
}

// sharded is PortableArtifact for modules without operations of CHLO.
func sharded(m *mlir.Module, target string) ([]byte, error) {
	data, err := artifactOf(m, target, false)
	if wrong, ok := errors.AsType[*unportableError](err); ok && wrong.shardy {
		if data, err = artifactOf(m, target, true); err == nil {
			data = shardyform.Written(data)
		}
	}
	return data, err
}

func hasCHLO(m *mlir.Module) bool {
	for name := range m.Operation().Index().Names() {
		if strings.HasPrefix(name, "chlo.") {
			return true
		}
	}
	return false
}

// withoutCHLO returns a copy of a module with operations of StableHLO in place of those of CHLO.
func withoutCHLO(m *mlir.Module) (*mlir.Module, error) {
	if err := CheckElements(m.Operation().Index()); err != nil {
		return nil, fmt.Errorf("stablehlo: %w", err)
	}
	clone := m.Clone()
	p, err := m.Context().NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(func.func(chlo-legalize-to-stablehlo))"})
	if err == nil {
		defer p.Close()
		err = p.Run(clone)
	}
	if err != nil {
		_ = clone.Close()
		return nil, err
	}
	return clone, nil
}

// artifactOf is PortableArtifact for modules without operations of CHLO and, unless others is set, of other dialects.
func artifactOf(m *mlir.Module, target string, others bool) ([]byte, error) {
	const name = "stablehloSerializePortableArtifactFromModule"
	l := m.Context().Library()
	if !l.Has(name) {
		return nil, &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	if target == "" {
		current, err := CurrentVersion(l)
		if err != nil {
			return nil, err
		}
		target = current
	}
	t := raw.LibraryTable(l)
	doing := "serializing a portable artifact of StableHLO " + target
	if capi.Cycle(t, capi.MlirModuleGetOperation(t, raw.Module(m))).Ptr != nil {
		// The library folds operations that it cannot convert. On a cycle that overflows
		// the stack.
		if what, shardy := unportable(m); what != "" {
			return nil, cannotHold(what, shardy, &mlir.DiagnosticError{Op: doing, Diagnostics: []mlir.Diagnostic{
				{Message: "operations use one another's results in a cycle"},
			}})
		}
	}
	// The library rewrites the module that it serializes, so it gets a copy.
	clone := capi.MlirModuleFromOperation(t, capi.MlirOperationClone(t, capi.MlirModuleGetOperation(t, raw.Module(m))))
	defer capi.MlirModuleDestroy(t, clone)
	var result capi.MlirLogicalResult
	data := capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) {
		result = capi.StablehloSerializePortableArtifactFromModule(t, clone, target, cb, ud, others)
	})
	if result.Value == 0 {
		err := raw.Failure(m.Context(), doing)
		if what, shardy := unportable(m); what != "" {
			return nil, cannotHold(what, shardy, err)
		}
		return nil, err
	}
	return data, nil
}

// unportableError reports that a module has something for which portable artifacts have no
// form.
type unportableError struct {
	what   string
	shardy bool // there is nothing else than Shardy's
	err    error
}

func cannotHold(what string, shardy bool, err error) error {
	return &unportableError{what, shardy, err}
}

func (e *unportableError) Error() string {
	return fmt.Sprintf("stablehlo: a portable artifact cannot hold %s, remove or lower it first: %v", e.what, e.err)
}

func (e *unportableError) Unwrap() error { return e.err }

// unportable names the first operation or attribute in a module that a portable artifact
// cannot hold, and reports whether all of them are Shardy's. The library's own diagnostic only describes its
// conversion.
func unportable(m *mlir.Module) (what string, ofShardy bool) {
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		at := op.Location().Position()
		switch namespace, _, _ := strings.Cut(op.Name(), "."); namespace {
		case "builtin", "func", "stablehlo", "vhlo":
		case "sdy":
			if !ofShardy {
				what, ofShardy = fmt.Sprintf("%s at %s", op.Name(), at), true
			}
		default:
			what, ofShardy = fmt.Sprintf("%s at %s", op.Name(), at), false
			return mlir.WalkStop
		}
		for name, a := range op.Attributes() {
			if found := shardy(name, a); found != "" && !ofShardy {
				what, ofShardy = fmt.Sprintf("the attribute %s of %s at %s", found, op.Name(), at), true
			}
		}
		return mlir.WalkContinue
	})
	return what, ofShardy
}

// shardy returns the name of the attribute if it is one of Shardy, or of an attribute of
// Shardy inside it, such as those of a function's arguments. Otherwise it returns "".
func shardy(name string, a mlir.Attribute) string {
	if strings.HasPrefix(name, "sdy.") {
		return name
	}
	elements, _ := a.Elements()
	for _, e := range elements {
		if found := shardy("", e); found != "" {
			return found
		}
	}
	for name, e := range a.Entries() {
		if found := shardy(name, e); found != "" {
			return found
		}
	}
	return ""
}
