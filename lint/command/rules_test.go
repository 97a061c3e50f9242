package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// TestSelection checks which rules run: those that are off run if -rules or a configuration asks
// for them.
func TestSelection(t *testing.T) {
	all := []report.Rule{{Name: "on"}, {Name: "off", Off: true}}
	levels := func(name string, level config.Level) *config.Config {
		return &config.Config{Levels: map[string]config.Level{name: level}}
	}
	for _, test := range []struct {
		name    string
		chosen  map[string]bool
		config  *config.Config
		ignored []string
		want    []string
	}{
		{"default", nil, &config.Config{}, nil, []string{"on"}},
		{"configured", nil, levels("off", "note"), nil, []string{"on", "off"}},
		{"turned off", nil, levels("on", config.Off), nil, nil},
		{"by -rules", map[string]bool{"off": true}, levels("off", config.Off), nil, []string{"off"}},
		{"ignored", map[string]bool{"on": true, "off": true}, &config.Config{}, []string{"on"}, []string{"off"}},
	} {
		got := selection{all: all, chosen: test.chosen}.names(test.config, test.ignored)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
