"""The rooms of the page, a module each: what can be asked of it there, and what can be done."""
