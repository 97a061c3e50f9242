package lint

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Relaxation lets rules explain a mistake because of which the library refuses a text. Several rules may
// have the same one.
type Relaxation struct {
	// Text returns the text without the mistake, with every operation in the same place, or nil
	// if the errors of the library are about something else.
	Text func(text []byte, refusal *mlir.DiagnosticError) []byte
	// Restore undoes in a module what Text changed, after the mistakes were mended.
	Restore func(*mlir.Module)
}

// Parse parses a module as Check does: if the library refuses a text because of a mistake that one
// of the rules explains, Parse parses the text without the mistake. The caller then applies the
// rule's repairs, calls restore and verifies the module. restore is nil if the library accepts the
// text as it is.
func Parse(
	context *mlir.Context, data []byte, analyzers []*Analyzer,
) (m *mlir.Module, restore func(*mlir.Module), err error) {
	m, relaxed, err := parse(context, data, analyzers)
	if relaxed == nil {
		return m, nil, err
	}
	return m, relaxed.Restore, nil
}

// parse returns the module and, with the library's refusal, the relaxation of the rules that explain it.
func parse(context *mlir.Context, data []byte, analyzers []*Analyzer) (*mlir.Module, *Relaxation, error) {
	m, err := context.Parse("", data)
	refusal, ok := errors.AsType[*mlir.DiagnosticError](err)
	if !ok || mlir.IsBytecode(data) {
		return m, nil, err
	}
	for _, a := range analyzers {
		if a.Relax == nil {
			continue
		}
		if text := a.Relax.Text(data, refusal); text != nil {
			if m, second := context.Parse("", text); second == nil {
				return m, a.Relax, err
			}
		}
	}
	return nil, nil, err
}
