package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// ImportOptions are the options of [Import]. The zero value is the usual choice.
type ImportOptions struct {
	// Progress receives progress messages; nil means [os.Stderr].
	Progress io.Writer
}

// An UnpinnedError reports a file that [Import] refuses, because its SHA-256 is not pinned.
type UnpinnedError struct {
	Path   string
	SHA256 string
	Want   string // the files that are accepted, with their SHA-256
}

func (e *UnpinnedError) Error() string {
	return fmt.Sprintf("native: %s is not imported: its sha256 is %s, and no pinned file has it; expected is %s",
		e.Path, e.SHA256, e.Want)
}

// Import takes parts from files into the cache, without the network: wheels or Debian
// packages, as [Export] writes them or as the package index has them. Their names do not
// matter. A path of a folder stands for the wheels and packages in it; those for other
// platforms are left out. Import returns the parts that the files hold, also those that were
// in the cache already.
//
// The checks are those of [Ensure]: each file must have a pinned SHA-256, else the error is an
// [*UnpinnedError] and nothing is imported. The unpacked library must have its pinned SHA-256,
// and nothing is imported into a cache that other users may change. Processes wait for each
// other. [LLVM] is linked here, which needs dpkg-deb and a C++ compiler.
//
// If [Jaxlib] is imported and [MLIR] is not in the cache, Jaxlib is used instead while MLIR
// cannot be fetched, and likewise [PJRT81] and [PJRTPlugin].
func Import(ctx context.Context, o ImportOptions, paths ...string) ([]Part, error) {
	if err := platformError(); err != nil {
		return nil, err
	}
	progress := EnsureOptions{Progress: o.Progress}.progress()
	from, err := pinnedFiles(ctx, paths, progress)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, p := range Parts() {
		b, ok := table[p].build()
		if !ok {
			continue
		}
		switch missing := b.missing(from); {
		case len(missing) == 0:
			parts = append(parts, p)
		case len(missing) < len(b.pinned()):
			return nil, fmt.Errorf("native: the %s is made of several files: add %s", p, strings.Join(missing, ", "))
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("native: %s: no file for %s/%s is there; expected is %s", strings.Join(paths, ", "),
			runtime.GOOS, runtime.GOARCH, expectedFiles(""))
	}
	for _, p := range parts {
		if err := importPart(ctx, p, from, progress); err != nil {
			return nil, err
		}
	}
	for p, s := range table {
		if s.instead != "" && slices.Contains(parts, s.instead) && !slices.Contains(parts, p) {
			if err := useInstead(p, progress); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// missing lists the files of the build that are not given.
func (b build) missing(from given) (names []string) {
	for _, f := range b.pinned() {
		if _, ok := from[f.SHA256]; !ok {
			names = append(names, fmt.Sprintf("%s (sha256 %s)", f.Name, f.SHA256))
		}
	}
	return names
}

func importPart(ctx context.Context, p Part, from given, progress io.Writer) error {
	s := p.spec()
	b, _ := s.build()
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	sl := s.slot(cache)
	there := func() (bool, error) {
		problem, err := sl.inspect(b)
		return problem == "", err
	}
	if found, err := there(); found || err != nil {
		return err
	}
	return sl.fill(ctx, s.title, progress, there, func(ctx context.Context) error {
		fmt.Fprintf(progress, "importing the %s: %s\n", p, s.release())
		return sl.install(ctx, p, s, b, from, progress)
	})
}

// useInstead makes [Ensure] use the part that replaces p, which is in the cache, if p cannot
// be found or fetched.
func useInstead(p Part, progress io.Writer) error {
	s := p.spec()
	if _, err := find(p); !errors.As(err, new(*NotFoundError)) || s.unavailable() != nil {
		return nil
	}
	fmt.Fprintf(progress, "%s is used while %s cannot be fetched; it lacks something: %s\n", s.instead.Release(),
		s.release(), s.lost)
	return s.markUnavailable(time.Now().Add(-2 * askAgain)) // the next Ensure tries to fetch it
}

// pinnedFiles finds the files that are pinned for this platform, and reports others.
func pinnedFiles(ctx context.Context, paths []string, progress io.Writer) (given, error) {
	from := given{}
	for _, path := range paths {
		names, folder, err := filesAt(path)
		if err != nil {
			return nil, fmt.Errorf("native: cannot import: %w", err)
		}
		for _, name := range names {
			if err := context.Cause(ctx); err != nil {
				return nil, fmt.Errorf("native: the import was stopped: %w", err)
			}
			sum, err := hashFile(name)
			if err != nil {
				return nil, fmt.Errorf("native: cannot import: %w", err)
			}
			platforms := platformsOf(sum)
			switch {
			case platforms == nil:
				return nil, &UnpinnedError{name, sum, expectedFiles(filepath.Base(name))}
			case slices.Contains(platforms, thisPlatform):
				from[sum] = name
			case folder:
				fmt.Fprintf(progress, "%s is for %s: left out\n", name, strings.Join(platforms, ", "))
			default:
				return nil, fmt.Errorf("native: %s is for %s, and this is %s/%s; expected is %s", name,
					strings.Join(platforms, ", "), runtime.GOOS, runtime.GOARCH, expectedFiles(filepath.Base(name)))
			}
		}
	}
	return from, nil
}

// filesAt returns a file, or the wheels and packages in a folder.
func filesAt(path string) (names []string, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".whl" || ext == ".deb" {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	return names, true, err
}

// platformsOf returns the platforms for which a file with a SHA-256 is pinned.
func platformsOf(sum string) (platforms []string) {
	for _, p := range Parts() {
		for platform, b := range table[p].builds {
			if slices.ContainsFunc(b.pinned(), func(f file) bool { return f.SHA256 == sum }) {
				platforms = append(platforms, platform)
			}
		}
	}
	slices.Sort(platforms)
	return slices.Compact(platforms)
}

// expectedFiles lists the files that are pinned for this platform: those of the project that a
// file name begins with or, if there is none, all.
func expectedFiles(name string) string {
	project := func(name string) string {
		before, _, _ := strings.Cut(name, "-")
		before, _, _ = strings.Cut(before, "_1%3a")
		return strings.ToLower(before)
	}
	var all, same []string
	for _, p := range Parts() {
		b, ok := table[p].build()
		if !ok {
			continue
		}
		for _, f := range b.pinned() {
			text := fmt.Sprintf("%s with the sha256 %s", f.Name, f.SHA256)
			all = append(all, text)
			if project(f.Name) == project(name) {
				same = append(same, text)
			}
		}
	}
	if same != nil {
		all = same
	}
	return strings.Join(all, ", or ")
}
