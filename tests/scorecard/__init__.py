"""The scorecard: what Legio loses, doubles and holds up when everything around it fails, in figures.

`make scorecard` runs all scenarios and writes `docs/scorecard.md`; the quick ones run in `make test` too.
"""
