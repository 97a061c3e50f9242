// Package version has the version of the project.
package version

// Version is the release that the sources belong to, or the next one. The header for C and the package
// for Python state it, too.
const Version = "0.1.0"
