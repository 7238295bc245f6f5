"""For all tests: what is drawn at random is drawn alike where the run says so, as CI does by its seed."""

import os

from hypothesis import settings

settings.register_profile("drawn-alike", derandomize=True)
if "INTERLOCK_SEED" in os.environ:
    settings.load_profile("drawn-alike")
