package npz

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/tensor"
)

// typesEntry is the name of the array that gives the element types of the others.
const typesEntry = "dtypes"

// A File is an open .npz or .npy file. It must not be used by several goroutines at the
// same time. The caller of Open must close it.
type File struct {
	path   string
	single bool // .npy
	closer io.Closer
	arrays map[string]member
	types  map[string]tensor.DType
}

// A member is one array of a file.
type member struct {
	open func() (io.ReadCloser, error)
	size uint64 // of what open returns, as the archive states it
}

// Open opens a .npz or .npy file. The content decides which one it is.
func Open(path string) (*File, error) {
	// Opening a pipe would block until another process writes to it.
	switch info, err := os.Stat(path); {
	case err != nil: // opening it returns the error
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: use a .npy or .npz file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a pipe or a device, which cannot be read at several positions: use a .npy or .npz file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	start := make([]byte, len(magic))
	n, _ := f.ReadAt(start, 0) // fewer bytes are not an array, whatever the reason
	if string(start[:n]) == magic {
		info, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil }
		return &File{path: path, single: true, closer: f,
			arrays: map[string]member{"": {open, uint64(info.Size())}}}, nil
	}
	defer f.Close()
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: it is neither a .npy array nor a .npz archive (%w): write it with numpy.save or numpy.savez", path, err)
	}
	z := &File{path: path, closer: archive, arrays: map[string]member{}}
	if err := checkSizes(f, archive.File); err != nil {
		archive.Close()
		return nil, fmt.Errorf("%s: it is damaged: %w", path, err)
	}
	for _, entry := range archive.File {
		name, ok := strings.CutSuffix(entry.Name, ".npy")
		if !ok {
			continue
		}
		if z.Has(name) {
			archive.Close()
			return nil, fmt.Errorf("%s: it contains %q twice: write it again with numpy.savez", path, name)
		}
		z.arrays[name] = member{entry.Open, entry.UncompressedSize64}
	}
	if err := z.readTypes(); err != nil {
		archive.Close()
		return nil, err
	}
	return z, nil
}

// checkSizes returns an error if the entries of an archive state more than the file can have: more bytes than their
// compressed ones can stand for, or the same ones several times.
func checkSizes(file *os.File, entries []*zip.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	left := uint64(info.Size())
	for _, e := range entries {
		if e.CompressedSize64 > left {
			return fmt.Errorf("its entries state more bytes than the %d of the file", info.Size())
		}
		left -= e.CompressedSize64
		if most := e.CompressedSize64 * bounded.MaxRatio; e.UncompressedSize64 > most {
			return fmt.Errorf("%q states %d bytes, and its %d compressed ones can be %d at most", e.Name,
				e.UncompressedSize64, e.CompressedSize64, most)
		}
	}
	return nil
}

func (f *File) readTypes() error {
	if !f.Has(typesEntry) {
		return nil
	}
	v, err := f.decode(typesEntry, func(s tensor.Shape) error {
		if s.NumBytes() > maxHeader {
			return fmt.Errorf("it claims %d bytes, and the limit is %d", s.NumBytes(), maxHeader)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var names map[string]string
	if err := json.Unmarshal(v.Data, &names); err != nil {
		return fmt.Errorf("%s: the entry %q must be JSON, array name to type name: %w", f.path, typesEntry, err)
	}
	f.types = map[string]tensor.DType{}
	for array, name := range names {
		s, ok := find(func(s stored) bool { return s.name == name })
		if !ok {
			return fmt.Errorf("%s: the entry %q gives %s the unknown type %q", f.path, typesEntry, array, name)
		}
		f.types[array] = s.dtype
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.closer.Close() }

// IsSingle reports whether it is a .npy file, whose single array has the name "".
func (f *File) IsSingle() bool { return f.single }

// Has reports whether there is an array with that name.
func (f *File) Has(name string) bool { return f.arrays[name].open != nil }

// Names returns the names of the arrays, sorted.
func (f *File) Names() []string {
	names := slices.Sorted(maps.Keys(f.arrays))
	return slices.DeleteFunc(names, func(name string) bool { return name == typesEntry })
}

// Array reads an array. If wanted is not nil, it is called first with the array's header.
// If it fails, Array returns its error and reads nothing else.
func (f *File) Array(name string, wanted func(Header) error) (Array, error) {
	declared, isDeclared := f.types[name]
	v, err := f.decode(name, func(s tensor.Shape) error {
		h := Header{Shape: s}
		if isDeclared {
			if err := h.Fits(declared); err != nil {
				return fmt.Errorf("declared as %s, but %w", declared, err)
			}
			h = Header{tensor.Shape{DType: declared, Dims: s.Dims}, true}
		}
		if wanted == nil {
			return nil
		}
		return wanted(h)
	})
	if err != nil {
		return Array{}, err
	}
	a := Array{View: v}
	if !isDeclared {
		return a, nil
	}
	if a.View, err = a.As(declared); err != nil {
		return Array{}, fmt.Errorf("%s: %s: declared as %s, but %w", f.path, name, declared, err)
	}
	a.Declared = true
	return a, nil
}

func (f *File) decode(name string, wanted func(tensor.Shape) error) (tensor.View, error) {
	m := f.arrays[name]
	if m.open == nil {
		return tensor.View{}, fmt.Errorf("%s: there is no array %q", f.path, name)
	}
	r, err := m.open()
	if err != nil {
		return tensor.View{}, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	defer r.Close()
	v, err := decode(r, m.size, wanted)
	if err != nil && f.single {
		return tensor.View{}, fmt.Errorf("%s: %w", f.path, err)
	}
	if err != nil {
		return tensor.View{}, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	return v, nil
}

// Named is an array with its name.
type Named struct {
	Name string
	View tensor.View
}

// WriteFile writes a .npz file. It adds the entry "dtypes" if NumPy lacks an element type.
// Either the whole file is written or none. It replaces only a regular file that may be written.
func WriteFile(path string, arrays []Named) error {
	return replace.File(path, func(w io.Writer) error { return write(w, arrays) })
}

func write(w io.Writer, arrays []Named) error {
	archive := zip.NewWriter(w)
	types := map[string]string{}
	special := false
	for _, a := range arrays {
		if err := writeEntry(archive, a); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		s, _ := ofDType(a.View.Shape.DType)
		types[a.Name] = s.name
		special = special || !s.native
	}
	if special {
		text, err := json.Marshal(types)
		if err != nil {
			return err
		}
		if err := writeEntry(archive, Named{typesEntry, tensor.Vector(text...)}); err != nil {
			return err
		}
	}
	return archive.Close()
}

func writeEntry(archive *zip.Writer, a Named) error {
	// Encode first: an array that cannot be stored must not leave an entry behind.
	var b bytes.Buffer
	if err := Encode(&b, a.View); err != nil {
		return err
	}
	w, err := archive.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}
