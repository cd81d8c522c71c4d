"""Loads the contract with aiopenapi3, which makes a model of each schema and a function of each operation. A warning is a failure.

usage: script/lib/load_contract.py [FILE]        (openapi.yaml)
"""
import logging
import pathlib
import sys
import warnings

with warnings.catch_warnings():
    # The warnings of the imported packages themselves do not concern the contract.
    warnings.simplefilter("ignore")
    from aiopenapi3 import OpenAPI
    from aiopenapi3.loader import FileSystemLoader


class Collector(logging.Handler):
    """Collects the messages of the log."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


file = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "openapi.yaml").resolve()
log = Collector()
logging.getLogger().addHandler(log)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    api = OpenAPI.load_file("http://127.0.0.1:7711/", pathlib.Path(file.name), loader=FileSystemLoader(file.parent))
    operations = [operation for operation in api._]
lines = [str(warning.message) for warning in told] + log.lines
for line in lines:
    print(f"{file.name}: {line}", file=sys.stderr)
if not operations:
    print(f"{file.name}: no operation was loaded", file=sys.stderr)
sys.exit(1 if lines or not operations else 0)
