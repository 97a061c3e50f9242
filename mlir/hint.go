package mlir

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/native"
)

// dialectsOf lists the dialects of the libraries known to package native, as their
// contexts list them when all are loaded.
var dialectsOf = []struct {
	part     native.Part
	dialects []string
}{
	{native.MLIR, strings.Fields(`acc affine amdgpu arith arm_neon arm_sme arm_sve async bufferization builtin cf chlo
		complex dlti emitc func gpu index irdl linalg llvm math memref ml_program mpi nvgpu nvvm omp pdl pdl_interp ptr
		quant rocdl scf shape shard smt sparse_tensor spirv stablehlo tensor tm_tensor torch torch_c tosa transform ub
		vector vhlo wasmssa x86 xegpu xevm`)},
	{native.IREE, strings.Fields(`affine amdgpu arith arm_neon arm_sme arm_sve bufferization builtin cf check chlo
		complex emitc flow func gpu hal hal_inline hal_loader index io_parameters iree_codegen iree_cpu iree_encoding
		iree_gpu iree_linalg_ext iree_map iree_tensor_ext iree_vector_ext linalg llvm math memref ml_program nvgpu nvvm
		pcf pdl pdl_interp quant rocdl rocm scf shape smt spirv stablehlo stream tensor tm_tensor torch torch_c tosa
		transform ub util vector vhlo vm vmvx`)},
	{native.LLVM, strings.Fields(`acc affine amdgpu amx arith arm_neon arm_sme arm_sve async bufferization builtin cf
		complex dlti emitc func gpu index irdl linalg llvm math memref ml_program mpi nvgpu nvvm omp pdl pdl_interp ptr
		quant rocdl scf shape shard smt sparse_tensor spirv tensor tosa transform ub vector wasmssa x86vector xegpu xevm`)},
	{native.Jaxlib, strings.Fields(`arith async builtin chlo func gpu irdl llvm math memref mhlo mosaic_gpu nvgpu nvvm
		scf sdy sparse_tensor stablehlo tpu tt vector`)},
}

// newerOperations are operations that dialects of jaxlib's library got after its release,
// and that the default library and IREE's have.
var newerOperations = []string{
	"chlo.mulhi", "chlo.scan", "stablehlo.async_done", "stablehlo.async_start", "stablehlo.collective_reduce",
}

var (
	// unknownOperation matches the diagnostic for an unknown operation.
	unknownOperation = lazyregexp.New(`(?:custom op|unregistered operation) '([\w.$-]+)'`)
	// unknownDialect matches the diagnostic for a type or attribute of an unknown dialect.
	unknownDialect = lazyregexp.New(`[!#]"([\w$-]+)"<.*created with unregistered dialect`)
	// unnamedOperation is the diagnostic for an unknown operation in the generic form. The
	// operation's name precedes the position.
	unnamedOperation = "operation being parsed with an unregistered dialect"
	// divided matches a line between two modules of one text.
	divided      = lazyregexp.New(`(?m)^[ \t]*// -----(?:[^-]|$)`)
	quotedBefore = lazyregexp.New(`"([\w.$-]+)"\s*$`)
)

// hint returns which other library has the operation or dialect that the first error of a
// parse reports as unknown.
func (c *Context) hint(source []byte, diagnostics []Diagnostic) string {
	i := slices.IndexFunc(diagnostics, func(d Diagnostic) bool { return d.Severity == SeverityError })
	if i < 0 {
		return ""
	}
	if hint := c.versionHint(source); hint != "" {
		return hint
	}
	d := diagnostics[i]
	ofShardy := strings.Contains(d.Message, "'"+shardyform.Dialect+".") || d.Message == newerSharding ||
		newerAttribute().MatchString(d.Message)
	if ofShardy && c.LoadDialect(shardyform.Dialect) == nil && !c.shardy {
		return "the library's Shardy is older than that of JAX, and may refuse what is right: the default library reads it"
	}
	if otherSyntax().MatchString(d.Message) && c.lib.part() == native.IREE {
		return "the file may be of another version of IREE than the library: read it with the one that it is for"
	}
	if strings.HasPrefix(d.Message, pastTheEnd) && IsBytecode(source) && !bytecode.Open(source).IsPortable() {
		return "bytecode that is no portable artifact is read for sure only by the version that wrote it, here " +
			bytecode.Open(source).Producer + ": write a portable artifact"
	}
	if strings.HasPrefix(d.Message, "redefinition of") && divided().Match(source) {
		return "lines that begin with // ----- divide a text into modules, which are read one by one: " +
			"mlir-lint and calliope-opt do that with -split-input-file"
	}
	name := ""
	if at := unknownOperation().FindStringSubmatch(d.Message); at != nil {
		name = at[1]
	} else if at := unknownDialect().FindStringSubmatch(d.Message); at != nil {
		name = at[1]
	} else if strings.HasPrefix(d.Message, unnamedOperation) {
		if at := quotedBefore().FindSubmatch(before(source, d.Position)); at != nil {
			name = string(at[1])
		}
	}
	if hint := cmp.Or(c.definedHint(source, d, name), c.HintFor(name)); hint != "" {
		return hint
	}
	newer := strings.HasPrefix(name, "stablehlo.") || strings.HasPrefix(name, "chlo.") ||
		strings.Contains(d.Message, "unknown StableHLO")
	if current := c.stableHLO(); current != "" && newer {
		return "the library has StableHLO " + current + ", and the module may be of a newer one"
	}
	return ""
}

