"""Parts of a model, one kind per file: bodies, joints, loads, contacts, and the functions of time they share."""
