// Package structs has every generated operation of package mlir's dialects, and makes them of odd parts: of rank 0,
// without elements, of unknown sizes or rank, with empty regions and lists, missing and extreme parts. It verifies,
// prints, writes and reads them on each library, in child processes.
package structs
