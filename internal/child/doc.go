// Package child is for a child process of the same program: it passes a file for answers to the
// child, which does not answer on its standard output because C++ code may print there, keeps what it
// prints, and measures its memory.
package child
