"""Numbers of contact laws: friction of a step, status and records."""
