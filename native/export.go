package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/replace"
)

// manifestName is the name of the file with the SHA-256 of the other files of an export. Its
// format is that of `sha256sum -c`. [Import] does not read it: the hashes are pinned in this
// package.
const manifestName = "SHA256SUMS"

// ExportOptions are the options of [Export]. The zero value exports for this platform.
type ExportOptions struct {
	// Platform is the GOOS/GOARCH of the machine that the files are for, such as
	// "linux/arm64"; "" means this one.
	Platform string
	// Progress receives progress messages; nil means [os.Stderr].
	Progress io.Writer
}

// Export writes the files that [Import] needs to a folder, which it creates if needed: the
// wheels or Debian packages of the parts, as the package index has them, and SHA256SUMS.
// Without parts it exports those that the platform needs. It returns the names of the files of
// these parts. Files that are in the folder already are kept, also those for other platforms.
// A file that has the name of one and other contents is replaced.
//
// Export needs pip, or apt-get for [LLVM], and the network. If the package index does not have
// the build of a part, Export may write that of another one instead, as [Ensure] does. Processes of
// one user wait for each other. A failed or interrupted Export leaves only complete files.
func Export(ctx context.Context, dir string, o ExportOptions, parts ...Part) (names []string, err error) {
	if err := platformError(); err != nil {
		return nil, err
	}
	platform := o.Platform
	if platform == "" {
		platform = thisPlatform
	}
	if len(parts) == 0 {
		if parts = defaultsOf(platform); len(parts) == 0 {
			return nil, fmt.Errorf("native: nothing can be exported for the platform %q: use one of %s", platform,
				strings.Join(Platforms(), ", "))
		}
	}
	for _, p := range parts {
		s, err := lookup(p)
		if err != nil {
			return nil, err
		}
		if _, ok := s.builds[platform]; !ok {
			return nil, fmt.Errorf("native: there is no build of the %s for the platform %q, only for %s", p, platform,
				s.platforms())
		}
	}
	e := exporter{dir: dir, platform: platform, progress: EnsureOptions{Progress: o.Progress}.progress()}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, e.failed(err)
	}
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	e.slot = newSlot(cache, "export", "none")
	always := func() (bool, error) { return false, nil }
	err = e.slot.fill(ctx, "files to export", e.progress, always, func(ctx context.Context) error {
		for _, p := range parts {
			written, err := e.part(ctx, p)
			if err != nil {
				return err
			}
			names = append(names, written...)
		}
		return e.manifest()
	})
	if err != nil {
		return nil, err
	}
	return names, nil
}

// defaultsOf returns the default parts of a platform.
func defaultsOf(platform string) []Part {
	var parts []Part
	for _, p := range Parts() {
		if s := table[p]; !s.byAsk {
			if _, ok := s.builds[platform]; ok {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// Platforms returns the platforms (GOOS/GOARCH) that some part has a build for, in a fixed
// order.
func Platforms() []string {
	var names []string
	for _, s := range table {
		for name := range s.builds {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// exporter writes files to a folder.
type exporter struct {
	dir, platform string
	progress      io.Writer
	slot          slot // for downloads
}

// part exports the files of a part and returns their names.
func (e exporter) part(ctx context.Context, p Part) ([]string, error) {
	s := p.on(e.platform)
	b := s.builds[e.platform]
	want := b.pinned()
	var names []string
	missing := false
	for _, f := range want {
		names = append(names, f.Name)
		if err := replace.Check(filepath.Join(e.dir, f.Name)); err != nil {
			return nil, e.failed(err)
		}
		if got, err := hashFile(filepath.Join(e.dir, f.Name)); err != nil || got != f.SHA256 {
			missing = true
		}
	}
	if !missing {
		return names, nil
	}
	// One part at a time: the next one finds the folder empty.
	if err := e.slot.clean(); err != nil {
		return nil, cacheError(filepath.Dir(e.slot.dir), err)
	}
	if err := os.MkdirAll(e.slot.work, 0o755); err != nil {
		return nil, cacheError(filepath.Dir(e.slot.dir), err)
	}
	paths, err := e.download(ctx, p, s, b)
	if err != nil {
		if instead := s.instead.on(e.platform); errors.As(err, new(*notInIndexError)) &&
			instead.builds[e.platform].pin() != "" {
			fmt.Fprintf(e.progress,
				"the package index does not have %s: exporting %s instead, which lacks something: %s\n",
				s.release(), instead.release(), s.lost)
			return e.part(ctx, s.instead)
		}
		return nil, err
	}
	for i, path := range paths {
		to := filepath.Join(e.dir, want[i].Name)
		if err := copyTo(ctx, path, to+".partial", e.failed); err != nil {
			return nil, err
		}
		if err := os.Rename(to+".partial", to); err != nil {
			return nil, e.failed(err)
		}
	}
	return names, nil
}

// download gets the files of a build, in the order of build.pinned, and checks them.
func (e exporter) download(ctx context.Context, p Part, s spec, b build) (paths []string, err error) {
	if b.debs == nil {
		path, err := wheel(ctx, p, s, b, e.slot, nil, e.progress)
		return []string{path}, err
	}
	h := packageSet{s.title, s.mb, s.env, b.debs}
	dir, err := h.get(ctx, e.slot, nil, e.progress)
	if err != nil {
		return nil, err
	}
	for _, d := range b.debs {
		path, err := d.check(filepath.Dir(e.slot.dir), dir, h)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// pinned lists the files that a build is made of, as they are exported.
func (b build) pinned() []file {
	if b.debs == nil {
		return []file{{Name: b.wheel(), SHA256: b.sha256}}
	}
	var files []file
	for _, d := range b.debs {
		files = append(files, file{Name: d.file(), SHA256: d.sha256})
	}
	return files
}

// manifest writes the hashes of the pinned files in the folder. They were compared when they
// were written.
func (e exporter) manifest() error {
	var lines []string
	for _, p := range Parts() {
		for _, b := range table[p].builds {
			for _, f := range b.pinned() {
				if _, err := os.Stat(filepath.Join(e.dir, f.Name)); err == nil {
					lines = append(lines, f.SHA256+"  "+f.Name+"\n")
				} else if !errors.Is(err, fs.ErrNotExist) {
					return e.failed(err)
				}
			}
		}
	}
	slices.Sort(lines)
	err := replace.File(filepath.Join(e.dir, manifestName), func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(slices.Compact(lines), ""))
		return err
	})
	if err != nil {
		return e.failed(err)
	}
	return nil
}

// failed adds advice to an error of writing into the folder.
func (e exporter) failed(err error) error {
	return fmt.Errorf("native: the folder %s cannot be written (%w): make it writable and free space on its disk, or export to another folder", e.dir, err)
}
