// The page and the contract, as bytes inside the binary. In C because Swift has no #embed, and because #embed tells the build system which
// files it read, so that a change of the page is a change of the program.
#ifndef TONEARM_CREMOTEASSETS_H
#define TONEARM_CREMOTEASSETS_H
#include <stddef.h>

typedef struct {
    // Relative to web/; "openapi.yaml" for the contract.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} CRemoteAsset;

// The files of web/, in alphabetical order.
const CRemoteAsset *CRemoteAssets_page(size_t *count);
CRemoteAsset CRemoteAssets_openAPI(void);
#endif
