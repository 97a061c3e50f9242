package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/trust"
)

// executable returns the path of the program, without symbolic links. Tests replace it.
var executable = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
})

// besideExecutable returns the path of the library beside the executable, or the places that
// were searched, each with its result.
func (s spec) besideExecutable() (path string, looked []string) {
	program, err := executable()
	if err != nil {
		return "", []string{"the executable's folder: " + err.Error()}
	}
	dir := filepath.Dir(program)
	for _, path := range []string{filepath.Join(dir, s.library()), filepath.Join(dir, "lib", s.library())} {
		problem := unfitBeside(program, path)
		if problem == "" {
			return path, nil
		}
		looked = append(looked, path+": "+problem)
	}
	return "", looked
}

// unfitBeside says why a library beside the executable is not used. It returns "" if it is.
func unfitBeside(program, path string) (problem string) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notThere
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return "not a file"
	}
	ours, err := os.Stat(program)
	if err != nil {
		return err.Error()
	}
	// Whoever may write to the executable's folder may replace the executable, except in a
	// folder such as the system's temporary one.
	writable := []fs.FileInfo{ours}
	dir := filepath.Dir(program)
	if folder, err := os.Stat(dir); err == nil && folder.Mode()&fs.ModeSticky == 0 {
		writable = append(writable, folder)
	}
	checked := []string{path}
	if between := filepath.Dir(path); between != dir {
		checked = append(checked, between)
	}
	for _, name := range checked {
		if problem := strangers(name, trust.Owner(ours), writable); problem != "" {
			if name != path {
				problem = name + ": " + problem
			}
			return notUsed + problem
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return notUsed + "it cannot be read: make it readable for the user of the program"
	}
	if err := f.Close(); err != nil {
		return err.Error()
	}
	return ""
}

// notUsed begins the reason for a library that is there.
const notUsed = "not used: "

// strangers says which users may change a file or folder, other than the current one, root,
// an owner, and those who may write to something else as well. It looks at a symbolic link and
// at what it leads to.
func strangers(path string, trustedOwner int, writable []fs.FileInfo) string {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := stat(path)
		if err != nil {
			return err.Error()
		}
		if trust.Owner(info) != trustedOwner {
			if problem := trust.OtherOwner(info); problem != "" {
				return problem
			}
		}
		if !trust.HasModes || info.Mode()&fs.ModeSymlink != 0 || info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
			continue
		}
		writers := info.Mode() & trust.AnyoneWrites
		for _, w := range writable {
			if w.Mode()&trust.OthersWrite != 0 {
				return "" // everybody may change the executable
			}
			if w.Mode()&trust.GroupWrites != 0 && group(w) == group(info) {
				writers &^= trust.GroupWrites
			}
		}
		switch {
		case writers&trust.OthersWrite != 0:
			return trust.EveryMay
		case writers&trust.GroupWrites != 0:
			return trust.GroupMay
		}
	}
	return ""
}
