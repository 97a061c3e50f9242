// Package mlprogram builds and reads the operations of MLIR's dialect ml_program: the
// structure of programs of machine learning.
package mlprogram
