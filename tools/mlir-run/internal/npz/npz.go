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
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// typesEntry is the array that says what element types the others have.
const typesEntry = "dtypes"

// File is an open .npz or .npy file. It is used by one goroutine and closed by whoever
// opened it.
type File struct {
	path   string
	single bool // .npy
	closer io.Closer
	arrays map[string]func() (io.ReadCloser, error)
	types  map[string]tensor.DType
}

// Open opens a .npz or .npy file; its content tells which.
func Open(path string) (*File, error) {
	// To open a pipe would wait for somebody to write to it.
	switch info, err := os.Stat(path); {
	case err != nil: // opening it says why
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder: give a .npy or .npz file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a pipe or a device, and arrays are read at several places: give a .npy or .npz file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	start := make([]byte, len(magic))
	n, _ := f.ReadAt(start, 0) // fewer bytes are no array, whatever the reason
	if string(start[:n]) == magic {
		return &File{path: path, single: true, closer: f, arrays: map[string]func() (io.ReadCloser, error){
			"": func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil },
		}}, nil
	}
	defer f.Close()
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: it is neither a .npy array nor a .npz archive (%w): save it with numpy.save or numpy.savez", path, err)
	}
	z := &File{path: path, closer: archive, arrays: map[string]func() (io.ReadCloser, error){}}
	for _, entry := range archive.File {
		name, ok := strings.CutSuffix(entry.Name, ".npy")
		if !ok {
			continue
		}
		if z.Has(name) {
			archive.Close()
			return nil, fmt.Errorf("%s: it holds %q twice: save it again with numpy.savez", path, name)
		}
		z.arrays[name] = entry.Open
	}
	if err := z.readTypes(); err != nil {
		archive.Close()
		return nil, err
	}
	return z, nil
}

func (f *File) readTypes() error {
	if !f.Has(typesEntry) {
		return nil
	}
	v, err := f.decode(typesEntry, func(s tensor.Shape) error {
		if s.NumBytes() > maxHeader {
			return fmt.Errorf("it claims %d bytes, and %d are the most that is read", s.NumBytes(), maxHeader)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var names map[string]string
	if err := json.Unmarshal(v.Data, &names); err != nil {
		return fmt.Errorf("%s: the entry %q is to be JSON, array name to type name: %w", f.path, typesEntry, err)
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

// IsSingle reports whether it is a .npy file, whose one array has the name "".
func (f *File) IsSingle() bool { return f.single }

// Has reports whether there is an array of that name.
func (f *File) Has(name string) bool { return f.arrays[name] != nil }

// Names are the names of the arrays, sorted.
func (f *File) Names() []string {
	names := slices.Sorted(maps.Keys(f.arrays))
	return slices.DeleteFunc(names, func(name string) bool { return name == typesEntry })
}

// Array reads an array. Where wanted is not nil it is asked first: what it fails with is
// the error, and nothing but the array's header is read.
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
	open := f.arrays[name]
	if open == nil {
		return tensor.View{}, fmt.Errorf("%s: there is no array %q", f.path, name)
	}
	r, err := open()
	if err != nil {
		return tensor.View{}, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	defer r.Close()
	v, err := Decode(r, wanted)
	if err != nil && f.single {
		return tensor.View{}, fmt.Errorf("%s: %w", f.path, err)
	}
	if err != nil {
		return tensor.View{}, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	return v, nil
}

// Named is an array under its name.
type Named struct {
	Name string
	View tensor.View
}

// WriteFile writes a .npz file, with the entry "dtypes" where NumPy lacks an element
// type. It is there whole or not at all.
func WriteFile(path string, arrays []Named) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f, arrays), f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func write(w io.Writer, arrays []Named) error {
	archive := zip.NewWriter(w)
	types := map[string]string{}
	foreign := false
	for _, a := range arrays {
		if err := writeEntry(archive, a); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		s, _ := ofDType(a.View.Shape.DType)
		types[a.Name] = s.name
		foreign = foreign || !s.native
	}
	if foreign {
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
	// Encoded first: an array that cannot be stored must leave no entry behind.
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
