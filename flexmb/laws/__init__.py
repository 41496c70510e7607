"""Laws of contact, one file per law: user input is converted to checked numbers."""
