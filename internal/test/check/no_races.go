package check

import "testing"

// NoRaces skips a test under the race detector, which finds nothing in it: the test builds programs without the
// detector, or makes one call after the other. Such tests take longest.
func NoRaces(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("there is nothing for the race detector to find")
	}
}
