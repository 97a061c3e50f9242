package config

import (
	"os"
	"path/filepath"
)

// rootOf returns the root of the tree that a configuration belongs to, which may be a stranger's: the nearest folder
// with .git, or the working folder, or the configuration's own if it is outside of that.
func rootOf(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if here, err := os.Getwd(); err == nil && below(folder, here) {
		return here
	}
	return folder
}

// below reports whether a file is in a folder, or below it, without links. Everything is below "".
func below(file, folder string) bool {
	if folder == "" {
		return true
	}
	realFile, err := filepath.EvalSymlinks(file)
	if err != nil {
		return true // it cannot be read
	}
	realFolder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(realFolder, realFile)
	return err == nil && filepath.IsLocal(relative)
}