// stableHLO returns the library's version of StableHLO, or "" if it does not say.
func (c *Context) stableHLO() string {
	if !c.api.Has("stablehloGetCurrentVersion") {
		return ""
	}
	return string(
		capi.Collect(func(cb capi.MlirStringCallback, ud pointer) { capi.StablehloGetCurrentVersion(c.api, cb, ud) }))
}

// pastTheEnd begins the diagnostic for bytecode with less than the library expects, such as properties of
// another version of an operation.
const pastTheEnd = "attempting to parse a byte at the end of the bytecode"

// newerSharding is the diagnostic of an older Shardy for what follows the dimensions of a sharding, such as unreduced
// axes, unless it is replicated axes.
const newerSharding = "expected 'replicated'"

var (
	// newerAttribute matches the diagnostics of an older Shardy for an attribute, or a part, that it does not have.
	newerAttribute = lazyregexp.New(`unknown attribute .* in dialect .sdy.|^failed to parse Sdy_`)
	// otherSyntax matches the diagnostics for operations that another version of IREE writes, or names otherwise.
	otherSyntax = lazyregexp.New(`^properties dictionary is missing required attribute|` +
		`custom op '(iree_\w+|flow|hal\w*|stream|util|vm\w*)\..*(inherent attribute|is unknown|expected )`)
)

// versionHint returns the versions of a portable artifact and of the library if the artifact
// is newer.
func (c *Context) versionHint(source []byte) string {
	if !IsBytecode(source) || c.stableHLO() == "" || !c.api.Has("stablehloGetSmallerVersion") {
		return ""
	}
	version := bytecode.Open(source).Artifact()
	if !isVersion().MatchString(version) {
		return ""
	}
	current := c.stableHLO()
	smaller := string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.StablehloGetSmallerVersion(c.api, version, current, cb, ud)
	}))
	if smaller == version {
		return ""
	}
	return fmt.Sprintf("the portable artifact is of StableHLO %s, and the library reads artifacts up to %s: write it for that version", version, current)
}

var isVersion = lazyregexp.New(`^\d{1,9}\.\d{1,9}\.\d{1,9}$`)

// HintFor returns which other library has an operation, by its full name, or a dialect, and how to get it. It returns
// "" if none is known, or if the context has it.
func (c *Context) HintFor(name string) string {
	namespace, _, isOperation := strings.Cut(name, ".")
	if isOperation && slices.Contains(newerOperations, name) {
		return has(name, native.MLIR, native.IREE)
	}
	if namespace == "quant" && c.lib.Has("stablehloTokenTypeGet") && !c.lib.torch {
		return "call stablehlo.LoadQuant first: the library has the dialect quant but does not register it"
	}
	if parts := partsByOperation()[name]; len(parts) > 0 && !slices.Contains(parts, c.lib.part()) {
		return has(name, parts...)
	}
	parts := partsWith(namespace)
	if len(parts) == 0 || c.LoadDialect(namespace) == nil { // the dialect exists, but without this operation
		return ""
	}
	return has("dialect "+namespace, parts...)
}

// dialectsIn returns the dialects of a part.
func dialectsIn(part native.Part) []string {
	for _, l := range dialectsOf {
		if l.part == part {
			return l.dialects
		}
	}
	return nil
}

// partsWith returns the parts that have a dialect.
func partsWith(namespace string) (parts []native.Part) {
	for _, l := range dialectsOf {
		if slices.Contains(l.dialects, namespace) {
			parts = append(parts, l.part)
		}
	}
	return parts
}

// before returns the text of the line of a position, up to it.
func before(source []byte, at Position) []byte {
	for range at.Line - 1 {
		if len(source) == 0 {
			return nil
		}
		_, source, _ = bytes.Cut(source, []byte("\n"))
	}
	line, _, _ := bytes.Cut(source, []byte("\n"))
	return line[:min(max(at.Column-1, 0), len(line))]
}

func has(what string, parts ...native.Part) string {
	var titles, names []string
	for _, p := range parts {
		titles, names = append(titles, "the "+p.String()), append(names, string(p))
	}
	verb := "has"
	if len(parts) > 1 {
		verb = "have"
	}
	last := len(titles) - 1
	list := titles[last]
	if last > 0 {
		list = strings.Join(titles[:last], ", ") + " and " + list
	}
	return fmt.Sprintf("%s %s %s: fetch it with `%s %s`, and open it with mlir.OpenFor or mlir.OpenOptions.Dialects, or set CALLIOPE_MLIR_LIBRARY to its path",
		list, verb, what, version.Fetch, names[0])
}
