#pragma once
// The header of zlib. Swift imports the functions that are used without wrappers.
#include <zlib.h>
