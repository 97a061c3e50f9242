// Package ods supports the generated operations of upstream dialects: a Writer collects the
// parts of a new operation, a Reader reads those of an existing one, a Kind converts an
// attribute, an Enum is an enumeration. ODS is MLIR's Operation Definition Specification,
// which defines the names of the parts.
package ods
