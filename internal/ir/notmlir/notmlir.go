// Package notmlir recognizes files that somebody may take for a module.
package notmlir

import (
	"bytes"

	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

var starts = []struct{ text, is string }{
	{"\x1f\x8b", "it is compressed with gzip: decompress it"},
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it"},
	{"\xfd7zXZ\x00", "it is compressed with xz: decompress it"},
	{"PK\x03\x04", "it is a zip archive, as numpy's .npz files are: give a module"},
	{"\x7fELF", "it is a program or a shared library: give a module"},
	{"BC\xc0\xde", "it is bitcode of LLVM: give a module of MLIR"},
	{"\xff\xfe", utf16},
	{"\xfe\xff", utf16},
}

const utf16 = "its text is in UTF-16: save it in UTF-8"

var (
	hlo = lazyregexp.New(`^(?:\s|//.*\n|(?s:/\*.*?\*/))*HloModule\b`)
	// wide matches the start of a text of ASCII characters in UTF-16 without a mark.
	wide = lazyregexp.New(`^(?:[\t\n\r -~]\x00){4}|^(?:\x00[\t\n\r -~]){4}`)
)

// Reason says what a file is that is no module of MLIR, what to do, and which line shows it. For anything else, it
// returns "".
func Reason(data []byte) (line int, reason string) {
	for _, s := range starts {
		if bytes.HasPrefix(data, []byte(s.text)) {
			return 1, s.is
		}
	}
	switch {
	case wide().Match(data):
		return 1, utf16
	case hlo().Match(data):
		return 1, "it is the HLO text that XLA prints, and not MLIR: give the StableHLO module"
	}
	if line := conflict(data); line > 0 {
		return line, "git could not merge two versions of the file, which it marks here: choose one"
	}
	return 0, ""
}

// conflict returns the line of a mark of git at the first of two versions, or 0.
func conflict(data []byte) int {
	at := bytes.Index(data, []byte("<<<<<<< "))
	if at < 0 || at > 0 && data[at-1] != '\n' || !bytes.Contains(data[at:], []byte("\n>>>>>>> ")) {
		return 0
	}
	return 1 + bytes.Count(data[:at], []byte("\n"))
}
