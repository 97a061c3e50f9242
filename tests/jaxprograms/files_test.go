package jaxprograms

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// A program is what one version of JAX lowered or exported.
type program struct {
	name    string
	version string
	file    string // with the kind at the end
	module  []byte
	arrays  []byte // an npz file
}

// programs returns what each version of JAX wrote that no newer one wrote, too.
var programs = sync.OnceValue(func() (list []program) {
	for _, version := range jaxenv.Versions() {
		files := unzip(version)
		for file, data := range files {
			name, kind, _ := strings.Cut(file, ".")
			if kind != "mlir" && kind != "jaxexport" {
				continue
			}
			arrays := files[name+".npz"]
			if arrays == nil {
				arrays = unzip(jaxenv.Newest)[name+".npz"]
			}
			list = append(list, program{name, version, file, data, arrays})
		}
	}
	slices.SortFunc(list, func(a, b program) int { return strings.Compare(a.version+a.name, b.version+b.name) })
	var tested []program
	for i := 0; i < len(list); i += every {
		tested = append(tested, list[i])
	}
	return tested
})

func unzip(version string) map[string][]byte {
	archive := check.Must(zip.OpenReader(filepath.Join("testdata", version+".zip")))
	defer archive.Close()
	files := map[string][]byte{}
	for _, f := range archive.File {
		r := check.Must(f.Open())
		files[f.Name] = check.Must(io.ReadAll(r))
	}
	return files
}

// all returns the arrays with a name and a number, by the number.
func (p program) all(name string) map[int]tensor.View {
	list := map[int]tensor.View{}
	r := check.Must(zip.NewReader(bytes.NewReader(p.arrays), int64(len(p.arrays))))
	for _, f := range r.File {
		var i int
		if n, err := fmt.Sscanf(f.Name, name+"%d.npy", &i); n != 1 || err != nil {
			continue
		}
		in := check.Must(f.Open())
		list[i] = check.Must(npz.Decode(in, nil))
		_ = in.Close()
	}
	return list
}

// values returns arrays in the order of their numbers.
func values(of map[int]tensor.View) (views []tensor.View) {
	keys := make([]int, 0, len(of))
	for i := range of {
		keys = append(keys, i)
	}
	slices.Sort(keys)
	for _, i := range keys {
		views = append(views, of[i])
	}
	return views
}
