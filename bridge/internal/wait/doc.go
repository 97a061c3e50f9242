// Package wait has what a run waits for before XLA gets it: a place on each of its devices, and the runs before it in a
// Sequence.
package wait
