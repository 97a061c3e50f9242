// Package armsve builds and reads the operations of MLIR's dialect arm_sve: ARM's
// Scalable Vector Extension.
package armsve
