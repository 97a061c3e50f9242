// Package evaluator evaluates modules by StableHLO's reference interpreter in child processes, because it ends its
// process when something is wrong. A child serves any program, and evaluates one module at a time.
package evaluator
