package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/gitdiff"
	"github.com/calliope-mlir/calliope/lint/command/internal/terminal"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// An input is one module to check: a regular file, which a worker reads, or another file,
// which only this process can read, or a name that cannot be read.
type input struct {
	Name string // as findings print it
	Path []byte // JSON would change a string that is not UTF-8
	Max  bounded.Size
	Data []byte `json:"-"` // a worker gets them after the input
	Size int    // of Data
	Sum  bool   // the answer has the sum of the input
	// Traced makes the worker say which rule it runs.
	Traced bool `json:",omitempty"`
	request
	Fixing  fixing
	part    bool                          // Data are a part of a text
	open    func() (io.ReadCloser, error) // if this process reads it, into Data
	stdin   bool                          // it is standard input
	problem string                        // why it cannot be read
	mistake *finding.Finding              // the finding to report instead of a check
	levels  map[string]config.Level       // by rule
}

// A request says how an input is checked.
type request struct {
	Rules        []string // names
	Strict       bool
	KnownTargets []string
	Target       string // version of StableHLO, or ""
	Split        bool
	Engine       string // path of the library, or ""
	Edits        bool   // find the edits of repairs
	EditsOf      *spot  // or only of these findings
	// AllowUnregistered is that of lint.Options.
	AllowUnregistered []string
}

// A spot is the place of findings of a rule.
type spot struct {
	Rule         string
	Line, Column int
}

// maxFlag is the flag that sets the largest size of one input.
const maxFlag = "max-module"

// memoryFlag is the flag that sets how much memory a worker may take.
const memoryFlag = "max-memory"

func limit(size bounded.Size) bounded.Limit { return bounded.Limit{Size: size, Flag: "-" + maxFlag} }

// errLate is the error of a read or a worker that took too long.
var errLate = errors.New("late")

// errMemory is the error of a worker that took too much memory.
var errMemory = errors.New("too much memory")

// fill reads an input that this process reads. If that takes longer than left, fill returns
// errLate, and the read in the background ends with the next data.
func (in *input) fill(max bounded.Size, left time.Duration) error {
	if in.open == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		// Opening a pipe waits for a writer.
		r, err := in.open()
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer r.Close()
		data, err := bounded.Read(stopping{ctx, r}, limit(max))
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return errLate
	case r := <-done:
		if r.err != nil && r.err == ctx.Err() {
			return errLate
		}
		in.Data = r.data
		return r.err
	}
}

// A stopping reader reads until its context ends.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

const stdinName = "<stdin>"

// inputs returns the inputs that the arguments of the command name, in order.
func (o *options) inputs(stdin io.Reader) ([]input, error) {
	args := o.flags.Args()
	if len(args) == 0 {
		if _, ok := terminal.Width(stdin); ok {
			return nil, errors.New(`no path is given: give files or folders, for example "./...", or "-" to type a module (-h prints the usage)`)
		}
		args = []string{"-"}
	}
	var all []input
	stdinTaken := false
	seen := map[string]bool{}
	for _, arg := range args {
		if arg != "-" {
			for _, in := range o.named(arg) {
				if path := filepath.Clean(in.Name); !seen[path] {
					seen[path] = true
					all = append(all, in)
				}
			}
			continue
		}
		if stdinTaken {
			return nil, errors.New(`standard input ("-") is given twice: it can be read only once`)
		}
		stdinTaken = true
		all = append(all,
			input{Name: cmp.Or(o.stdinName, stdinName), stdin: true,
				open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }})
	}
	return all, nil
}

// ofText returns the input with a text that is not in a file.
func ofText(name, text string) input {
	return input{Name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// named returns the inputs that one path names. As in Go's patterns, "a/..." is the folder a.
func (o *options) named(path string) []input {
	if path == "..." {
		path = "."
	} else if before, ok := strings.CutSuffix(filepath.ToSlash(path), "/..."); ok {
		path = filepath.FromSlash(before + "/")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && strings.HasPrefix(path, "-"):
		return []input{{Name: path, problem: "there is no such file: flags are in front of the paths"}}
	case errors.Is(err, fs.ErrNotExist):
		return []input{{Name: path, problem: "there is no such file or folder: check the path"}}
	case err != nil:
		return []input{{Name: path, problem: reading(err)}}
	case info.IsDir():
		var ignored map[string]bool
		if !o.gitIgnored {
			ignored = gitdiff.Ignored(path)
		}
		return folder(path, ignored)
	case info.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/"):
		return []input{{Name: path, Path: []byte(path)}}
	}
	// A pipe, or a file that only this process has open.
	return []input{{Name: path, open: func() (io.ReadCloser, error) { return os.Open(path) }}}
}

// extensions are those of the modules in folders. ".mlir.bc" ends in ".bc".
var extensions = []string{".mlir", ".mlirbc", ".stablehlo", ".vhlo", ".bc"}

// patterns describe the names of the modules in folders.
const patterns = "*.mlir, *.mlirbc, *.mlir.bc, *.stablehlo, *.vhlo or *.bc"

// isLLVM reports whether a file is bitcode of LLVM, which also has the extension .bc.
func isLLVM(path string) bool {
	if filepath.Ext(path) != ".bc" {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && (string(head[:]) == "BC\xc0\xde" || string(head[:]) == "\xde\xc0\x17\x0b")
}

// folder returns the modules in a folder and its subfolders. It follows links to files of the folder and of the tree
// around it, but not links to folders, which may form cycles. It leaves out what is ignored, relative to the folder.
func folder(root string, ignored map[string]bool) []input {
	var found []input
	// The separator at the end makes WalkDir follow a root that is a link.
	_ = filepath.WalkDir(root+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			found = append(found, input{Name: filepath.Clean(path), problem: reading(err)})
			return nil
		}
		if d.IsDir() && ignored[relative(root, path)+"/"] {
			return fs.SkipDir
		}
		if d.IsDir() || ignored[relative(root, path)] || !slices.Contains(extensions, filepath.Ext(path)) {
			return nil
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			found = append(found, input{Name: path, problem: reading(err)})
		case d.Type()&fs.ModeSymlink != 0 && !config.Below(path, root) && config.Outside(path) != "":
			found = append(found, input{Name: path,
				problem: "it is a link out of the tree " + config.Outside(path) + ": name it to check it"})
		case info.Mode().IsRegular() && !isLLVM(path):
			found = append(found, input{Name: path, Path: []byte(path)})
		}
		return nil
	})
	if len(found) == 0 {
		problem := "this folder has no file " + patterns + ": name another folder, or files"
		if len(ignored) > 0 {
			problem += " (git ignores some: see -no-gitignore)"
		}
		return []input{{Name: root, problem: problem}}
	}
	return found
}

// relative returns a path below a folder relative to it, with slashes.
func relative(folder, path string) string {
	name, err := filepath.Rel(folder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(name)
}

// reading returns the message for an error of reading an input, or "" if there is none.
func reading(err error) string {
	if err == nil {
		return ""
	}
	return "cannot be read: " + inner(err).Error()
}

// inner returns the cause of an error about a path, because the finding names the file.
func inner(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
