package jit

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

// perfVariable is the environment variable that has Compile write the map for Linux perf.
const perfVariable = "CALLIOPE_JIT_PERF"

// numberPositions makes numbers of the positions of a module of the LLVM dialect, as lines of a file, so that the line
// table of the code has them. It returns the positions by their numbers, of which 0 is none. What was inlined has that
// of the call.
func numberPositions(m *mlir.Module) ([]mlir.Position, error) {
	positions, numbers := []mlir.Position{{}}, map[mlir.Position]int{}
	for op := range m.Operation().All() {
		p := sourceOf(op)
		n, ok := numbers[p]
		if !ok {
			n = len(positions)
			numbers[p], positions = n, append(positions, p)
		}
		if err := op.SetLocation(m.Context().FileLocation("calliope", n, 1)); err != nil {
			return nil, err
		}
	}
	if err := runPass(m, "ensure-debug-info-scope-on-llvm-func"); err != nil {
		return nil, err
	}
	for op := range m.Body().Operations() {
		if op.Name() == "llvm.func" && op.Region(0).IsEmpty() { // the execution engine defines some, without positions
			if err := op.SetLocation(m.Context().UnknownLocation()); err != nil {
				return nil, err
			}
		}
	}
	return positions, nil
}

// A codeRange is what LLVM made of operations of one position.
type codeRange struct {
	begin, end uint64
	name       string
}

// writePerfMap adds the code of a module to the file in which Linux perf looks for names of code that no file has.
func writePerfMap(e *execution.Engine, positions []mlir.Position) error {
	folder, err := os.MkdirTemp("", "calliope-jit")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "code.o")
	if err := e.DumpObject(path); err != nil {
		return err
	}
	ranges, main, err := readRanges(path, positions)
	if err != nil {
		return fmt.Errorf("reading the code of the module: %w", err)
	}
	base := uint64(uintptr(e.Lookup("main"))) - main
	var text strings.Builder
	for _, r := range ranges {
		fmt.Fprintf(&text, "%x %x %s\n", base+r.begin, r.end-r.begin, r.name)
	}
	name := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: remove it, for somebody else may have put it there", name)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text.String())
	return errors.Join(err, f.Close())
}

// readRanges returns the code of an object file in ranges of one function and one position, and where main begins.
func readRanges(path string, positions []mlir.Position) (list []codeRange, main uint64, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, 0, err
	}
	lines, err := readLines(f)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF {
			continue
		}
		if s.Name == "main" {
			main = s.Value
		}
		name, end := "calliope."+strings.TrimPrefix(s.Name, "calliope."), s.Value+s.Size
		last := codeRange{s.Value, end, name}
		for _, l := range lines {
			if l.Address < s.Value || l.Address >= end {
				continue
			}
			of := name
			if l.Line > 0 && l.Line < len(positions) && !positions[l.Line].IsZero() {
				of += " " + positions[l.Line].String()
			}
			if of == last.name {
				continue
			}
			last.end = l.Address
			list = append(list, last)
			last = codeRange{l.Address, end, of}
		}
		list = append(list, last)
	}
	return slices.DeleteFunc(list, func(r codeRange) bool { return r.begin == r.end }), main, nil
}

// readLines returns the line table of an object file, in the order of the addresses.
func readLines(f *elf.File) (list []dwarf.LineEntry, err error) {
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	units := data.Reader()
	for unit, err := units.Next(); unit != nil || err != nil; unit, err = units.Next() {
		if err != nil {
			return nil, err
		}
		units.SkipChildren()
		lines, err := data.LineReader(unit)
		if err != nil || lines == nil {
			return nil, cmp.Or(err, errors.New("a unit has no line table"))
		}
		var l dwarf.LineEntry
		for err = lines.Next(&l); err == nil; err = lines.Next(&l) {
			list = append(list, l)
		}
		if err != io.EOF {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	return list, nil
}
