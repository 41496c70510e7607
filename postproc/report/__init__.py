"""``flexmb report``: one or several results as one self-contained HTML file."""

from flexmb.postproc.report.write import Written, write_report

__all__ = ["Written", "write_report"]
