package stages

import interp "github.com/calliope-mlir/calliope/stages/internal/interpreter"

// IdleWorkers returns the process ids of the workers that wait for requests.
func IdleWorkers() []int { return interp.Current().Idle }

// KnownModules returns how many modules the idle workers have.
func KnownModules() int { return interp.Current().Known }

// OpenModules returns how many stages programs have on the interpreter.
func OpenModules() int { return interp.Current().Open }

// Entered returns how many runs on the host have come to take a turn for their effects.
func Entered() int { return hostOrder.Entered() }

// CompiledStages returns how many stages are compiled.
func CompiledStages() int {
	compiled.mu.Lock()
	defer compiled.mu.Unlock()
	return len(compiled.entries)
}
