package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestHeaders checks the form of the table of packages.
func TestHeaders(t *testing.T) {
	for release, set := range headers {
		if set.What == "" || set.MB == 0 || len(set.Packages) == 0 {
			t.Errorf("%d is incomplete: %+v", release, set)
		}
		for _, p := range set.Packages {
			if len(p.SHA256) != 64 || strings.Trim(p.SHA256, "0123456789abcdef") != "" {
				t.Errorf("%s has the sha256 %q", p.Name, p.SHA256)
			}
			if p.Name == "" || p.Version == "" {
				t.Errorf("incomplete: %+v", p)
			}
			if keep, err := regexp.Compile(p.Keep); err != nil || keep.NumSubexp() != 1 {
				t.Errorf("%s: %q is not a regular expression with one group (%v)", p.Name, p.Keep, err)
			}
		}
	}
}
