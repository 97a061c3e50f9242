package stages

import "github.com/calliope-mlir/calliope/internal/run/evaluator"

// IdleWorkers returns the process ids of the workers that wait for requests.
func IdleWorkers() []int { return evaluator.Current().Idle }

// KnownModules returns how many modules the idle workers have.
func KnownModules() int { return evaluator.Current().Known }

// OpenModules returns how many stages programs have on the interpreter.
func OpenModules() int { return evaluator.Current().Open }

// Entered returns how many runs on the host have come to take a turn for their effects.
func Entered() int { return hostOrder.Entered() }

// CompiledStages returns how many stages are compiled.
func CompiledStages() int {
	compiled.mu.Lock()
	defer compiled.mu.Unlock()
	return len(compiled.entries)
}
