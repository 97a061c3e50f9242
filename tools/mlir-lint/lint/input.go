package lint

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// input is one module to check: a regular file, which a worker reads, or data that
// was read here, or a name for which there is nothing to read.
type input struct {
	Name    string // as findings print it
	Path    []byte // JSON would change a string that is not UTF-8
	Data    []byte
	problem string // why there is nothing to read
}

const stdinName = "<stdin>"

// inputs turns the command's arguments into what is to be checked, in order.
func inputs(args []string, stdin io.Reader) ([]input, error) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	var all []input
	stdinTaken := false
	for _, arg := range args {
		if arg != "-" {
			all = append(all, named(arg)...)
			continue
		}
		if stdinTaken {
			return nil, errors.New(`standard input ("-") is named twice: it can be read only once`)
		}
		stdinTaken = true
		data, err := io.ReadAll(stdin)
		all = append(all, input{Name: stdinName, Data: data, problem: reading(err)})
	}
	return all, nil
}

// named is what one path stands for.
func named(path string) []input {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return []input{{Name: path, problem: reading(err)}}
	case info.IsDir():
		return folder(path)
	case info.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/"):
		return []input{{Name: path, Path: []byte(path)}}
	}
	// A pipe, or a name for something that only this process has open.
	data, err := os.ReadFile(path)
	return []input{{Name: path, Data: data, problem: reading(err)}}
}

// folder finds the modules in a folder and the folders in it. Links to files are
// followed, links to folders are not: they may go in circles.
func folder(root string) []input {
	var found []input
	// With the separator at its end, a root that is a link is walked too.
	_ = filepath.WalkDir(root+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			found = append(found, input{Name: filepath.Clean(path), problem: reading(err)})
			return nil
		}
		if ext := filepath.Ext(path); d.IsDir() || ext != ".mlir" && ext != ".mlirbc" {
			return nil
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			found = append(found, input{Name: path, problem: reading(err)})
		case info.Mode().IsRegular():
			found = append(found, input{Name: path, Path: []byte(path)})
		}
		return nil
	})
	if len(found) == 0 {
		return []input{{Name: root, problem: "this folder holds no .mlir and no .mlirbc file"}}
	}
	return found
}

// reading says that an input cannot be read, "" for no error.
func reading(err error) string {
	if err == nil {
		return ""
	}
	var path *fs.PathError
	if errors.As(err, &path) { // the finding names the file already
		err = path.Err
	}
	return "cannot be read: " + err.Error()
}
