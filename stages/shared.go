package stages

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
)

// compiled are the compiled stages of the programs that are open. Equal ones are compiled once.
var compiled = sharedPrograms{entries: map[stageKey]*sharedProgram{}}

// A stageKey identifies equal stages.
type stageKey struct {
	client   *bridge.Client // whose devices all run it; nil for the interpreter
	replicas int
	text     [sha256.Size]byte // of the module, without locations
	jax      string            // its JAX callbacks
	exact    bool
	library  string // that read the module
}

type sharedPrograms struct {
	mu      sync.Mutex
	entries map[stageKey]*sharedProgram
}

// A sharedProgram is a compiled stage that several programs, or several stages of one, may have. It is closed with the last
// of them.
type sharedProgram struct {
	program
	key   stageKey
	uses  int           // guarded by sharedPrograms.mu
	ready chan struct{} // closed when program or err is set
	err   error
}

// get returns the program with a key, or makes it. If somebody else is making it, get waits.
func (t *sharedPrograms) get(ctx context.Context, key stageKey, build func() (program, error)) (program, error) {
	for {
		t.mu.Lock()
		e, found := t.entries[key]
		if !found {
			e = &sharedProgram{key: key, ready: make(chan struct{})}
			t.entries[key] = e
		}
		e.uses++
		t.mu.Unlock()
		if !found {
			if e.program, e.err = build(); e.err != nil {
				t.remove(e)
			}
			close(e.ready)
			if e.err != nil {
				return nil, e.err
			}
			return e, nil
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			go func() { // the program is closed if its maker does not need it any more either
				if <-e.ready; e.err == nil {
					_ = e.close()
				}
			}()
			return nil, context.Cause(ctx)
		}
		if e.err == nil {
			return e, nil
		}
		// What failed there, for example because that context ended, may succeed here.
	}
}

// remove removes an entry, so that nobody finds it.
func (t *sharedPrograms) remove(e *sharedProgram) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, e.key)
}

// close closes the program if nobody else uses it.
func (e *sharedProgram) close() error {
	compiled.mu.Lock()
	e.uses--
	last := e.uses == 0
	if last {
		delete(compiled.entries, e.key)
	}
	compiled.mu.Unlock()
	if !last {
		return nil
	}
	return e.program.close()
}
