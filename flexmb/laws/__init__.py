"""Laws of contact, one file per law: what users write becomes checked numbers."""
