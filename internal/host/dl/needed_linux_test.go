//go:build cgo

package dl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestNeeded opens libraries whose search path has the working folder, which has another library of the name that they
// need. It is not opened.
func TestNeeded(t *testing.T) {
	own, stranger := t.TempDir(), t.TempDir()
	compile := func(dir, name, source string, more ...string) string {
		path := filepath.Join(dir, name)
		file := filepath.Join(dir, "source.c")
		check.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		command := append([]string{"-shared", "-fPIC", "-Wl,-soname," + name, "-o", path, file}, more...)
		if out, err := exec.Command("cc", command...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	// The names are unique, because a library stays open.
	user := func(name, rpath string, needs string) string {
		return compile(t.TempDir(), name, "int needed(void); int user(void) { return needed(); }", needs,
			"-Wl,--disable-new-dtags,-rpath,"+rpath)
	}
	const good, bad = "int needed(void) { return 1; }", "int needed(void) { return 2; }"
	beside := compile(own, "libcalliope_beside.so.1", good)
	compile(stranger, "libcalliope_beside.so.1", bad)
	lost := compile(t.TempDir(), "libcalliope_lost.so.1", good)
	compile(stranger, "libcalliope_lost.so.1", bad)
	t.Chdir(stranger)
	for _, test := range []struct{ name, rpath, needs, want string }{
		{"libcalliope_a.so", ":" + own, beside, ""},
		{"libcalliope_b.so", own + ":", beside, ""},
		{"libcalliope_c.so", "$ORIGIN:", lost, "libcalliope_lost.so.1"},
		{"libcalliope_d.so", ".", lost, "libcalliope_lost.so.1"},
	} {
		_, err := Open(user(test.name, test.rpath, test.needs))
		if test.want == "" {
			check.Report(t, err)
		} else {
			check.Error(t, err, "it needs "+test.want+", which is neither beside it nor in the folders of the system",
				test.want+": cannot open shared object file")
		}
	}
	opened := string(check.Must(os.ReadFile("/proc/self/maps")))
	for path, want := range map[string]bool{beside: true, stranger: false} {
		check.Diff(t, path+" is open", want, strings.Contains(opened, path+"/") || strings.Contains(opened, path+"\n"))
	}
}
