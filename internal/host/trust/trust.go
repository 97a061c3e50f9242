// Package trust says which other users may change a file.
package trust

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
)

// UserID returns the user that this process acts for. Tests replace it.
var UserID = os.Geteuid

const (
	GroupWrites  = 0o020
	OthersWrite  = 0o002
	AnyoneWrites = GroupWrites | OthersWrite
)

const (
	GroupMay = "its group may write to it"
	EveryMay = "every user may write to it"
)

// Mistrust says which other users may change a file or folder. It returns "" if there are
// none.
func Mistrust(info fs.FileInfo) string {
	if problem := OtherOwner(info); problem != "" {
		return problem
	}
	if !HasModes {
		return ""
	}
	// In a folder like the system's temporary one, users cannot replace files of other
	// users.
	if info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		return ""
	}
	switch {
	case info.Mode()&OthersWrite != 0:
		return EveryMay
	case info.Mode()&GroupWrites != 0:
		return GroupMay
	}
	return ""
}

// OtherOwner names the owner of a file, folder or link. It returns "" for the current user and
// root.
func OtherOwner(info fs.FileInfo) string {
	if id := Owner(info); id != UserID() && id != 0 {
		return "it belongs to " + userName(id)
	}
	return ""
}

func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return fmt.Sprintf("the user %s (%d)", u.Username, id)
	}
	return fmt.Sprintf("the user %d", id)
}
