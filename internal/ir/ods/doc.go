// Package ods supports the generated operations of all dialects: a Writer collects the parts of
// a new operation, a Reader reads those of an existing one, a Kind converts an attribute, an Enum
// and Keywords are enumerations, and a Guard prevents crashes of the library. ODS is MLIR's
// Operation Definition Specification, which defines the names of the parts.
package ods
