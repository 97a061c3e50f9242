package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/trust"
)

// An UnsafeError reports that a user other than the current one and root may change the
// contents of the cache. Nothing is loaded from such a cache, and nothing is fetched into
// it.
type UnsafeError struct {
	Path    string // the folder or file that another user may change
	Problem string // such as "every user may write to it"
	Mend    string // the shell command that fixes it
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("native: the cache is not used, because other users may change it: %s: %s: run `%s`, or set %s to a folder that only you may write to", e.Path, e.Problem, e.Mend, cacheEnv)
}

// trusted describes a folder or file of the cache. It returns an UnsafeError if a user
// other than the current one and root may change it. If it does not exist, the error
// matches fs.ErrNotExist.
func trusted(cache, path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if problem := trust.OtherOwner(info); problem != "" {
			return nil, &UnsafeError{path, problem, mend(cache, problem)}
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, err
	}
	// A version of this package created such files under an umask of 002. They are fixed
	// instead of rejected. This changes their state, so they are read and compared again.
	if trust.Owner(info) == trust.UserID() && info.Mode().IsRegular() &&
		info.Mode()&trust.AnyoneWrites == trust.GroupWrites {
		if os.Chmod(path, info.Mode().Perm()&^trust.GroupWrites) == nil {
			if info, err = os.Stat(path); err != nil {
				return nil, err
			}
		}
	}
	if problem := trust.Mistrust(info); problem != "" {
		return nil, &UnsafeError{path, problem, mend(cache, problem)}
	}
	return info, nil
}

func mend(cache, problem string) string {
	// Neither command follows a link.
	if to, err := filepath.EvalSymlinks(cache); err == nil {
		cache = to
	}
	switch {
	case problem == trust.GroupMay || problem == trust.EveryMay:
		return "chmod -R go-w " + quote(cache)
	case trust.UserID() == 0:
		return "chown -hR 0 " + quote(cache)
	}
	return "export " + cacheEnv + `="$HOME/calliope-cache"` // the other user's stays theirs
}

// quote returns path as one word of a shell command.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// trustedFolders checks the cache and the slot's own folder, which need not exist.
func (sl slot) trustedFolders() error {
	cache := filepath.Dir(sl.dir)
	for _, dir := range []string{cache, sl.dir} {
		if _, err := trusted(cache, dir); errors.As(err, new(*UnsafeError)) {
			return err
		}
	}
	return nil
}
