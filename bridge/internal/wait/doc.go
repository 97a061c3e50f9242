// Package wait has what a run waits for before XLA gets it, a place on each of its devices and the runs before it in a
// Sequence, and what those get that wait for the run.
package wait
