package main

import (
	"encoding/json"
	"os"
	"regexp"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// A bill is a bill of materials: a document of SPDX 2.3.
type bill struct {
	Version           string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	ID                string         `json:"SPDXID"`
	Name              string         `json:"name"`
	DocumentNamespace string         `json:"documentNamespace"`
	CreationInfo      creation       `json:"creationInfo"`
	Packages          []part         `json:"packages"`
	Relationships     []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type part struct {
	ID               string      `json:"SPDXID"`
	Name             string      `json:"name"`
	Version          string      `json:"versionInfo"`
	DownloadLocation string      `json:"downloadLocation"`
	FilesAnalyzed    bool        `json:"filesAnalyzed"`
	LicenseConcluded string      `json:"licenseConcluded"`
	LicenseDeclared  string      `json:"licenseDeclared"`
	CopyrightText    string      `json:"copyrightText"`
	References       []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const home = "https://github.com/calliope-mlir/calliope"

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func partOf(name, version, licence string) part {
	p := part{ID: "SPDXRef-" + notInID.ReplaceAllString(name, "-"), Name: name, Version: version,
		DownloadLocation: "NOASSERTION", LicenseConcluded: licence, LicenseDeclared: licence,
		CopyrightText: "NOASSERTION"}
	if name != "std" && name != "mingw-w64" {
		p.References = []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + name + "@" + version}}
	}
	return p
}

// writeBill writes what the files of the release are linked of. A module may be in the list once for each platform.
func writeBill(path string, when time.Time, linked []module) error {
	tag := "v" + version.Version
	own := partOf("github.com/calliope-mlir/calliope", tag, "Apache-2.0")
	own.DownloadLocation = home + "/releases/tag/" + tag
	b := bill{Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "calliope-" + version.Version,
		DocumentNamespace: home + "/releases/" + tag + "/spdx",
		CreationInfo:      creation{when.Format(time.RFC3339), []string{"Tool: calliope-release-" + version.Version}},
		Packages:          []part{own}, Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", own.ID}}}
	seen := map[string]bool{}
	for _, m := range linked {
		if p := partOf(m.path, m.version, m.licence); !seen[p.ID] {
			seen[p.ID] = true
			b.Packages = append(b.Packages, p)
			b.Relationships = append(b.Relationships, relationship{own.ID, "STATIC_LINK", p.ID})
		}
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
