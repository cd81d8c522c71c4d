// The files of the web page and the contract (openapi.yaml, openapi.json), as bytes inside the program. CRemoteAssets is written in C because Swift has no #embed.
// The build system sees the embedded files through #embed, so that the next build contains a changed file.
#ifndef TONEARM_CREMOTEASSETS_H
#define TONEARM_CREMOTEASSETS_H
#include <stddef.h>

typedef struct {
    // The path of the file, relative to the folder web/; "openapi.yaml" and "openapi.json" for the contract.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} CRemoteAsset;

// Returns the embedded files of the page, in alphabetical order of their paths; stores their number in `count`.
const CRemoteAsset *CRemoteAssets_page(size_t *count);
// Returns the contract in YAML.
CRemoteAsset CRemoteAssets_openAPI(void);
// Returns the contract in JSON.
CRemoteAsset CRemoteAssets_openAPIJSON(void);
#endif
