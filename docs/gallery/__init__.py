"""The galleries of the documentation site: a page for each shipped case and study, made from the file and a run of it.

``shelf`` keeps what was made between builds, ``case_run`` and ``study_run`` run and draw, ``case_page``, ``study_page``
and ``index_page`` write Markdown, ``galleries`` puts them together; ``docs/hooks.py`` hands the pages to MkDocs.
"""
