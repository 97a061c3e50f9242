// Package tests holds what crosses packages: the corpus of real modules, the import
// rule of the house, and whole ways from a built module to a callback in Go.
package tests
