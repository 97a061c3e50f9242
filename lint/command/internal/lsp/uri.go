package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
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

// uriOf returns the URI of an absolute path.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}
