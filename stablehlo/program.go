package stablehlo

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Serializer serializes a module for a compiler. It implements bridge.Program.
type Serializer struct{ module *mlir.Module }

// Program returns a Serializer of m, for bridge.Client.Compile. The module stays the
// caller's, and must not be closed before it is compiled.
func Program(m *mlir.Module) Serializer { return Serializer{m} }

// Artifact returns the module as a portable artifact of a StableHLO version. If the library
// is older than that, or version is empty, the artifact has the library's own version.
//
// The result is text if there can be no artifact: if the module has operations or attributes
// of other dialects than StableHLO and func, or if the library cannot write portable
// artifacts. A plugin with another version of StableHLO reads text, and may refuse bytecode.
func (s Serializer) Artifact(version string) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	target, err := s.target(version)
	if err == nil {
		var data []byte
		if data, err = PortableArtifact(s.module, target); err == nil {
			return data, nil
		}
	}
	_, unsupported := errors.AsType[*mlir.UnsupportedError](err)
	_, foreign := errors.AsType[*foreignError](err)
	if unsupported || foreign {
		// The generic form depends least on the version, and locations name the Go lines.
		text := s.module.Operation().Print(mlir.PrintOptions{Generic: true, DebugInfo: true})
		return []byte(text), nil
	}
	return nil, err
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
		return errors.New("stablehlo: Program: the module is nil: look at the error that came with it")
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("stablehlo: Program: the module cannot be serialized: %v", p)
		}
	}()
	s.module.Operation()
	return nil
}
