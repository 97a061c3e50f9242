package llvm_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

func TestWords(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, l := range []llvm.Linkage{llvm.LinkagePrivate, llvm.LinkageInternal, llvm.LinkageAvailableExternally,
			llvm.LinkageLinkonce,
			llvm.LinkageWeak, llvm.LinkageCommon, llvm.LinkageAppending, llvm.LinkageExternWeak,
			llvm.LinkageLinkonceODR,
			llvm.LinkageWeakODR, llvm.LinkageExternal} {
			a := check.Must(l.Attribute(c))
			check.Diff(t, "the text", "#llvm.linkage<"+string(l)+">", a.String())
			check.Diff(t, "the linkage", l, check.Must(llvm.ReadLinkage(a)))
		}
		for _, v := range []llvm.CConv{llvm.CConvC, llvm.CConvFast, llvm.CConvCold, llvm.CConvGHC, llvm.CConvHiPE,
			llvm.CConvAnyReg,
			llvm.CConvPreserveMost, llvm.CConvPreserveAll, llvm.CConvSwift, llvm.CConvCXXFastTLS, llvm.CConvTail,
			llvm.CConvCFGuardCheck,
			llvm.CConvSwiftTail, llvm.CConvX86StdCall, llvm.CConvX86FastCall, llvm.CConvARMAPCS, llvm.CConvARMAAPCS,
			llvm.CConvARMAAPCSVFP, llvm.CConvMSP430Intr, llvm.CConvX86ThisCall, llvm.CConvPTXKernel,
			llvm.CConvPTXDevice,
			llvm.CConvSPIRFunc, llvm.CConvSPIRKernel, llvm.CConvIntelOCLBI, llvm.CConvX8664SysV, llvm.CConvWin64,
			llvm.CConvX86VectorCall,
			llvm.CConvHHVM, llvm.CConvHHVMC, llvm.CConvX86Intr, llvm.CConvAVRIntr, llvm.CConvAVRBuiltin,
			llvm.CConvAMDGPUVS,
			llvm.CConvAMDGPUGS, llvm.CConvAMDGPUCS, llvm.CConvAMDGPUKernel, llvm.CConvX86RegCall, llvm.CConvAMDGPUHS,
			llvm.CConvMSP430Builtin, llvm.CConvAMDGPULS, llvm.CConvAMDGPUES, llvm.CConvAArch64VectorCall,
			llvm.CConvAArch64SVEVector,
			llvm.CConvWASMEmscripten, llvm.CConvAMDGPUGfx, llvm.CConvM68kIntr} {
			a := check.Must(v.Attribute(c))
			check.Diff(t, "the text", "#llvm.cconv<"+string(v)+">", a.String())
			check.Diff(t, "the convention", v, check.Must(llvm.ReadCConv(a)))
		}
		for _, v := range []llvm.Comdat{llvm.ComdatAny, llvm.ComdatExactMatch, llvm.ComdatLargest,
			llvm.ComdatNoDeduplicate, llvm.ComdatSameSize} {
			a := check.Must(v.Attribute(c))
			check.Diff(t, "the text", "#llvm<comdat "+string(v)+">", a.String())
			check.Diff(t, "the comdat", v, check.Must(llvm.ReadComdat(a)))
		}
		for _, bad := range []string{"", "nosuch", "internal> , #llvm.linkage<weak", "\x00"} {
			_, err := llvm.Linkage(bad).Attribute(c)
			check.Error(t, err, "is not a linkage")
			_, err = llvm.CConv(bad).Attribute(c)
			check.Error(t, err, "is not a calling convention")
			_, err = llvm.Comdat(bad).Attribute(c)
			check.Error(t, err, "is not a comdat")
		}
		unit := c.UnitAttribute()
		_, err := llvm.ReadLinkage(unit)
		check.Error(t, err, "unit is not a linkage")
		_, err = llvm.ReadCConv(check.Must(llvm.LinkageWeak.Attribute(c)))
		check.Error(t, err, "is not a calling convention")
		_, err = llvm.ReadComdat(unit)
		check.Error(t, err, "unit is not a comdat")
	})
}
