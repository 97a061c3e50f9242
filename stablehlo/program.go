package stablehlo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Serializer serializes a module for a compiler. It implements engine.Program.
type Serializer struct{ module *mlir.Module }

// Unprepared returns a Serializer of m, for bridge.Client.Compile, without what XLA needs to be right: see
// passes.Program. The module stays the caller's, and must not be closed before it is compiled.
func Unprepared(m *mlir.Module) Serializer { return Serializer{m} }

// Artifact returns the module as a portable artifact of a StableHLO version. If the library
// is older than that, or version is empty, the artifact has the library's own version. If
// the version lacks an operation of the module, the error is a *VersionError.
//
// The result is text if there can be no artifact: if the module has operations or attributes
// of other dialects than StableHLO and func, or if the library cannot write portable
// artifacts. A plugin with another version of StableHLO reads text, and may refuse bytecode.
// Operations of CHLO that plugins of the version do not know are replaced by operations of
// StableHLO; others stay, because XLA has better implementations of its own.
//
// A module with a [MisplacedCall], with a function that calls itself, with a bitcast_convert between booleans and a
// wider type, with broadcasts of a wrong type (see [CheckElements]), or with an operation that XLA cannot translate
// (see [Untranslated]), is refused, because XLA may end the process.
func (s Serializer) Artifact(version string) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := refuse(s.module); err != nil {
		return nil, err
	}
	target, err := s.target(version)
	if err == nil {
		var data []byte
		if data, err = artifactOf(s.module, target, false); err == nil {
			return data, nil
		}
	}
	if _, ok := errors.AsType[*mlir.UnsupportedError](err); ok {
		return s.text(), nil
	}
	if _, ok := errors.AsType[*unportableError](err); ok {
		return s.unportable(target)
	}
	return nil, versionError(s.module, target, err)
}

// Describe implements bridge.DescribedProgram. If placed is false, the artifact lacks the calls that
// only place a value in a memory: see [PlacedCall].
func (s Serializer) Describe(version string, placed bool) (d contract.Module, err error) {
	if err := s.check(); err != nil {
		return d, err
	}
	if d.Effects, err = RuntimeTokens(s.module); err != nil {
		return d, err
	}
	d.Inexact = Simplified(s.module)
	d.Calls = func() []contract.CustomCall { return CustomCalls(s.module) }
	if len(placedCalls(s.module)) > 0 && !placed {
		s.module = s.module.Clone()
		defer s.module.Close()
		if err := erasePlacement(s.module); err != nil {
			return d, err
		}
	}
	d.Artifact, err = s.Artifact(version)
	return d, err
}

// CustomCalls describes the custom calls of a module, in the order of its text.
func CustomCalls(m *mlir.Module) (list []contract.CustomCall) {
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		of, _ := AsCustomCall(op)
		call := contract.CustomCall{Target: of.Target, Index: -1}
		if at := op.Location().Position(); !at.IsZero() {
			call.Loc = at.String()
		}
		if config, _ := TypedConfig(op); !config.IsNil() {
			call.Config = config.String()
			if a, ok := config.Entry("index"); ok {
				if index, ok := a.Uint(); ok {
					call.Index = int(index)
				}
			}
		}
		for _, v := range of.Operands {
			if s, err := ShapeOf(v.Type()); err == nil {
				call.Operands = append(call.Operands, s)
			}
		}
		for _, t := range of.Results {
			if s, err := ShapeOf(t); err == nil {
				call.Results = append(call.Results, s)
			}
		}
		list = append(list, call)
	}
	return list
}

// text returns the module in the generic form, which depends least on the version, with
// locations, which name the Go lines.
func (s Serializer) text() []byte {
	return []byte(s.module.Operation().Print(mlir.PrintOptions{Generic: true, DebugInfo: true}))
}

// unportable returns the form of a module that cannot be an artifact as it is. For a version
// that is older than the library's, it checks the module with the operations of CHLO replaced.
func (s Serializer) unportable(target string) ([]byte, error) {
	if current, err := CurrentVersion(s.module.Context().Library()); err != nil || target == "" || target == current {
		return s.text(), nil
	}
	lowered, err := withoutCHLO(s.module)
	if err != nil {
		return s.text(), nil // XLA reports what is wrong
	}
	defer lowered.Close()
	data, err := artifactOf(lowered, target, false)
	if _, ok := errors.AsType[*unportableError](err); ok {
		return s.text(), nil
	}
	if err != nil {
		return nil, versionError(lowered, target, err)
	}
	if s.hasNewCHLO(target) {
		return data, nil
	}
	return s.text(), nil
}

// newCHLO are the operations of CHLO, which has no versions, that XLA's plugins of StableHLO
// 1.13.3 and 1.16.1 do not know, and that of 1.20.0 does.
var newCHLO = []string{"chlo.mulhi", "chlo.scan"}

func (s Serializer) hasNewCHLO(target string) (found bool) {
	if v := parsedVersion(target); v[0] > 1 || v[0] == 1 && v[1] >= 20 {
		return false
	}
	s.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if slices.Contains(newCHLO, op.Name()) {
			found = true
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return found
}

// target returns the older one of a version and the library's, or "", which means the
// library's.
func (s Serializer) target(version string) (string, error) {
	if version == "" {
		return "", nil
	}
	l := s.module.Context().Library()
	current, err := CurrentVersion(l)
	if err != nil {
		return "", err
	}
	return SmallerVersion(l, version, current)
}

// check returns an error if the module is nil or closed. Module.Operation panics then, and
// only then.
func (s Serializer) check() (err error) {
	if s.module == nil {
		return errors.New("stablehlo: Unprepared: the module is nil: look at the error that came with it")
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("stablehlo: Unprepared: the module cannot be serialized: %v", p)
		}
	}()
	s.module.Operation()
	return nil
}
