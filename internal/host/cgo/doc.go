// Package cgo fails a build without cgo, with an error that says what is missing. Packages with C
// import it in files for such builds. It also has what the C code of several packages includes.
package cgo
