// Package debs fetches files out of Debian packages into the cache, for tools of this
// module. Package native does it, in the way in which it fetches libraries, and sets Fetch
// when it is initialized: users of native have no need of it.
package debs

import "context"

// Package is one pinned Debian package and what is wanted of it.
type Package struct {
	Name, Version string
	SHA256        string // of the whole package, in lower-case hex
	// Keep is a regular expression for the paths of the files to unpack; its first
	// group is the path below the folder to unpack into.
	Keep string
}

// Set is a set of packages that are fetched together.
type Set struct {
	Name     string // of the folder in the cache; the pinned packages are added to it
	Files    string // the folder's name in that folder
	What     string // what the packages hold, for people
	MB       int    // size of the download in megabytes
	Packages []Package
}

// Fetch returns the folder that holds the files of a set. It fetches them into the cache
// if they are not there yet, on linux/amd64 only, in the way and with the errors of
// native.Ensure. Nothing in the folder may be changed. Fetch is nil in a program that does
// not import package native.
var Fetch func(ctx context.Context, s Set) (dir string, err error)
