package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// A Source says how a library was found.
type Source string

const (
	FromEnvironment Source = "environment"
	FromExecutable  Source = "executable" // in the executable's folder, or in lib below it
	FromCache       Source = "cache"
	FromSystem      Source = "system"
)

// A Location is a library on this machine.
type Location struct {
	Path    string // absolute
	Source  Source
	Version string // the project and its version, such as "jaxlib 0.5.3"; "" when unknown
}

// A NotFoundError reports a part that is not named by its environment variable, not beside the
// executable, not in the cache, and not in a system directory. Its text names the command that fetches the part.
type NotFoundError struct {
	Part    Part
	Looked  []string // the searched places, in order, each with its result
	Problem string   // why the library in the cache is not used, "" if there is none
}

func (e *NotFoundError) Error() string {
	s := table[e.Part]
	todo := fmt.Sprintf("set %s to the path of one", s.env)
	if e.Part.Fetchable() {
		command := version.Fetch
		if s.byAsk {
			command += " " + string(e.Part)
		}
		todo = fmt.Sprintf("run `%s`, or %s", command, todo)
	} else {
		todo = fmt.Sprintf("no build for %s/%s can be fetched (only for %s), so %s", runtime.GOOS, runtime.GOARCH,
			s.platforms(), todo)
	}
	return fmt.Sprintf("native: %s not found (looked at %s): %s", e.Part, strings.Join(e.Looked, "; "), todo)
}

// unused returns the places that have a library which is not used, each with the reason.
func (e *NotFoundError) unused() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(e.Looked), func(place string) bool {
		return !strings.Contains(place, notUsed)
	}), "; ")
}

// Find searches for a part: the file that its environment variable names, then the folder of
// the executable and lib in it, then the cache, then the system's library directories. It
// never downloads. If there is no library, the
// error is a [*NotFoundError]. If the environment variable is set but names no usable file,
// that is an error of its own, because it was set on purpose. Find does not open the
// library.
//
// A library beside the executable has the file name that it has in the cache. Symbolic links to
// the executable are followed. Its SHA-256 is not compared: who can replace the library can
// replace the executable, too. So it is not used if a user may change it who may not change the
// executable, nor if this process cannot read it.
//
// A library in the cache is accepted only if its sha256 is the pinned one, or, for a
// library that was linked here, the one recorded at that time. Find reads a library that it
// has not verified yet, which takes up to a second. It stores next to the library what
// shows that the files have not changed since (size, inode, and times of change). If the
// cache is not writable, each process reads the library once. A cache that a user other
// than the current one and root may change is an [*UnsafeError]. There is one exception: if
// only the group may write to a file that the current user owns, Find removes that
// permission and reads the file.
//
// If [Ensure] did not find the part in the package index and fetched another part instead of
// it, Find returns that one.
//
// On Windows Find does not check who may change the cache or the executable's folder: access
// control lists decide that, and the default cache is in %LocalAppData%, to which only its user and administrators
// may write. A folder that CALLIOPE_CACHE names there should be such a folder.
func Find(p Part) (Location, error) {
	found, err := find(p)
	if errors.As(err, new(*NotFoundError)) {
		if s := p.spec(); s.instead != "" && s.unavailable() != nil {
			if other, otherErr := find(s.instead); otherErr == nil {
				return other, nil
			}
		}
	}
	return found, err
}

