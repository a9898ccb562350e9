"""Lints a chart with Helm's library, in a process of its own: `lint_chart.py LIBRARY CHART`."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.helm_sdkpy_last_error.restype = ctypes.c_char_p
handle, result = ctypes.c_ulonglong(), ctypes.c_char_p()
failed = library.helm_sdkpy_config_create(b"default", b"", b"", b"", ctypes.byref(handle))
failed = failed or library.helm_sdkpy_lint(handle, sys.argv[2].encode(), ctypes.byref(result))
if failed:
    sys.exit(library.helm_sdkpy_last_error().decode())
sys.stdout.write((result.value or b"").decode())
