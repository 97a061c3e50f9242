package legacy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/run/legacy"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
)

// A Form is the signature of a function.
type Form uint8

// The forms. The package documentation has their signatures.
const (
	Host       Form = legacy.Host
	HostStatus Form = legacy.HostStatus
	HostOpaque Form = legacy.HostOpaque
	GPU        Form = legacy.Stream
	GPUStatus  Form = legacy.StreamStatus
)

var forms = []struct {
	form     Form
	name     string
	versions []int64 // of the key "legacy"
}{
	{Host, "host", []int64{1}},
	{HostStatus, "host-status", []int64{2}},
	{HostOpaque, "host-opaque", []int64{3}},
	{GPU, "gpu", []int64{1}},
	{GPUStatus, "gpu-status", []int64{2, 3}},
}

// ParseForm returns the form of a name: host, host-status, host-opaque, gpu or gpu-status.
func ParseForm(name string) (Form, error) {
	var names []string
	for _, f := range forms {
		if f.name == name {
			return f.form, nil
		}
		names = append(names, f.name)
	}
	return 0, fmt.Errorf("callbacks/legacy: there is no form %q: use %s", name, strings.Join(names, ", "))
}

func (f Form) valid() bool { return Host <= f && f <= GPUStatus }

// String returns the name of the form, as ParseForm reads it.
func (f Form) String() string {
	if !f.valid() {
		return fmt.Sprintf("Form(%d)", uint8(f))
	}
	return forms[f-1].name
}

// Signature returns the declaration of a function f of the form in C.
func (f Form) Signature() string {
	if !f.valid() {
		return ""
	}
	host, gpu := legacycall.Signatures(forms[f-1].versions[0])
	if f >= GPU {
		return gpu
	}
	return host
}

// Serves reports whether a function of the form can be called with an api_version, 0 to 3.
func (f Form) Serves(version int64) bool {
	return f.valid() && slices.Contains(forms[f-1].versions, max(version, 1))
}

// versionNames are the names that XLA gives the values of api_version.
var versionNames = []string{"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
	"API_VERSION_STATUS_RETURNING_UNIFIED"}

// versionsText names the versions that a form serves.
func (f Form) versionsText() string {
	var list []string
	for _, v := range forms[f-1].versions {
		if v == 1 {
			list = append(list, "0")
		}
		list = append(list, fmt.Sprint(v))
	}
	return strings.Join(list, " and ")
}

// A VersionError reports that a module calls a function with an api_version whose functions have another
// signature.
type VersionError struct {
	Target  string
	Version int64 // of the call: 1 also for 0
	Form    Form  // of the function
}

// Error returns a message with the signatures that would fit.
func (e *VersionError) Error() string {
	version := fmt.Sprintf("api_version = %d (%s)", e.Version, versionNames[min(max(e.Version, 0), 3)])
	if e.Version == 1 {
		version = "api_version = 0 or 1 (API_VERSION_ORIGINAL)"
	}
	host, gpu := legacycall.Signatures(e.Version)
	return fmt.Sprintf("callbacks/legacy: the module calls %q with %s, and the function is registered with the form %s, %s, which serves api_version %s: register %s, or %s",
		e.Target, version, e.Form, e.Form.Signature(), e.Form.versionsText(), host, gpu)
}
