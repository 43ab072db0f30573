"""What the container runs: `python -I -X utf8 entrypoint.py`. Not: the job; nothing of the workspace or HOME is imported."""

from __future__ import annotations

import sys

from driftproof_action.action import main

sys.exit(main())
