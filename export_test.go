package calliope

import (
	"testing"
	"time"
)

// LimitTraces sets how long a call waits for a Go function that builds its module, until the test ends.
func LimitTraces(t *testing.T, d time.Duration) {
	before := traceLimit
	traceLimit = d
	t.Cleanup(func() { traceLimit = before })
}
