package stages

import (
	"context"
	"fmt"

	interp "github.com/calliope-mlir/calliope/stages/internal/interpreter"
)

// Interpreter returns StableHLO's reference interpreter, which needs no plugin. It is slow and exact. Because it
// ends its process when something is wrong, it runs in child processes, which are the program's own
// executable. Compile refuses what it does not support.
func Interpreter() Device { return interpreter{} }

type interpreter struct{}

func (interpreter) String() string  { return "the interpreter" }
func (interpreter) check() error    { return nil }
func (interpreter) callsBack() bool { return false }
func (interpreter) place() place    { return place{} }

func (interpreter) compile(_ context.Context, s *Stage, _ bool) (*compiledStage, error) {
	made, err := interp.Compile(s.module, s.Inputs, s.Outputs)
	if err != nil {
		return nil, fmt.Errorf("stages: %s: %w", s.Name, err)
	}
	return &compiledStage{executable: made, calls: true}, nil
}
