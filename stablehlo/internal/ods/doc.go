// Package ods supports the generated operations: a Writer collects the parts of a new
// operation, a Reader reads those of an existing one, and an Enum is an attribute that is
// one of several keywords. ODS is MLIR's Operation Definition Specification, which defines
// the names of the parts.
package ods
