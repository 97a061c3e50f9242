package bridge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A flag in XLA_FLAGS for which XLA would end the process is an error that names the nearest one.
func TestEnvironmentFlags(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_FLAGS") != "" {
		c, err := testPlugin(t).NewClient(ClientOptions{})
		if err != nil {
			os.Stdout.WriteString("refused: " + err.Error() + "\n")
			return
		}
		check.Cleanup(t, c)
		t.Setenv("XLA_FLAGS", "--xla_which_is_not_read_any_more") // XLA has read it
		again, err := testPlugin(t).NewClient(ClientOptions{})
		check.NoError(t, err)
		check.Cleanup(t, again)
		os.Stdout.WriteString("made\n")
		return
	}
	file := filepath.Join(t.TempDir(), "flags")
	check.NoError(t, os.WriteFile(file, []byte("--xla_dump_too=x"), 0o666))
	for _, test := range []struct{ flags, want string }{
		{"--xla_cpu_enable_fast_min_mx=true", `refused: bridge: XLA_FLAGS: this plugin's XLA has no flag "xla_cpu_enable_fast_min_mx" (is it "xla_cpu_enable_fast_min_max"?)`},
		{"--nope --xla_cpu_enable_fast_min_max=true",
			`refused: bridge: XLA_FLAGS: this plugin's XLA has no flag "nope"`},
		{"-xla_cpu_enable_fast_min_max", `refused: bridge: XLA_FLAGS: this plugin's XLA has no flag "-xla_cpu_enable_fast_min_max" (is it "xla_cpu_enable_fast_min_max"?); flags begin with two dashes`},
		{file, `refused: bridge: XLA_FLAGS: this plugin's XLA has no flag "xla_dump_too" (is it "xla_dump_to"?)`},
		{file + ".not", "refused: bridge: XLA_FLAGS: open " + file + ".not: no such file"},
		{`--xla_dump_hlo_module_re="a --b" --xla_cpu_enable_fast_min_max --xla_backend_optimization_level=2`, "made"},
		{"--xla_cpu_enable_fast_min_max and the rest", "made"},
	} {
		child := exec.Command(os.Args[0], "-test.run=^TestEnvironmentFlags$", "-test.v")
		child.Env = append(os.Environ(), "CALLIOPE_TEST_FLAGS=1", "XLA_FLAGS="+test.flags)
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), test.want) {
			t.Errorf("XLA_FLAGS=%s: %v, %.1000s\nwant %s", test.flags, err, out, test.want)
		}
	}
}

func TestSplitFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         nil,
		"a --b":                    nil,
		" --a\t--b=1\n--c d --e":   {"--a", "--b=1", "--c"},
		`--a="b c" --d='e "f' --g`: {`--a="b c"`, `--d='e "f'`, "--g"},
		`--a="b \" --c" --d`:       {`--a="b \" --c"`, "--d"},
		`--a="never closed --b`:    {`--a="never closed --b`},
		`--a="closed by the end\`:  {`--a="closed by the end\`},
		"--a --b=c=\"d e\"":        {"--a", "--b=c=\"d"},
		"--a b=\"c\"":              {"--a"},
	} {
		check.Diff(t, text, want, splitFlags(text))
	}
}
