// Package affine makes, reads and evaluates affine expressions, maps and integer sets: what memref layouts, linalg's
// indexing maps and the operations of the dialect affine are made of.
//
// An [Expr], a [Map] and a [Set] belong to the context that they were made in, and are valid until it is closed. The
// context uniques them, so equal ones are ==. They can be copied, and compared, but a context and what belongs to it
// must be used by one goroutine at a time. Methods panic if they are called on a zero value, are given objects of
// different contexts, or are called after the context was closed.
//
// [MapOf] and [SetOf] read attributes, [Map.Attribute] and [Set.Attribute] make them. The operations of the dialect are
// in package mlir/dialect/affine.
package affine
