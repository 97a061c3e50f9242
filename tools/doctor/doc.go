// Command doctor reports whether the toolkit works on this machine and, if not, which
// command to run next:
//
//	go run ./tools/doctor [-fetch] [-check=false] [part…]
//	go run ./tools/doctor -export DIR [-platform OS/ARCH] [part…]
//	go run ./tools/doctor -import DIR|FILE…
//	go run ./tools/doctor -llvm DIR|auto
//	go run ./tools/doctor [-fetch] -table [FILE]
//
// It prints the machine, the native libraries and their versions. It reads the fetched
// libraries and compares their sha256 with the pinned ones. Then it runs a self-test: a
// module with callbacks is built, verified, compiled and run. Native libraries are loaded
// in a child process, so that a crash in one is a line of the report and does not end it.
// `doctor -h` lists the flags.
//
// With -llvm it links the C API of an LLVM that is on this machine into the cache, tries that
// library in a child process, and prints how programs use it.
//
// It also builds on systems where the toolkit itself does not build, without cgo and on
// unsupported systems, to report what is missing.
//
// The tables of compatibility in docs/compatibility.md are written by -table:
//
//	go generate ./tools/doctor
package main

//go:generate go run . -fetch -table ../../docs/compatibility.md
