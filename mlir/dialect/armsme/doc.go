// Package armsme builds and reads the operations of MLIR's dialect arm_sme: ARM's
// Scalable Matrix Extension.
package armsme
