"""What a day may cost: set aside for each turn before it begins, and Caesar asked when too little is left.

caps      the caps today, what they bear, and what Caesar reads of them
purse     who may begin, who waits, and what Caesar's word does for them
"""

from legio.budget.caps import Cap
from legio.budget.purse import Budget, Means

__all__ = ["Budget", "Cap", "Means"]
