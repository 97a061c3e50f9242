// The part of MLIR's C API that host.cc needs, in declarations of our own (mlir-c/IR.h and others).

#ifndef HOST_MLIR_H
#define HOST_MLIR_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
typedef struct { void* ptr; } MlirContext;
typedef struct { void* ptr; } MlirModule;
typedef struct { void* ptr; } MlirOperation;
typedef struct { void* ptr; } MlirBlock;
typedef struct { void* ptr; } MlirRegion;
typedef struct { const void* ptr; } MlirValue;
typedef struct { const void* ptr; } MlirDialectHandle;
typedef struct { void* ptr; } MlirDialect;
typedef struct { const char* data; size_t length; } MlirStringRef;
typedef void (*MlirStringCallback)(MlirStringRef, void*);

MlirContext mlirContextCreate(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__stablehlo__(void);
MlirDialect mlirDialectHandleLoadDialect(MlirDialectHandle, MlirContext);
MlirModule mlirModuleCreateParse(MlirContext, MlirStringRef);
MlirBlock mlirModuleGetBody(MlirModule);
MlirOperation mlirModuleGetOperation(MlirModule);
MlirOperation mlirBlockGetFirstOperation(MlirBlock);
MlirOperation mlirBlockGetTerminator(MlirBlock);
MlirRegion mlirOperationGetRegion(MlirOperation, intptr_t);
MlirBlock mlirRegionGetFirstBlock(MlirRegion);
MlirValue mlirOperationGetOperand(MlirOperation, intptr_t);
MlirValue mlirOperationGetResult(MlirOperation, intptr_t);
void mlirOperationSetOperand(MlirOperation, intptr_t, MlirValue);
bool mlirOperationVerify(MlirOperation);
void mlirOperationPrint(MlirOperation, MlirStringCallback, void*);
}

struct Mlir {
  MlirContext context() const {
    MlirContext c = mlirContextCreate();
    mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), c);
    mlirDialectHandleLoadDialect(mlirGetDialectHandle__stablehlo__(), c);
    return c;
  }

  MlirModule parse(MlirContext c, const std::string& text) const {
    MlirModule m = mlirModuleCreateParse(c, {text.c_str(), text.size()});
    if (m.ptr == nullptr) std::exit(1);
    return m;
  }

  // The block of the module's only function.
  MlirBlock main(MlirModule m) const {
    MlirOperation f = mlirBlockGetFirstOperation(mlirModuleGetBody(m));
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(f, 0));
  }

  std::string print(MlirModule m) const {
    std::string text;
    mlirOperationPrint(
        mlirModuleGetOperation(m),
        [](MlirStringRef part, void* to) { static_cast<std::string*>(to)->append(part.data, part.length); }, &text);
    return text;
  }
};

#endif
