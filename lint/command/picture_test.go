package command_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/command/internal/termsvg"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// pictured is the module in the picture.
const pictured = `func.func @step(%loss: tensor<f32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%loss, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  %y = stablehlo.add %x, %x : tensor<8xf32>
  %z = stablehlo.custom_call @calliope_io_callback(%y) {
    api_version = 4 : i32, has_side_effect = true,
    backend_config = {v = 1 : i64, form = "passthrough", callback = "log"}
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}
`

// A wideScreen is a terminal with the columns of the picture.
type wideScreen struct{ screen }

func (*wideScreen) Width() int { return 100 }

// TestPicture compares docs/mlir-lint.svg with what the command prints on a terminal; with -update
// it writes it.
func TestPicture(t *testing.T) {
	path := check.Must(filepath.Abs("../../docs/mlir-lint.svg"))
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	tree(t, map[string]string{"step.mlir": pictured})
	var shown wideScreen
	for _, test := range []struct {
		line string
		exit int
	}{
		{"mlir-lint step.mlir", 1},
		{"mlir-lint -fix step.mlir", 0},
	} {
		shown.WriteString("\x1b[2m$\x1b[0m \x1b[1m" + test.line + "\x1b[0m\n")
		stderr := struct{ io.Writer }{&shown} // shows no progress, because it is not a terminal
		if exit := command.Run(strings.Fields(test.line)[1:], nil, &shown, stderr, rules.All()); exit != test.exit {
			t.Fatalf("exit status %d, want %d:\n%s", exit, test.exit, shown.String())
		}
	}
	picture := check.Must(
		termsvg.Draw("mlir-lint reports findings in a module, and repairs them", shown.String(), shown.Width()))
	if *update {
		check.NoError(t, os.WriteFile(path, picture, 0o644))
	}
	if diff := cmp.Diff(string(check.Must(os.ReadFile(path))), string(picture)); diff != "" {
		t.Errorf("docs/mlir-lint.svg is not current: run go generate ./lint/command (-file +command):\n%s", diff)
	}
}
