// Package debs fetches files from Debian packages into the cache, for tools of this module.
// Package native implements it, as it does for libraries, and sets Fetch when it is
// initialized, so that it is not in native's API.
package debs

import "context"

// A Package is a pinned Debian package, and the files to take from it.
type Package struct {
	Name, Version string
	SHA256        string // of the whole package, in lower-case hex
	// Keep is a regular expression for the paths of the files to unpack. Its first group is
	// the path in the folder to unpack into.
	Keep string
}

// A Set is a set of packages that are fetched together.
type Set struct {
	Name     string // of the folder in the cache, to which the pinned packages are added
	Files    string // the name of the folder of files in that folder
	What     string // a description for messages
	MB       int    // size of the download in megabytes
	Packages []Package
}

// Fetch returns the folder with the files of a set. It fetches them into the cache if they are
// missing, on linux/amd64 only, with the errors of native.Ensure. Callers must not change the
// folder. Fetch is nil in a program that does not import package native.
var Fetch func(ctx context.Context, s Set) (dir string, err error)
