// The header of LibYAML, whose parser reads the contract (openapi.yaml).
#ifndef TONEARM_CYAML_SHIM_H
#define TONEARM_CYAML_SHIM_H
#include <yaml.h>
#endif
