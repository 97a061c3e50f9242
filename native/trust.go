package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
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

// userID returns the user that this process acts for. Tests replace it.
var userID = os.Geteuid

const (
	groupWrites  = 0o020
	othersWrite  = 0o002
	anyoneWrites = groupWrites | othersWrite
)

// trusted describes a folder or file of the cache. It returns an UnsafeError if a user
// other than the current one and root may change it. If it does not exist, the error
// matches fs.ErrNotExist.
func trusted(cache, path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if problem := otherOwner(info); problem != "" {
			return nil, &UnsafeError{path, problem, mend(cache, problem)}
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, err
	}
	// A version of this package created such files under an umask of 002. They are fixed
	// instead of rejected. This changes their state, so they are read and compared again.
	if owner(info) == userID() && info.Mode().IsRegular() && info.Mode()&anyoneWrites == groupWrites {
		if os.Chmod(path, info.Mode().Perm()&^groupWrites) == nil {
			if info, err = os.Stat(path); err != nil {
				return nil, err
			}
		}
	}
	if problem := mistrust(info); problem != "" {
		return nil, &UnsafeError{path, problem, mend(cache, problem)}
	}
	return info, nil
}

// Unsafe says why users other than the current one and root may change a file or folder,
// such as "its group may write to it". It returns "" if they may not.
func Unsafe(info fs.FileInfo) (problem string) { return mistrust(info) }

const (
	groupMay = "its group may write to it"
	everyMay = "every user may write to it"
)

// mistrust says which other users may change a file or folder. It returns "" if there are
// none.
func mistrust(info fs.FileInfo) string {
	if problem := otherOwner(info); problem != "" {
		return problem
	}
	if !hasModes {
		return ""
	}
	// In a folder like the system's temporary one, users cannot replace files of other
	// users.
	if info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		return ""
	}
	switch {
	case info.Mode()&othersWrite != 0:
		return everyMay
	case info.Mode()&groupWrites != 0:
		return groupMay
	}
	return ""
}

// otherOwner names the owner of a file, folder or link. It returns "" for the current user and
// root.
func otherOwner(info fs.FileInfo) string {
	if id := owner(info); id != userID() && id != 0 {
		return "it belongs to " + userName(id)
	}
	return ""
}

func mend(cache, problem string) string {
	// Neither command follows a link.
	if to, err := filepath.EvalSymlinks(cache); err == nil {
		cache = to
	}
	switch {
	case problem == groupMay || problem == everyMay:
		return "chmod -R go-w " + quote(cache)
	case userID() == 0:
		return "chown -hR 0 " + quote(cache)
	}
	return "export " + cacheEnv + `="$HOME/calliope-cache"` // the other user's stays theirs
}

// quote returns path as one word of a shell command.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return fmt.Sprintf("the user %s (%d)", u.Username, id)
	}
	return fmt.Sprintf("the user %d", id)
}

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
