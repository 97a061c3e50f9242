package stages

// IdleWorkers returns the process ids of the workers that wait for requests.
func IdleWorkers() (ids []int) {
	workers.mu.Lock()
	defer workers.mu.Unlock()
	for _, w := range workers.idle {
		ids = append(ids, w.cmd.Process.Pid)
	}
	return ids
}

// KnownModules returns how many modules the idle workers have.
func KnownModules() (n int) {
	workers.mu.Lock()
	defer workers.mu.Unlock()
	for _, w := range workers.idle {
		n += len(w.known)
	}
	return n
}

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

// OpenModules returns how many stages programs have on the interpreter.
func OpenModules() int {
	workers.mu.Lock()
	defer workers.mu.Unlock()
	return len(workers.open)
}
