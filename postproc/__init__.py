"""Pictures of results, made from result folders only."""
