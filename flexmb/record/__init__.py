"""Output of a run: samples, results, summaries, files."""
