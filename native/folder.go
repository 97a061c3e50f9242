package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/calliope-mlir/calliope/internal/host/debs"
)

func init() {
	debs.Fetch = func(ctx context.Context, s debs.Set) (string, error) {
		return fetchFolder(ctx, s, EnsureOptions{})
	}
}

// fetchFolder is debs.Fetch.
func fetchFolder(ctx context.Context, s debs.Set, o EnsureOptions) (dir string, err error) {
	if err := platformError(); err != nil {
		return "", err
	}
	h := packageSet{what: s.What, mb: s.MB}
	for _, p := range s.Packages {
		h.debs = append(h.debs, deb{p.Name, p.Version, p.SHA256, p.Keep})
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	// The folder appears whole, by one rename, and its slot's name has what it was
	// made of: so being there is all that can be asked of it.
	sl := newSlot(cache, fmt.Sprintf("%s-%s", s.Name, pin(h.debs)[:12]), s.Files)
	if err := sl.trustedFolders(); err != nil {
		return "", err
	}
	there := func() (bool, error) {
		_, err := os.Stat(sl.library)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	switch found, err := there(); {
	case err != nil:
		return "", cacheError(cache, err)
	case found:
		return sl.library, nil
	case o.Offline:
		return "", fmt.Errorf("native: the %s are not in the cache (%s), and fetching them was forbidden: fetch them first", h.what, sl.library)
	case thisPlatform != debPlatform:
		return "", fmt.Errorf("native: the %s can be fetched on %s only, and this is %s/%s: copy the folder %s from such a machine", h.what, debPlatform, runtime.GOOS, runtime.GOARCH, sl.library)
	}
	err = sl.fill(ctx, h.what, o.progress(), there, func(ctx context.Context) error {
		if err := h.unpack(ctx, sl, sl.partial, nil, o.progress()); err != nil {
			return err
		}
		if err := os.Rename(sl.partial, sl.library); err != nil {
			return cacheError(cache, err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return sl.library, nil
}
