// Package ods is what the generated operations are made with: a Writer that collects
// the parts of a new operation, a Reader that takes one apart, and Enum for attributes
// that are one of several keywords. ODS is MLIR's name for the definitions of
// operations, in which these parts have their names.
package ods
