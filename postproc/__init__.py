"""Pictures of results. Reads result folders only, so it also works on a run of yesterday."""
