package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
)

// A setting says how a file is checked, as -show-settings prints it.
type setting struct {
	File              string                  `json:"file"`
	Configuration     string                  `json:"configuration,omitempty"`
	Ignored           bool                    `json:"ignored,omitempty"` // it is not checked
	Rules             []string                `json:"rules,omitempty"`
	Severities        map[string]config.Level `json:"severities,omitempty"` // those that the configuration sets
	Strict            bool                    `json:"strict,omitempty"`
	KnownTargets      []string                `json:"knownTargets,omitempty"`
	TargetStableHLO   string                  `json:"targetStablehlo,omitempty"`
	AllowUnregistered []string                `json:"allowUnregistered,omitempty"`
	Split             bool                    `json:"splitInputFile,omitempty"`
}

// settings returns how each input is checked, one JSON object a line. A mistake in a configuration is an error.
func (p plan) settings(all []input) (*bytes.Buffer, error) {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for _, in := range all {
		c, err := p.finder.For(filepath.Dir(absolute(in)))
		if err != nil {
			return nil, err
		}
		s := setting{File: in.Name, Configuration: c.File, Ignored: true}
		for _, in := range p.apply([]input{in}) {
			s = setting{File: in.Name, Configuration: c.File, Rules: in.Rules, Severities: in.levels, Strict: in.Strict,
				KnownTargets: in.KnownTargets, TargetStableHLO: in.Target, AllowUnregistered: in.AllowUnregistered,
				Split: in.Split}
		}
		if err := lines.Encode(s); err != nil {
			return nil, err
		}
	}
	return &out, nil
}
