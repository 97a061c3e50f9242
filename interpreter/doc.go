// Package interpreter is StableHLO's reference interpreter as an engine. It needs no plugin and no compiler, and is
// slow and exact. It runs in child processes, which are the executable of the program.
package interpreter
