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
	if here, err := os.Getwd(); err == nil && Below(folder, here) {
		return here
	}
	return folder
}

// Outside returns the root of a file's tree if the file is a link out of it: the file may be a stranger's, and what it
// leads to is not. Otherwise it returns "".
func Outside(file string) (root string) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	if root = rootOf(filepath.Dir(absolute)); Below(absolute, root) {
		return ""
	}
	return root
}

// Below reports whether a file is in a folder, or below it, without links. Everything is below "".
func Below(file, folder string) bool {
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
