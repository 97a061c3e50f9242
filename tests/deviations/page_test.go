package deviations

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var update = flag.Bool("update", false, "write docs/reference/xla-deviations.md")

const page = "../../docs/reference/xla-deviations.md"

// TestPage holds docs/reference/xla-deviations.md against the list; with -update it writes it.
func TestPage(t *testing.T) {
	want := write(t)
	if *update {
		check.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	got, err := os.ReadFile(page)
	check.NoError(t, err)
	if string(got) != want {
		check.Diff(t, "the page (go generate ./tests/deviations writes it)", want, string(got))
	}
}

const head = `# Where XLA deviates

XLA's CPU compiler does not always compute what a module says. These are the cases that are known, each with a
module, what the three plugins make of it that the tests run on, and the way round. The plugins are
pjrt (PJRT 0.115, the default), pjrt106 (PJRT 0.106) and pjrt81 (PJRT 0.81, the previous default).

There are three ways round:

- **The preparation.** passes.Program, which Client.Compile takes, rewrites what XLA gets wrong. Packages builder, calliope
  and stages and mlir-run prepare what they make or compile.
- **An exact compile.** Exact of engine.CompileOptions and stages.Options, and mlir-run --exact, leave out
  XLA's algebraic simplification, its folding of constants, and its excess precision. It is not the default, because code may take
  longer: over 28 models that JAX lowered, 1.06 times as long in the geometric mean on the plugin of PJRT 0.81, and
  attention 1.6 to 1.9 times.
- **Another module**, for the rest.

The rules [xla-overwrites and xla-deviates](lint-rules.md#xla-overwrites) of mlir-lint report what the preparation mends on the
default plugin, and what it refuses.

Most cases were found by ` + "`go run ./tools/soak identities`" + `, which compares XLA with StableHLO's reference
interpreter. With ` + "`-simplify`" + ` it shows what an exact compile prevents. ` + "`go run ./tools/soak movement`" + ` found those of loops and
of moved data. With ` + "`-unprepared`" + ` it shows what the preparation mends.

This file is written by ` + "`go generate ./tests/deviations`" + `. The test ` + "`go test ./tests/deviations`" + ` runs each
module on the plugins, and checks that the deviation is still there, and gone with the way round. The folder
[upstream](../upstream/README.md) has those of the default plugin as reports for XLA's maintainers, and what a later XLA makes of
them.
`

func write(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for _, d := range deviations {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```mlir\n%s```\n\n", d.title, d.about, text(t, d.module))
		if d.want == timesOut {
			b.WriteString("The run fails, because the call times out. ")
		} else if len(d.inputs) > 0 {
			fmt.Fprintf(&b, "With `%s` the results are `%s`. ", texts(d.inputs), d.want)
		} else {
			fmt.Fprintf(&b, "The results are `%s`. ", d.want)
		}
		b.WriteString("Instead:\n\n| plugin | XLA |\n|---|---|\n")
		for _, p := range allPlugins {
			says, ok := d.says[p]
			switch {
			case !ok:
				says = "right"
			case !inChild(says) && says != refuses:
				says = "`" + says + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", string(p), says)
		}
		fmt.Fprintf(&b, "\nWay round: %s\n", d.around.advice)
		if d.around.module != "" {
			fmt.Fprintf(&b, "\n```mlir\n%s```\n", text(t, d.around.module))
		}
	}
	return b.String()
}

func text(t *testing.T, module string) string {
	t.Helper()
	source, err := os.ReadFile(file(module))
	check.NoError(t, err)
	return string(source)
}
