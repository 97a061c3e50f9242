//go:build !windows

package stack

// large is for what is nested deeply: MLIR's parser, printer, verifier and destructors
// need about 130 MiB for 100,000 brackets.
const large = 512 << 20
