"""The requests to the stage of the rows beside the normals (``kernels.side_rows``)."""

RATES, FREE, ROWS, LEVELS, ADD, WORKS = 0, 1, 2, 3, 4, 5
