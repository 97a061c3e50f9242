// Package progen has what the generators of random programs share, and their oracles: the text of types and constants,
// the elements of arrays of any type, how far results may be apart, and how a finding is kept.
package progen
