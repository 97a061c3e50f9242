//go:build engines

package jaxprograms

const every = 1
