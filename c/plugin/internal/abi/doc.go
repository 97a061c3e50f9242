// Package abi has the types of XLA's PJRT C API, of which tools/pjrtgen writes the most part, and what package plugin
// needs to read and fill them.
package abi
