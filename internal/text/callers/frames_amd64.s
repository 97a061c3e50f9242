#include "textflag.h"

// func Addresses(addresses []uintptr)
//
// A frame begins with the frame pointer of its caller, and the address to return to
// stands above that. This function has no frame, so BP is its caller's. A caller's frame
// is a little higher on the stack: anything else, such as what C code leaves in BP, ends
// the walk.
TEXT ·Addresses(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ addresses_base+0(FP), AX
	MOVQ BP, BX
	MOVQ addresses_len+8(FP), CX
	TESTQ BX, BX
	JEQ done
next:
	MOVQ 8(BX), DX
	MOVQ DX, (AX)
	ADDQ $8, AX
	DECQ CX
	JEQ done
	MOVQ (BX), DX
	MOVQ DX, SI
	SUBQ BX, SI
	DECQ SI
	MOVQ DX, BX
	CMPQ SI, $0x4000
	JCS next
done:
	RET
