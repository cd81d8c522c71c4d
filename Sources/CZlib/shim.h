#pragma once
// Everything of zlib that is used can be imported as it is.
#include <zlib.h>
