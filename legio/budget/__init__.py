"""What a day may cost: set aside for each turn before it begins, and Caesar asked when too little is left.

caps      one cap today, what it bears, and what Caesar reads of it
purse     who may begin, who waits, and what Caesar's word does for them
"""

from legio.budget.purse import Budget, Means

__all__ = ["Budget", "Means"]
