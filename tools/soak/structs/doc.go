// Package structs has every generated operation of package mlir's dialects, and makes them of odd parts: of rank 0,
// without elements, of unknown sizes or rank, with empty regions and lists, missing and extreme parts. It verifies,
// prints, writes and reads them on each library, in child processes. Later cases of an operation change those that the
// library took, or refused for a new reason: so random parts become valid ones.
package structs
