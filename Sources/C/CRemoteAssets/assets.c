// Written by script/embed: the files of the page, openapi.yaml and openapi.json. The sources of the written files have the hash
// 44158aba71a2f25b1d07400f360014871a85f4ef96d682d68c25eef0f7875c7b
#include "CRemoteAssets.h"
#pragma clang diagnostic ignored "-Wc23-extensions" // #embed

// Each array ends with a byte of its own, since a file may be empty and an array may not.
static const unsigned char asset_css_dark_css[] = {
#embed "bundle/css/dark.css" suffix(,)
    0};
static const unsigned char asset_css_index_css[] = {
#embed "bundle/css/index.css" suffix(,)
    0};
static const unsigned char asset_icon_svg[] = {
#embed "../../../web/icon.svg" suffix(,)
    0};
static const unsigned char asset_index_html[] = {
#embed "../../../web/index.html" suffix(,)
    0};
static const unsigned char asset_js_early_js[] = {
#embed "bundle/js/early.js" suffix(,)
    0};
static const unsigned char asset_js_lang_ar_json[] = {
#embed "../../../web/js/lang/ar.json" suffix(,)
    0};
static const unsigned char asset_js_lang_de_json[] = {
#embed "../../../web/js/lang/de.json" suffix(,)
    0};
static const unsigned char asset_js_lang_en_json[] = {
#embed "../../../web/js/lang/en.json" suffix(,)
    0};
static const unsigned char asset_js_main_js[] = {
#embed "bundle/js/main.js" suffix(,)
    0};
static const unsigned char asset_manifest_webmanifest[] = {
#embed "../../../web/manifest.webmanifest" suffix(,)
    0};
static const unsigned char asset_sw_js[] = {
#embed "../../../web/sw.js" suffix(,)
    0};
static const unsigned char asset_touch_icon_png[] = {
#embed "../../../web/touch-icon.png" suffix(,)
    0};
static const unsigned char contract[] = {
#embed "../../../openapi.yaml" suffix(,)
    0};
static const unsigned char contract_json[] = {
#embed "bundle/openapi.json" suffix(,)
    0};

static const CRemoteAsset page[] = {
    {"css/dark.css", asset_css_dark_css, sizeof asset_css_dark_css - 1},
    {"css/index.css", asset_css_index_css, sizeof asset_css_index_css - 1},
    {"icon.svg", asset_icon_svg, sizeof asset_icon_svg - 1},
    {"index.html", asset_index_html, sizeof asset_index_html - 1},
    {"js/early.js", asset_js_early_js, sizeof asset_js_early_js - 1},
    {"js/lang/ar.json", asset_js_lang_ar_json, sizeof asset_js_lang_ar_json - 1},
    {"js/lang/de.json", asset_js_lang_de_json, sizeof asset_js_lang_de_json - 1},
    {"js/lang/en.json", asset_js_lang_en_json, sizeof asset_js_lang_en_json - 1},
    {"js/main.js", asset_js_main_js, sizeof asset_js_main_js - 1},
    {"manifest.webmanifest", asset_manifest_webmanifest, sizeof asset_manifest_webmanifest - 1},
    {"sw.js", asset_sw_js, sizeof asset_sw_js - 1},
    {"touch-icon.png", asset_touch_icon_png, sizeof asset_touch_icon_png - 1},
};

const CRemoteAsset *CRemoteAssets_page(size_t *count) {
    *count = sizeof page / sizeof *page;
    return page;
}

CRemoteAsset CRemoteAssets_openAPI(void) {
    return (CRemoteAsset){"openapi.yaml", contract, sizeof contract - 1};
}

CRemoteAsset CRemoteAssets_openAPIJSON(void) {
    return (CRemoteAsset){"openapi.json", contract_json, sizeof contract_json - 1};
}
