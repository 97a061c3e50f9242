// Package include has the headers for programs in C and C++. C programs include the files of this
// folder. The Go packages that include them import this one, so that "go mod vendor" copies the
// headers, and Go builds the packages again when a header changes.
package include

import "embed"

// Headers has the headers by their file names.
//
//go:embed *.h *.hpp
var Headers embed.FS
