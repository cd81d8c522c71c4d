#pragma once
// Swift imports the used functions of zlib without wrappers.
#include <zlib.h>
