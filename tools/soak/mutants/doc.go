// Package mutants runs the command mlir-lint on modules that were changed at random, and checks
// that it answers for each of them: whatever is in a file, the command ends in time, reports what
// it finds in the other files, and leaves no process behind.
package mutants