// find searches for the part itself.
func find(p Part) (Location, error) {
	s, err := lookup(p)
	if err != nil {
		return Location{}, err
	}
	if path := os.Getenv(s.env); path != "" {
		found, err := fromEnv(s.env, path)
		if err == nil && s.cached(found.Path) {
			found.Version = s.release()
		}
		return found, err
	}
	missing := &NotFoundError{Part: p, Looked: []string{"$" + s.env + ": not set"}}
	path, looked := s.besideExecutable()
	if path != "" {
		return Location{Path: path, Source: FromExecutable}, nil
	}
	missing.Looked = append(missing.Looked, looked...)
	b, ok := s.build()
	cache, err := CacheDir()
	if none, is := errors.AsType[*noCacheError](err); ok && is {
		missing.Looked = append(missing.Looked, none.reason())
	} else if ok {
		if err != nil {
			return Location{}, err
		}
		sl := s.slot(cache)
		problem, err := sl.inspect(b)
		if err != nil {
			return Location{}, err
		}
		if problem == "" {
			return Location{Path: sl.library, Source: FromCache, Version: s.release()}, nil
		}
		if problem != notThere {
			missing.Problem = problem
		}
		missing.Looked = append(missing.Looked, sl.library+": "+problem)
	}
	dirs := systemDirs()
	for _, dir := range dirs {
		path := filepath.Join(dir, s.library())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return Location{Path: path, Source: FromSystem}, nil
		}
	}
	if len(dirs) > 0 {
		missing.Looked = append(missing.Looked, strings.Join(dirs, ", ")+": not there")
	}
	return Location{}, missing
}

// cached reports whether a path is that of the part in the cache.
func (s spec) cached(path string) bool {
	b, ok := s.build()
	if !ok {
		return false
	}
	cache, err := CacheDir()
	if err != nil {
		return false
	}
	sl := s.slot(cache)
	if path != sl.library {
		return false
	}
	problem, err := sl.inspect(b)
	return problem == "" && err == nil
}

func fromEnv(name, path string) (Location, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Location{}, fmt.Errorf("native: $%s: %w", name, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return Location{}, fmt.Errorf("native: $%s names a library that cannot be read (%w): correct the path, or unset the variable", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Location{}, fmt.Errorf("native: $%s names %s, which is not a file: give the path of the shared library itself, or unset the variable", name, path)
	}
	return Location{Path: path, Source: FromEnvironment}, nil
}

// systemDirs lists the directories of the system's own libraries, in search order. Tests
// replace it.
var systemDirs = func() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"/opt/homebrew/lib", "/usr/local/lib"}
	case "windows":
		return nil // it has no directory for such libraries
	}
	triple := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return []string{"/usr/local/lib", filepath.Join("/usr/lib", triple), "/usr/lib64", "/usr/lib"}
}

// Check reads the whole library, and the libraries that were fetched with it, and compares
// them with the pinned hashes, or, if none is pinned, with those recorded when they were
// fetched. This finds an error that [Find] cannot: a disk that returns other bytes than
// were written. For a library that did not come from the cache no hash is known, and Check
// only verifies that it can be read. The error says which command to run.
func (l Location) Check() error {
	if l.Source != FromCache {
		if _, err := hashFile(l.Path); err != nil {
			return fmt.Errorf("native: cannot read the library: %w", err)
		}
		return nil
	}
	dir, name := filepath.Split(filepath.Clean(l.Path))
	cache, id := filepath.Split(filepath.Clean(dir))
	sl := newSlot(filepath.Clean(cache), id, name)
	again := fmt.Sprintf("run `rm -r %s` and fetch the part again", quote(sl.dir))
	r, err := readRecord(sl.record)
	if err != nil {
		return fmt.Errorf("native: cannot check %s (%w): %s", l.Path, err, again)
	}
	p, b, known := buildOf(r.Pin)
	if known {
		again = fmt.Sprintf("run `rm -r %s && %s %s`", quote(sl.dir), version.Fetch, string(p))
	}
	files := sl.expected(r, b)
	before, _, _ := sl.states(files)
	if problem := sl.read(files); problem != "" {
		_ = sl.forget() // the next Find reads it, too
		return fmt.Errorf("native: %s: %s: %s", l.Path, problem, again)
	}
	// Another process may be fetching.
	if after, problem, err := sl.states(files); before == after && problem == "" && err == nil {
		sl.keep(after)
	}
	return nil
}
