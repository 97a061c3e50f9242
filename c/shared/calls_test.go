package main

import "testing"

// TestCalls makes calls through the handlers, with a runtime of each version of XLA's FFI. What the program
// prints is the same for all.
func TestCalls(t *testing.T) {
	program := compile(t, "calls.c")
	for _, minor := range []string{"5", "4", "3", "2"} {
		t.Run("0."+minor, func(t *testing.T) { golden(t, "calls.txt", run(t, program, minor)) })
	}
}
