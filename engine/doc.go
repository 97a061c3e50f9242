// Package engine has what all engines share that compile and run modules: arrays in the memory of devices and of the
// host, the inputs of a run, and their errors. It links no engine.
package engine
