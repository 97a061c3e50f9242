#include "textflag.h"

// func Addresses(addresses []uintptr)
//
// R29 points to where the caller's frame pointer is kept, and the address to return to
// stands above that. This function has no frame, so R29 is its caller's. A caller's frame
// is a little higher on the stack: anything else, such as what C code leaves in R29, ends
// the walk.
TEXT ·Addresses(SB), NOSPLIT|NOFRAME, $0-24
	MOVD addresses_base+0(FP), R0
	MOVD R29, R1
	MOVD addresses_len+8(FP), R2
	MOVD $0x4000, R5
	CBZ R1, done
next:
	MOVD 8(R1), R3
	MOVD.P R3, 8(R0)
	SUB $1, R2
	CBZ R2, done
	MOVD (R1), R3
	SUB R1, R3, R4
	SUB $1, R4
	MOVD R3, R1
	CMP R5, R4
	BLO next
done:
	RET
