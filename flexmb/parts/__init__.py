"""Parts of a model, one kind per file: bodies, joints, loads, contacts, and common functions of time."""
