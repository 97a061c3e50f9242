package load

import (
	"fmt"
	"runtime"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// Within runs a function. If that takes longer than a limit, the error has the calls in flight and all stacks.
func Within(limit time.Duration, run func() error) error {
	over := make(chan error, 1)
	go func() { over <- run() }()
	select {
	case err := <-over:
		return err
	case <-time.After(limit):
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return fmt.Errorf("it hangs after %v, with these calls in flight: %v\n%s", limit, callbacks.InFlight(), stacks)
}
