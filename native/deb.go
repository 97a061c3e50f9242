package native

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/program"
)

// debPlatform is the only platform (GOOS/GOARCH) whose packages are pinned.
const debPlatform = "linux/amd64"

// deb is one pinned Debian package with the files to keep.
type deb struct {
	name, version string
	sha256        string // of the whole package, in lower-case hex
	// keep is a regular expression for the paths of the files to unpack. Its first group is
	// the path below the folder to unpack into.
	keep string
}

// pin identifies a choice of packages and of files in them.
func pin(debs []deb) string {
	h := sha256.Sum256(fmt.Append(nil, debs))
	return hex.EncodeToString(h[:])
}

// packageSet is a set of packages that are fetched together.
type packageSet struct {
	what string // what they hold, for messages
	mb   int    // size of the download in megabytes
	env  string // the variable that makes the fetch unnecessary, if there is one
	debs []deb
}

// instead returns the end of the advice in an error.
func (h packageSet) instead() string {
	if h.env == "" {
		return ""
	}
	return fmt.Sprintf(", or set %s to the path of a library that you have", h.env)
}

// unpack gets the packages, and writes the files to keep below the folder into. It installs
// nothing.
func (h packageSet) unpack(ctx context.Context, sl slot, into string, from given, progress io.Writer) error {
	if err := h.need("dpkg-deb"); err != nil {
		return err
	}
	dir, err := h.get(ctx, sl, from, progress)
	if err != nil {
		return err
	}
	cache := filepath.Dir(sl.dir)
	for _, d := range h.debs {
		path, err := d.check(cache, dir, h)
		if err != nil {
			return err
		}
		if err := h.unpackOne(ctx, cache, d, path, into); err != nil {
			return err
		}
		// Delete it as soon as possible: the packages take as much space as the files that
		// are kept.
		if err := os.Remove(path); err != nil {
			return cacheError(cache, err)
		}
	}
	return nil
}

// need reports a program that is not on PATH.
func (h packageSet) need(name string) error {
	if _, err := program.Find(name); err != nil {
		return fmt.Errorf("native: fetching the %s needs %s, which is not on PATH: use a system or container with Debian 12%s", h.what, name, h.instead())
	}
	return nil
}

// get stores the packages in the slot's work folder, and returns the folder that has them.
func (h packageSet) get(ctx context.Context, sl slot, from given, progress io.Writer) (dir string, err error) {
	cache, dir := filepath.Dir(sl.dir), filepath.Join(sl.work, "deb")
	if from == nil {
		if err := h.need("apt-get"); err != nil {
			return "", err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", cacheError(cache, err)
	}
	if from == nil {
		return dir, h.download(ctx, cache, dir, progress)
	}
	for _, d := range h.debs {
		path, err := from.copy(ctx, d.sha256, cache, dir)
		if err == nil {
			err = os.Rename(path, filepath.Join(dir, d.file()))
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// file returns the name of the package's file, as apt-get writes it.
func (d deb) file() string {
	return d.name + "_" + strings.ReplaceAll(d.version, ":", "%3a") + "_amd64.deb"
}

// download makes apt-get fetch the packages. It names no archive: the system's apt settings
// decide.
func (h packageSet) download(ctx context.Context, cache, into string, progress io.Writer) error {
	args := []string{"apt-get", "download"}
	var names []string
	for _, d := range h.debs {
		args = append(args, d.name+":amd64="+d.version)
		names = append(names, d.name+" "+d.version)
	}
	fmt.Fprintf(progress, "fetching the %s: %s (%d MB), with apt-get, into %s\n", h.what, strings.Join(names, ", "),
		h.mb, cache)
	last := new(tail)
	cmd := command(ctx, into, args)
	// The messages are checked below.
	cmd.Env = append(cmd.Env, "LC_ALL=C", "TMPDIR="+into)
	cmd.Stderr = last
	if isTerminal(progress) {
		cmd.Stdout = progress
	}
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return stopped(ctx, h.what)
	case last.contains(noSpace, "Disk quota exceeded", "enough free space"):
		return diskFullError(cache, errors.New("apt-get found no space left on it"))
	case last.contains("was not found", "Unable to locate package", "404  Not Found"):
		return fmt.Errorf("native: apt-get cannot find the pinned packages %s: run `apt-get update` as root and try again; if that does not help, this is not Debian 12, or its archive has moved on and the versions pinned in the package native must be moved too%s; apt-get said:\n%s", strings.Join(names, ", "), h.instead(), last.text(err))
	}
	return fmt.Errorf("native: apt-get could not fetch the %s: look at the network and at apt's settings in /etc/apt and try again%s; apt-get said:\n%s", h.what, h.instead(), last.text(err))
}

// check returns the path of the package among the downloads, after comparing it with the
// pinned hash.
func (d deb) check(cache, dir string, h packageSet) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", cacheError(cache, err)
	}
	i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), d.name+"_") })
	if i < 0 {
		return "", fmt.Errorf("native: `apt-get download` did not store the package %s: look at apt's settings in /etc/apt and try again%s", d.name, h.instead())
	}
	path := filepath.Join(dir, entries[i].Name())
	got, err := hashFile(path)
	if err != nil {
		return "", cacheError(cache, err)
	}
	if got != d.sha256 {
		return "", fmt.Errorf("native: the download of the %s is not the pinned file: %s has sha256 %s and should have %s; it was deleted: try again and, if that does not help, look at apt's settings in /etc/apt for an archive that alters packages%s", h.what, filepath.Base(path), got, d.sha256, h.instead())
	}
	return path, nil
}

