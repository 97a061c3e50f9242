// Package child supervises child processes of the same program. A child gets a file for answers, because C++ code may
// print to its standard output. What it prints is kept, and says how it ended.
package child
