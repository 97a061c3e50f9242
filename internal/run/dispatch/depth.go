package dispatch

import (
	"context"
	"fmt"
)

// deepest is how many runs may be inside of calls of each other. An error in the last one still shows its text.
const deepest = 8

// Depth returns the depth of a run with ctx: 1, or one more than that of the run in one of whose calls it begins.
// thread is that of the run in whose call the calling thread is, as far as the runtime knows, or 0. The error is for a
// callback that runs what calls it, which would never end.
func Depth(ctx context.Context, thread int) (int, error) {
	if r := RunOf(ctx); r != nil {
		thread = max(thread, r.options.Depth)
	}
	if thread >= deepest {
		return 0, fmt.Errorf("%d runs are inside of callbacks of each other: a callback may not run a module that calls "+
			"it without end", thread)
	}
	return thread + 1, nil
}
