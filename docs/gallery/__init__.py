"""The gallery of the documentation site: a page for each shipped case, made from the case file and a run of it.

``shelf`` keeps what was made between builds, ``case_run`` runs a case and draws it, ``case_page`` and ``index_page``
write Markdown, ``galleries`` puts them together; ``docs/hooks.py`` hands the pages to MkDocs.
"""
