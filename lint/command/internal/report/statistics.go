package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// statistics is a report of how many findings the rules have that are neither ignored nor known, the most
// frequent first.
type statistics struct {
	collector
	json bool
}

// A statistic is that of one rule.
type statistic struct {
	Rule    string `json:"rule"`
	Count   int    `json:"count"`
	Fixable int    `json:"fixable"` // how many have a safe repair
	Doc     string `json:"doc"`
}

func (s *statistics) Close() error {
	var list []statistic
	at := map[string]int{}
	for _, f := range s.open() {
		i, ok := at[f.Rule]
		if !ok {
			i = len(list)
			at[f.Rule], list = i, append(list, statistic{Rule: f.Rule, Doc: s.o.doc(f.Rule)})
		}
		list[i].Count++
		if f.Fix != nil && !f.Fix.Unsafe {
			list[i].Fixable++
		}
	}
	slices.SortFunc(list, func(a, b statistic) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Rule, b.Rule))
	})
	var b bytes.Buffer
	for _, of := range list {
		if s.json {
			if err := json.NewEncoder(&b).Encode(of); err != nil {
				return err
			}
			continue
		}
		mark := " "
		if of.Fixable > 0 {
			mark = "*"
		}
		fmt.Fprintf(&b, "%d\t%s\t[%s] %s\n", of.Count, of.Rule, mark, of.Doc)
	}
	_, err := b.WriteTo(s.w)
	return err
}

// doc returns what a rule finds.
func (o Options) doc(rule string) string {
	for _, r := range o.Rules {
		if r.Name == rule {
			return r.Doc
		}
	}
	return ""
}
