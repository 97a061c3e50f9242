//go:build engines

package main

import "testing"

// TestJAX installs JAX when it runs for the first time.
func TestJAX(t *testing.T) { testHost(t, "jax") }
