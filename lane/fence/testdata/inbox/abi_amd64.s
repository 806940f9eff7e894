#include "textflag.h"

// func int80() uintptr
TEXT ·int80(SB), NOSPLIT, $0-8
	MOVL $20, AX
	INT  $0x80
	MOVQ AX, ret+0(FP)
	RET
