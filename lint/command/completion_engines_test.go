//go:build engines

package command_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCompletion completes words in each shell, which are Debian's packages of these names.
func TestCompletion(t *testing.T) {
	complete := map[string]string{
		"bash": "COMP_WORDS=(mlir-lint $BEFORE \"$WORD\"); COMP_CWORD=$((${#COMP_WORDS[@]}-1))\n" +
			"_mlir_lint; echo ${COMPREPLY[@]}",
		"zsh":  "type _mlir_lint; echo $_comps[mlir-lint]",
		"fish": "complete -C \"mlir-lint $BEFORE $WORD\"",
	}
	for _, test := range []struct{ shell, before, word, want string }{
		{"bash", "", "-form", "-format\n"},
		{"bash", "-format", "s", "sarif\n"},
		{"bash", "-rules", "outf", "outfeed\n"},
		{"bash", "", "x", "\n"},
		{"zsh", "", "", "_bash_complete -o default -F _mlir_lint"},
		{"fish", "", "-form", "-format\tprint the findings"},
		{"fish", "-format", "sa", "sarif"},
		{"fish", "-explain", "outf", "outfeed"},
	} {
		script := execute("", "completion", test.shell)
		script.holds(t, 0)
		text := strings.ReplaceAll(script.Stdout, "command.test", "mlir-lint")
		cmd := exec.Command(test.shell, "-c", text+complete[test.shell])
		cmd.Env = append(cmd.Environ(), "BEFORE="+test.before, "WORD="+test.word, "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), test.want) {
			t.Errorf("%+v: %v: %s", test, err, out)
		}
	}
}
