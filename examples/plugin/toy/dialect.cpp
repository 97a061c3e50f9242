// A dialect "toy" with one operation, its verifier, and a pass that lowers it. It is compiled
// into a shared library, which the program in ../main.go loads beside MLIR.
#include "mlir-c/IR.h"
#include "llvm/Config/llvm-config.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace toy {
// toy.double doubles an integer of at least 8 bits.
class DoubleOp : public Op<DoubleOp, OpTrait::OneOperand, OpTrait::OneResult, OpTrait::ZeroRegions,
                           OpTrait::ZeroSuccessors, OpTrait::SameOperandsAndResultType> {
 public:
  using Op::Op;
  static StringRef getOperationName() { return "toy.double"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  LogicalResult verify() {
    auto type = dyn_cast<IntegerType>((*this)->getOperand(0).getType());
    if (!type || type.getWidth() < 8) return emitOpError("needs an integer of at least 8 bits");
    return success();
  }
};

class ToyDialect : public Dialect {
 public:
  explicit ToyDialect(MLIRContext* context) : Dialect(getDialectNamespace(), context, TypeID::get<ToyDialect>()) {
    addOperations<DoubleOp>();
  }
  static StringRef getDialectNamespace() { return "toy"; }
};

struct LowerDouble : OpRewritePattern<DoubleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DoubleOp op, PatternRewriter& rewriter) const override {
    Value x = op->getOperand(0);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, x, x);
    return success();
  }
};

struct LowerPass : PassWrapper<LowerPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerPass)
  StringRef getArgument() const override { return "toy-lower"; }
  StringRef getDescription() const override { return "replace toy.double by arith.addi"; }
  void getDependentDialects(DialectRegistry& registry) const override { registry.insert<arith::ArithDialect>(); }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerDouble>(&getContext());
#if LLVM_VERSION_MAJOR < 20
    bool failed = mlir::failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns)));
#else
    bool failed = mlir::failed(applyPatternsGreedily(getOperation(), std::move(patterns)));
#endif
    if (failed) signalPassFailure();
  }
};
}  // namespace toy

// The two functions that mlir.OpenOptions.Plugins looks for.
extern "C" {
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Toy, toy);
MLIR_CAPI_EXPORTED void mlirRegisterToyPasses() { PassRegistration<toy::LowerPass>(); }
}
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Toy, toy, toy::ToyDialect)
