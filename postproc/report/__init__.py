"""``flexmb report``: one or several results as one HTML file that needs nothing else."""

from flexmb.postproc.report.write import Written, write_report

__all__ = ["Written", "write_report"]
