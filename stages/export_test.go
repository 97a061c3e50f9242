package stages

import interp "github.com/calliope-mlir/calliope/stages/internal/interpreter"

// IdleWorkers returns the process ids of the workers that wait for requests.
func IdleWorkers() []int { return interp.Current().Idle }

// KnownModules returns how many modules the idle workers have.
func KnownModules() int { return interp.Current().Known }

// OpenModules returns how many stages programs have on the interpreter.
func OpenModules() int { return interp.Current().Open }

// LastTurn returns the last run on the interpreter that has an effect, to compare.
func LastTurn(effect string) any {
	interpreterOrder.mu.Lock()
	defer interpreterOrder.mu.Unlock()
	return interpreterOrder.last[effect]
}

// CompiledStages returns how many stages are compiled.
func CompiledStages() int {
	compiled.mu.Lock()
	defer compiled.mu.Unlock()
	return len(compiled.entries)
}
