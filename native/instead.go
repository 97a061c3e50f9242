package native

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// askAgain is how long [Ensure] uses the other part before it asks the package index again.
const askAgain = time.Hour

// A notInIndexError reports that the package index was asked and does not have a build.
type notInIndexError struct{ err error }

func (e *notInIndexError) Error() string { return e.err.Error() }
func (e *notInIndexError) Unwrap() error { return e.err }

// mark returns the path of the file whose time says when the package index did not have the
// part.
func (s spec) mark() (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(s.slot(cache).dir, "unavailable"), nil
}

// unavailable returns when the package index did not have the part, or nil if that is not
// known. The mark decides only between two pinned libraries, both of which are verified.
func (s spec) unavailable() *time.Time {
	path, err := s.mark()
	if err != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	at := info.ModTime()
	return &at
}

// markUnavailable records that the package index did not have the part at a time. The part
// that replaces it is in the cache.
func (s spec) markUnavailable(at time.Time) error {
	path, err := s.mark()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("the package index did not have %s %s\n", s.project, s.version)
	err = os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err == nil {
		err = os.Chtimes(path, at, at)
	}
	if err != nil {
		return cacheError(filepath.Dir(filepath.Dir(path)), err)
	}
	return nil
}
