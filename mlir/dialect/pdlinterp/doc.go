// Package pdlinterp builds and reads the operations of MLIR's dialect pdl_interp: the
// steps of matchers that patterns of the dialect pdl are lowered to.
package pdlinterp
