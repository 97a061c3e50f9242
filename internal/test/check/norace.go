//go:build !race

package check

// Raced reports whether the race detector is on.
const Raced = false
