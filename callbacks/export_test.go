package callbacks

import (
	"testing"
	"time"
)

// SetTime has a test say how much time has passed.
func SetTime(t *testing.T, f func() time.Duration) {
	old := sinceStart
	sinceStart = f
	t.Cleanup(func() { sinceStart = old })
}

// Described is how many functions' types are kept.
func Described() (n int) {
	described.Range(func(any, any) bool { n++; return true })
	return n
}
