package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// An entry is a file or a symbolic link of an archive.
type entry struct {
	name, link string
	data       []byte
	mode       fs.FileMode
}

// below returns the files below a folder, in the order of their names.
func below(folder string) (list []entry, err error) {
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		e := entry{name: filepath.ToSlash(name), mode: 0o644}
		if d.Type()&fs.ModeSymlink != 0 {
			e.link, err = os.Readlink(file)
			list = append(list, e)
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&0o100 != 0 {
			e.mode = 0o755
		}
		e.data, err = os.ReadFile(file)
		list = append(list, e)
		return err
	})
	return list, err
}

// archive writes an archive of entries and of the licences: a zip file for Windows, a compressed tar file elsewhere.
func (b build) archive(what string, entries []entry) error {
	top := what + "-" + version.Version + "-" + b.platform.name()
	entries = append(entries[:len(entries):len(entries)], b.texts...)
	write, end := b.tar, ".tar.gz"
	if b.platform.os == "windows" {
		write, end = b.zip, ".zip"
	}
	data, err := write(top, entries)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, top+end), data, 0o644)
}

func (b build) tar(top string, entries []entry) ([]byte, error) {
	var data bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&data, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		h := &tar.Header{Name: path.Join(top, e.name), Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: b.when,
			Typeflag: tar.TypeReg}
		if e.link != "" {
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.link, 0o777
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = compressed.Close()
	return data.Bytes(), err
}

func (b build) zip(top string, entries []entry) ([]byte, error) {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, e := range entries {
		h := &zip.FileHeader{Name: path.Join(top, e.name), Method: zip.Deflate, Modified: b.when}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return data.Bytes(), err
}
