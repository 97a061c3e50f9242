//go:build !engines

package jaxprograms

// every is the distance between programs that are tested: the others are, where all engines are.
const every = 8
