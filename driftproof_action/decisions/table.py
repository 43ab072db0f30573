"""Every rule by the name a receipt stores, so that a reader finds the one that decided. Not: any rule."""

from __future__ import annotations

from collections.abc import Mapping

from driftproof_action.decisions.band_separation.confirmed import ConfirmedBands
from driftproof_action.decisions.band_separation.published import PublishedBands
from driftproof_action.decisions.pass_rate.measure import MeasuredRates
from driftproof_action.domain.rule import Rule

TABLE: Mapping[str, Rule] = {rule.name: rule for rule in (PublishedBands(), ConfirmedBands(), MeasuredRates())}
