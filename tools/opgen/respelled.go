package main

import (
	"cmp"
	"strings"
)

// otherSpellings has the texts of enumerations in libraries other than LLVM 22's. TestSpellings holds these tables
// against the libraries.
var otherSpellings = map[string][]string{
	"MFMAPermB":           {"#rocdl<mfma_perm_b %>"},
	"ReduxKind":           {"#nvvm<reduction_kind %>"},
	"SchedBarrierOptEnum": {"#rocdl<sched_group_mask %>"},
}

// otherWords has the keywords that are spelled otherwise there, each followed by the one of the table.
var otherWords = map[string][]string{
	"SchedBarrierOptEnum": {"non_mem_non_sideeffect", "non_mem_non_sideffect"},
}

// A form is the kind of an attribute that has another form after LLVM 22.
type form struct {
	name string // of the variable that has it, or ""
	kind string // in Go
}

var (
	blockScale = form{"tcgen05BlockScale",
		"ods.Respelled[MMABlockScaleKind](&mmaBlockScaleKindCases, `#nvvm.tcgen05_mma_kind<%>`)"}
	matrix = coded("matrixFormat", "int32", "matrix_format", "fp8_e4m3 fp8_e5m2 fp6_e2m3 fp6_e3m2 fp4_e2m1")
	scale  = coded("matrixScale", "int32", "wmma_matrix_scale", "row0 row1")
	scales = coded("scaleFormat", "int32", "wmma_matrix_scale_format", "e8 e5m3 e4m3")
)

// forms has the attributes with another form after LLVM 22, by operation and name, or by dialect and name.
var forms = map[string]form{
	"llvm.func function_entry_count": {"", "ods.EntryCount"},
	"nvgpu.rcp ftz":                  {"", "ods.UnitOrBool"},
	"nvgpu.rcp rounding": {"rcpRounding",
		"ods.Respelled[RcpRoundingMode](&rcpRoundingModeCases, `#nvvm.fp_rnd_mode<%>`)"},
	"nvvm.tcgen05.mma.block_scale kind":    blockScale,
	"nvvm.tcgen05.mma.sp.block_scale kind": blockScale,
	"rocdl mask": coded("barrierMask", "int32", "sched_group_mask", "none non_mem_non_sideeffect valu salu mfma_wmma "+
		"all_vmem vmem_read vmem_write all_ds ds_read ds_write transcendental", "Bits: true", "Join: `|`",
		"Values: []uint64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}"),
	"rocdl modC":       coded("cModifier", "int16", "wmma_c_modifier", "none neg abs neg_abs"),
	"rocdl fmtA":       matrix,
	"rocdl fmtB":       matrix,
	"rocdl scaleAType": scale,
	"rocdl scaleBType": scale,
	"rocdl fmtScaleA":  scales,
	"rocdl fmtScaleB":  scales,
}

// coded returns the form of an integer of a Go type that is an enumeration of ROCDL after LLVM 22.
func coded(name, typ, mnemonic, cases string, more ...string) form {
	fields := append([]string{"What: `" + mnemonic + "`", "Text: `#rocdl<" + mnemonic + " %>`",
		"Also: []string{`" + strings.Replace(typ, "int", "i", 1) + "`}",
		"Cases: []string{`" + strings.ReplaceAll(cases, " ", "`, `") + "`}"}, more...)
	return form{name, "ods.Coded[" + typ + "](&ods.Enum{" + strings.Join(fields, ", ") + "})"}
}

// formOf returns the other form of an attribute of an operation, if it has one.
func formOf(operation, attribute string) form {
	dialect, _, _ := strings.Cut(operation, ".")
	return cmp.Or(forms[operation+" "+attribute], forms[dialect+" "+attribute])
}

// respelled returns the kind of an attribute of an operation, whose kind up to LLVM 22 is k.
func (g *generator) respelled(operation, attribute string, k goKind) goKind {
	switch f := formOf(operation, attribute); {
	case f.name != "":
		g.enums["enum:"+g.dialect+"."+f.name] = f.kind
		k.kind = kindVariable(g.dialect + "." + f.name)
	case f.kind != "":
		k.kind = f.kind
	}
	return k
}
