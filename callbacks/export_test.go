package callbacks

import "testing"

// SetSecond has a test say which second it is.
func SetSecond(t *testing.T, f func() uint32) {
	old := second
	second = f
	t.Cleanup(func() { second = old })
}

// Described is how many functions' types are kept.
func Described() (n int) {
	described.Range(func(any, any) bool { n++; return true })
	return n
}
