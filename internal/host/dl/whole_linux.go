//go:build cgo

package dl

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
)

// checkWhole returns an error for a library whose file ends before what the loader maps: to touch that is a SIGBUS,
// which ends the process without a word. Package elf does not read such a file, whose last part is its table of
// sections.
func checkWhole(path string) error {
	if !strings.Contains(path, "/") {
		return nil // one of the system, which is no file here
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // the loader says why
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	size := info.Size()
	var h elf.Header64
	if binary.Read(io.NewSectionReader(file, 0, size), binary.LittleEndian, &h) != nil ||
		string(h.Ident[:len(elf.ELFMAG)]) != elf.ELFMAG || elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return nil // the loader refuses it
	}
	for i := range int64(h.Phnum) {
		var p elf.Prog64
		at := int64(h.Phoff) + i*int64(h.Phentsize)
		if binary.Read(io.NewSectionReader(file, at, size), binary.LittleEndian, &p) != nil {
			return nil // the loader reads these, too
		}
		if end := p.Off + p.Filesz; elf.ProgType(p.Type) == elf.PT_LOAD && (end < p.Off || end > uint64(size)) {
			return fmt.Errorf("opening shared library %s: the file is cut off: it has %d bytes of %d or more: get it again",
				path, size, end)
		}
	}
	return nil
}
