package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A wheel is a file that Python's installers unpack: see PEP 427.
type wheel struct {
	name         string // as files have it
	metadata     string
	version, tag string
	files        []file
}

type file struct {
	path string
	data []byte
	mode fs.FileMode
}

// folder returns the path of a folder of the wheel, such as dist-info.
func (w *wheel) folder(kind string) string { return fmt.Sprintf("%s-%s.%s", w.name, w.version, kind) }

func (w *wheel) add(path string, data []byte, mode fs.FileMode) {
	w.files = append(w.files, file{path, data, mode})
}

// addFile adds a file of the disk.
func (w *wheel) addFile(path, from string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	w.add(path, data, mode)
	return err
}

// addModules adds the modules of a package in Python, and the file that says that they have types.
func (w *wheel) addModules(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".py") || f.Name() == "py.typed" {
			if err := w.addFile(w.name+"/"+f.Name(), filepath.Join(folder, f.Name()), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

const lintMetadata = `Metadata-Version: 2.4
Name: mlir-lint
Version: %s
Summary: Finds outdated host calls and other mistakes in MLIR modules
Project-URL: Source, https://github.com/calliope-mlir/calliope
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Description-Content-Type: text/markdown

mlir-lint checks MLIR modules with rules: text, bytecode, StableHLO portable artifacts and files of jax.export. See
https://github.com/calliope-mlir/calliope/blob/main/docs/mlir-lint.md.
`

const libraryMetadata = `Metadata-Version: 2.4
Name: calliope-mlir
Version: %s
Summary: Functions in Python, C and Go that programs of JAX call while they run
Project-URL: Source, https://github.com/calliope-mlir/calliope
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Requires-Dist: numpy
Provides-Extra: jax
Requires-Dist: jax>=0.10; extra == "jax"
Description-Content-Type: text/markdown

The module calliope_mlir registers functions with names, which programs of JAX call with the arrays of the device, under
jit, scan, vmap, grad, shard_map and in exported modules: see
https://github.com/calliope-mlir/calliope/blob/main/docs/embedding.md.
`

const jaxMetadata = `Metadata-Version: 2.4
Name: calliope-jax
Version: %s
Summary: Calliope's JIT compiler as a backend of JAX
Project-URL: Source, https://github.com/calliope-mlir/calliope
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.11
Requires-Dist: jax>=0.10
Description-Content-Type: text/markdown

JAX_PLATFORMS=calliope,cpu runs programs of JAX by MLIR and LLVM: see
https://github.com/calliope-mlir/calliope/blob/main/docs/plugin.md.
`

// write adds what describes the wheel, and writes it to a folder.
func (w *wheel) write(dir string) (path string, err error) {
	w.add(w.folder("dist-info/METADATA"), fmt.Appendf(nil, w.metadata, w.version), 0o644)
	w.add(w.folder("dist-info/WHEEL"), fmt.Appendf(nil,
		"Wheel-Version: 1.0\nGenerator: calliope\nRoot-Is-Purelib: false\nTag: %s\n", w.tag), 0o644)
	var record strings.Builder
	for _, f := range w.files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%s,,\n", w.folder("dist-info/RECORD"))
	w.add(w.folder("dist-info/RECORD"), []byte(record.String()), 0o644)

	var data bytes.Buffer
	archive := zip.NewWriter(&data)
	for _, f := range w.files {
		header := &zip.FileHeader{Name: f.path, Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)} // the first that the format has
		header.SetMode(f.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return "", err
		}
		if _, err := entry.Write(f.data); err != nil {
			return "", err
		}
	}
	if err := archive.Close(); err != nil {
		return "", err
	}
	path = filepath.Join(dir, fmt.Sprintf("%s-%s-%s.whl", w.name, w.version, w.tag))
	return path, os.WriteFile(path, data.Bytes(), 0o644)
}
