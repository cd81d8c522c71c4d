// Written by script/embed: the files of web/, and openapi.yaml.
#include "CRemoteAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions" // #embed

// Each array ends with a byte of its own, since a file may be empty and an array may not.
static const unsigned char contract[] = {
#embed "../../openapi.yaml" suffix(,)
    0};

static const CRemoteAsset page[] = {
};

const CRemoteAsset *CRemoteAssets_page(size_t *count) {
    *count = sizeof page / sizeof *page;
    return page;
}

CRemoteAsset CRemoteAssets_openAPI(void) {
    return (CRemoteAsset){"openapi.yaml", contract, sizeof contract - 1};
}
