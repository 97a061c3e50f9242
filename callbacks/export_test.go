package callbacks

import "testing"

// SetSecond has a test say which second it is.
func SetSecond(t *testing.T, f func() uint32) {
	old := second
	second = f
	t.Cleanup(func() { second = old })
}
