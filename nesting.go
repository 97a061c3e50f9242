package calliope

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/builder"
)

// How many Go functions may build modules inside of each other on one goroutine, and how many calls of one of them may
// at once. A Go function that always calls a Function that is made of it reaches one of them.
const (
	deepest    = 64
	mostAtOnce = 64
)

const callItself = "if it calls the Function that is made of it, let it call the Go function itself"

// traceLimit is how long a call waits for a Go function that builds its module.
var traceLimit = time.Minute

// A nesting counts the Go functions that build modules on a goroutine, which alone uses it.
type nesting struct {
	depth   int
	builder *builder.Builder // of the innermost one
	// over says that the limit was reached: the outermost one must end first, or two calls at each level would never
	// end.
	over bool
}

// nestings has those that are not empty, by the goroutine's number.
var nestings sync.Map

// enter begins the use of a Go function, and returns what ends it. The caller sets the builder.
func (g goFunction) enter(ctx context.Context) (n *nesting, leave func(), err error) {
	on := goroutine()
	found, _ := nestings.LoadOrStore(on, new(nesting))
	n = found.(*nesting)
	if n.over = n.over || n.depth >= deepest; n.over {
		return nil, nil, fmt.Errorf("calliope: %d Go functions are building modules inside of each other: %s", n.depth,
			callItself)
	}
	if err := g.claim(ctx); err != nil {
		if n.depth == 0 {
			nestings.Delete(on)
		}
		return nil, nil, err
	}
	outer := n.builder
	n.depth++
	return n, func() {
		<-g.used
		n.builder = outer
		if n.depth--; n.depth == 0 {
			nestings.Delete(on)
		}
	}, nil
}

// claim waits until few enough calls use the Go function.
func (g goFunction) claim(ctx context.Context) error {
	select {
	case g.used <- struct{}{}:
		return nil
	default:
	}
	limit := time.NewTimer(traceLimit)
	defer limit.Stop()
	select {
	case g.used <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("calliope: %d calls build modules by the Go function: %w", mostAtOnce, context.Cause(ctx))
	case <-limit.C:
		return fmt.Errorf("calliope: %d calls have been building modules by the Go function for %v: %s", mostAtOnce,
			traceLimit, callItself)
	}
}

// goroutine returns the number of this goroutine, which no other one gets.
func goroutine() int64 {
	var text [64]byte
	fields := bytes.Fields(text[:runtime.Stack(text[:], false)]) // goroutine 1 [running]:
	n, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return n
}
