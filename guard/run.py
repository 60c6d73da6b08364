"""The file the launcher starts: `python3 -I -S run.py HARNESS`.

Everything is inside the `try`, and nothing is printed but one answer, so a broken or half-removed
installation can never block a tool call.
"""

import sys

sys.dont_write_bytecode = True  # nothing is added to the folder that the doctor compares
try:
    here = __file__.rpartition("/")[0]
    sys.path.insert(0, here)
    from guard.hook import main  # the deployed copy beside this file

    main(sys.argv[1:], here.rsplit("/", 2)[0])
except Exception:
    sys.exit(1)
