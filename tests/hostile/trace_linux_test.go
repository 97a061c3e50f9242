package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A trace is what a process and its children did.
type trace struct {
	runs     []string // paths of programs, also of those that are not there
	writes   []string // paths that were opened to write, made, renamed or removed
	reads    []string // real paths of what was opened
	connects []string // addresses of the network
	out      string   // what was printed
}

const (
	argument = `"((?:[^"\\]|\\.)*)"`
	folder   = `(?:AT_FDCWD|\d+)<([^>]*)>`
)

// traced are the calls that start programs, open, make, rename and remove files, and use the network.
const traced = "?execve,?execveat,?open,?openat,?openat2,?creat,?mkdir,?mkdirat,?mknod,?mknodat,?unlink,?unlinkat," +
	"?rmdir,?rename,?renameat,?renameat2,?link,?linkat,?symlink,?symlinkat,?truncate,?chmod,?fchmodat,%network"

var (
	execution = regexp.MustCompile(`^\d+ +execve\(` + argument)
	opened    = regexp.MustCompile(`^\d+ +openat\(` + folder + `, ` + argument + `, (\w+(?:\|\w+)*)`)
	changed   = regexp.MustCompile(`^\d+ +(?:mk|unlink|rmdir|rename|link|sym|truncate|chmod|creat|open|fchmod)\w*\(`)
	named     = regexp.MustCompile(`(?:` + folder + `, )?` + argument)
	result    = regexp.MustCompile(`\) += \d+<(/[^>]*)>`)
	connected = regexp.MustCompile(`^\d+ +(?:connect|sendto|sendmsg|sendmmsg)\(.*(sa_family=AF_INET6?, .*?)\}`)
)

// follow runs a command in a folder under strace.
func follow(t *testing.T, dir string, env []string, command ...string) trace {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), tracer, append([]string{"-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096",
		"-e", "trace=" + traced,
		"-e", "signal=none", "-o", log, "--"}, command...)...)
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatalf("%v: %v", command, err)
	}
	got := trace{out: string(out)}
	at := func(folder, path string) string {
		if filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
		if folder == "" {
			folder = dir
		}
		return filepath.Join(folder, path)
	}
	for line := range strings.Lines(string(check.Must(os.ReadFile(log)))) {
		if m := execution.FindStringSubmatch(line); m != nil {
			got.runs = append(got.runs, m[1])
		} else if m := opened.FindStringSubmatch(line); m != nil {
			if regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC`).MatchString(m[3]) {
				got.writes = append(got.writes, at(m[1], m[2]))
			}
		} else if changed.MatchString(line) && !strings.Contains(line, "O_RDONLY") {
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				got.writes = append(got.writes, at(m[1], m[2]))
			}
		} else if m := connected.FindStringSubmatch(line); m != nil {
			got.connects = append(got.connects, m[1])
		}
		if m := result.FindStringSubmatch(line); m != nil {
			got.reads = append(got.reads, m[1])
		}
	}
	slices.Sort(got.writes)
	got.writes = slices.Compact(got.writes)
	return got
}

// below reports whether a path is in a folder, or is it.
func below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

var tracer = "strace"

// permitted skips the test if this system does not let it trace its children. strace itself must be there.
func permitted(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("%v: this test needs strace: apt-get install strace", err)
	}
	tracer = path
	if out, err := exec.Command(tracer, "-f", "--seccomp-bpf", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: this system does not let strace trace programs: %v\n%s", err, out)
	}
}
