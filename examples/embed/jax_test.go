//go:build engines

package main

import "testing"

// TestRust needs cargo.
func TestRust(t *testing.T) { testHost(t, "rust") }

// TestJAX installs JAX when it runs for the first time.
func TestJAX(t *testing.T) { testHost(t, "jax") }
