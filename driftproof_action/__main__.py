"""`python -m driftproof_action`. Not: anything more than the command line."""

from __future__ import annotations

import sys

from driftproof_action.cli import main

sys.exit(main())
