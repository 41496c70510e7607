"""What a run leaves behind: samples, results, summaries, files."""
