"""The files' gate: edicta, acta and commentarii as XML documents in the castra."""
