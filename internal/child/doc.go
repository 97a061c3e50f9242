// Package child passes a file for answers to a child process of the same program. The child
// does not answer on its standard output, because C++ code may print there.
package child
