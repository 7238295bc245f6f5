"""Retrieval: folders of documents, read, cut, indexed and searched, and retrievers in Python."""
