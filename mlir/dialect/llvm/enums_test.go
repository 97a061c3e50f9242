package llvm_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

func TestWords(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, l := range []llvm.Linkage{llvm.LinkagePrivate, llvm.LinkageInternal, llvm.LinkageAvailableExternally, llvm.LinkageLinkonce,
			llvm.LinkageWeak, llvm.LinkageCommon, llvm.LinkageAppending, llvm.LinkageExternWeak, llvm.LinkageLinkonceODR,
			llvm.LinkageWeakODR, llvm.LinkageExternal} {
			a := mlirtest.Must(l.Attribute(c))
			mlirtest.Same(t, "the text", "#llvm.linkage<"+string(l)+">", a.String())
			mlirtest.Same(t, "the linkage", l, mlirtest.Must(llvm.AsLinkage(a)))
		}
		for _, v := range []llvm.CConv{llvm.CConvC, llvm.CConvFast, llvm.CConvCold, llvm.CConvGHC, llvm.CConvHiPE, llvm.CConvAnyReg,
			llvm.CConvPreserveMost, llvm.CConvPreserveAll, llvm.CConvSwift, llvm.CConvCXXFastTLS, llvm.CConvTail, llvm.CConvCFGuardCheck,
			llvm.CConvSwiftTail, llvm.CConvX86StdCall, llvm.CConvX86FastCall, llvm.CConvARMAPCS, llvm.CConvARMAAPCS,
			llvm.CConvARMAAPCSVFP, llvm.CConvMSP430Intr, llvm.CConvX86ThisCall, llvm.CConvPTXKernel, llvm.CConvPTXDevice,
			llvm.CConvSPIRFunc, llvm.CConvSPIRKernel, llvm.CConvIntelOCLBI, llvm.CConvX8664SysV, llvm.CConvWin64, llvm.CConvX86VectorCall,
			llvm.CConvHHVM, llvm.CConvHHVMC, llvm.CConvX86Intr, llvm.CConvAVRIntr, llvm.CConvAVRBuiltin, llvm.CConvAMDGPUVS,
			llvm.CConvAMDGPUGS, llvm.CConvAMDGPUCS, llvm.CConvAMDGPUKernel, llvm.CConvX86RegCall, llvm.CConvAMDGPUHS,
			llvm.CConvMSP430Builtin, llvm.CConvAMDGPULS, llvm.CConvAMDGPUES, llvm.CConvAArch64VectorCall, llvm.CConvAArch64SVEVector,
			llvm.CConvWASMEmscripten, llvm.CConvAMDGPUGfx, llvm.CConvM68kIntr} {
			a := mlirtest.Must(v.Attribute(c))
			mlirtest.Same(t, "the text", "#llvm.cconv<"+string(v)+">", a.String())
			mlirtest.Same(t, "the convention", v, mlirtest.Must(llvm.AsCConv(a)))
		}
		for _, v := range []llvm.Comdat{llvm.ComdatAny, llvm.ComdatExactMatch, llvm.ComdatLargest, llvm.ComdatNoDeduplicate, llvm.ComdatSameSize} {
			a := mlirtest.Must(v.Attribute(c))
			mlirtest.Same(t, "the text", "#llvm<comdat "+string(v)+">", a.String())
			mlirtest.Same(t, "the comdat", v, mlirtest.Must(llvm.AsComdat(a)))
		}
		for _, bad := range []string{"", "nosuch", "internal> , #llvm.linkage<weak", "\x00"} {
			_, err := llvm.Linkage(bad).Attribute(c)
			mlirtest.Refused(t, err, "is no linkage")
			_, err = llvm.CConv(bad).Attribute(c)
			mlirtest.Refused(t, err, "is no calling convention")
			_, err = llvm.Comdat(bad).Attribute(c)
			mlirtest.Refused(t, err, "is no comdat")
		}
		unit := c.UnitAttribute()
		_, err := llvm.AsLinkage(unit)
		mlirtest.Refused(t, err, "unit is no linkage")
		_, err = llvm.AsCConv(mlirtest.Must(llvm.LinkageWeak.Attribute(c)))
		mlirtest.Refused(t, err, "is no calling convention")
		_, err = llvm.AsComdat(unit)
		mlirtest.Refused(t, err, "unit is no comdat")
	})
}