// unpackOne writes the files to keep of one package. dpkg-deb writes the package as a tar
// stream, so that the rest of it, half a gigabyte of archives and headers, is never written
// to the disk.
func (h packageSet) unpackOne(ctx context.Context, cache string, d deb, path, into string) error {
	last := new(tail)
	cmd := command(ctx, "", []string{"dpkg-deb", "--fsys-tarfile", path})
	cmd.Stderr = last
	stream, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("native: dpkg-deb cannot be started: %w", err)
	}
	// A child of an interrupted dpkg-deb may hold the other end of the pipe for longer.
	defer context.AfterFunc(ctx, func() { stream.Close() })()
	kept, uerr := unpackTar(stream, regexp.MustCompile(d.keep), into)
	stream.Close()
	err = cmd.Wait()
	if ctx.Err() != nil {
		return stopped(ctx, h.what)
	}
	if _, ok := errors.AsType[*fs.PathError](uerr); ok {
		return cacheError(cache, uerr)
	}
	if err := errors.Join(uerr, err); err != nil {
		return fmt.Errorf("native: dpkg-deb cannot unpack %s, which is a defect of this program or of the disk; it said:\n%s", filepath.Base(path), last.text(err))
	}
	if kept == 0 {
		return fmt.Errorf("native: the package %s holds no file that matches %s, which is a defect of this program",
			filepath.Base(path), d.keep)
	}
	return nil
}

// unpackTar writes the regular files that keep matches below the folder into, reads the
// stream to its end, and returns the number of written files.
func unpackTar(stream io.Reader, keep *regexp.Regexp, into string) (kept int, err error) {
	t := tar.NewReader(stream)
	for {
		h, err := t.Next()
		if err == io.EOF {
			// Read the padding of the archive too, so that the writer does not fail.
			_, err = io.Copy(io.Discard, stream)
			return kept, err
		}
		if err != nil {
			return kept, err
		}
		match := keep.FindStringSubmatch(strings.TrimPrefix(h.Name, "./"))
		if match == nil || h.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(match[1]) {
			return kept, fmt.Errorf("it holds the invalid file name %q", h.Name)
		}
		path := filepath.Join(into, match[1])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return kept, err
		}
		if err := writeSynced(path, t); err != nil {
			return kept, err
		}
		kept++
	}
}
