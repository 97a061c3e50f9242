// Package runtime has the C functions that compiled code calls.
package runtime
