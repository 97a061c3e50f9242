//go:build cgo && !linux

package dl

// openNeeded does nothing: only Linux has libraries that name the working folder.
func openNeeded(string) error { return nil }
