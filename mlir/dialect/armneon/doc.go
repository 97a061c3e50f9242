// Package armneon builds and reads the operations of MLIR's dialect arm_neon: ARM's Neon
// instructions.
package armneon
