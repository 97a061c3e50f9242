//go:build cgo && !linux

package dl

// openNeeded does nothing: only Linux has libraries that name the working folder.
func openNeeded(string) error { return nil }

// checkWhole does nothing: other loaders report a file that is cut off.
func checkWhole(string) error { return nil }
