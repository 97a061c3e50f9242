//go:build cgo && !linux

package dl

// machine returns "": the loader's message says why.
func machine(path, message string) string { return "" }
