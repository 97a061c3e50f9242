#ifndef CALLIOPE_PJRT_STORE_H
#define CALLIOPE_PJRT_STORE_H

#include "pjrt_abi.h"

// Has the next client that is made on this thread call the store with a handle, until it is destroyed. 0 is none.
void calliope_store_next(uintptr_t store);

// Sets the callbacks of the store in the arguments for a client.
void calliope_store_use(pjrt_client_create_args* args);

// What a callback asks for.
enum { CALLIOPE_STORE_GET, CALLIOPE_STORE_TRY_GET, CALLIOPE_STORE_PUT };

#endif
