// Command doctor says whether the toolkit works on this machine, and what to run
// next where it does not:
//
//	go run ./tools/doctor [-fetch] [-check=false] [part…]
//
// It prints the machine, the native libraries and what they are, reads the fetched ones
// and compares their sha256 with the pinned ones, and tries the whole way once: a module with callbacks is built, verified, compiled and run. What loads
// a native library does so in a child process, so that a crash in one is a line of
// the report and not its end. `doctor -h` tells the rest.
//
// It also builds where the toolkit itself does not, without cgo and on systems that
// are not supported, to say what is missing there.
package main
