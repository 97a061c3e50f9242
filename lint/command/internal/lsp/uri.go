package lsp

import (
	"net/url"
	"path/filepath"
)

// nameOf returns the path that a URI of a file names, or else the URI.
func nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	path := u.Path
	switch {
	case u.Host != "" && u.Host != "localhost":
		path = "//" + u.Host + path // a share of Windows
	case filepath.VolumeName(path[1:]) != "":
		path = path[1:] // "/c:/a"
	}
	return filepath.FromSlash(path)
}
