package report_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// TestSARIF checks what the schema of SARIF 2.1.0 requires of the parts that are written.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	write(t, &b, "sarif", report.Options{}, nil)
	type text struct{ Text string }
	type region struct{ StartLine, StartColumn, EndLine, EndColumn int }
	type artifact struct{ URI string }
	type physical struct {
		ArtifactLocation artifact
		Region           region
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version  string
					InformationURI string
					Rules          []struct {
						ID                                      string
						ShortDescription, FullDescription, Help text
						HelpURI                                 string
						DefaultConfiguration                    struct {
							Enabled *bool
							Level   string
						}
					}
				}
			}
			Invocations []struct{ ExecutionSuccessful *bool }
			ColumnKind  string
			Results     []struct {
				RuleID, Level, BaselineState string
				RuleIndex                    int
				Message                      text
				Locations                    []struct{ PhysicalLocation physical }
				RelatedLocations             []struct {
					PhysicalLocation *physical
					Message          text
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
				Fixes               []struct {
					Description     text
					ArtifactChanges []struct {
						ArtifactLocation artifact
						Replacements     []struct {
							DeletedRegion   region
							InsertedContent *text
						}
					}
				}
			}
		}
	}
	d := json.NewDecoder(&b)
	check.NoError(t, d.Decode(&log))
	run := log.Runs[0]
	rules := run.Tool.Driver.Rules
	if log.Version != "2.1.0" || len(log.Runs) != 1 || run.Tool.Driver.Name == "" || run.Tool.Driver.Version == "" ||
		run.Invocations[0].ExecutionSuccessful == nil ||
		!slices.Contains([]string{"utf16CodeUnits", "unicodeCodePoints"}, run.ColumnKind) {
		t.Errorf("the run is %+v", run)
	}
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" {
			t.Errorf("a rule lacks a text: %+v", r)
		}
		if _, err := url.ParseRequestURI(r.HelpURI); r.HelpURI != "" && err != nil ||
			r.DefaultConfiguration.Enabled == nil ||
			!slices.Contains([]string{"none", "note", "warning", "error"}, r.DefaultConfiguration.Level) {
			t.Errorf("a rule is %+v: %v", r, err)
		}
	}
	fixes, suppressions, states, related := 0, 0, 0, 0
	for _, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		_, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || at.Region.StartLine < 1 ||
			at.Region.StartColumn < 1 ||
			len(r.PartialFingerprints) != 1 ||
			!slices.Contains([]string{"none", "note", "warning", "error"}, r.Level) ||
			!slices.Contains([]string{"", "new", "unchanged", "updated", "absent"}, r.BaselineState) {
			t.Errorf("%v, a result is %+v", err, r)
		}
		if r.BaselineState != "" {
			states++
		}
		for _, l := range r.RelatedLocations {
			related++
			if at := l.PhysicalLocation; at == nil && l.Message.Text == "" ||
				at != nil && (at.ArtifactLocation.URI == "" || at.Region.StartLine < 1 || at.Region.StartColumn < 1) {
				t.Errorf("a related location is %+v", l)
			}
		}
		for _, s := range r.Suppressions {
			suppressions++
			if s.Kind != "inSource" && s.Kind != "external" {
				t.Errorf("the kind of a suppression is %q", s.Kind)
			}
		}
		for _, f := range r.Fixes {
			fixes++
			c := f.ArtifactChanges[0]
			if c.ArtifactLocation != at.ArtifactLocation || c.Replacements[0].DeletedRegion.EndLine < 1 ||
				c.Replacements[0].InsertedContent == nil {
				t.Errorf("a fix is %+v", f)
			}
		}
	}
	if fixes != 1 || suppressions != 1 || states != 2 || related != 3 {
		t.Errorf("%d fixes, %d suppressions, %d states of the baseline and %d related locations", fixes, suppressions,
			states, related)
	}
}
