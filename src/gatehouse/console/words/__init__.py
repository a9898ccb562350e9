"""The words of pages in the reader's language."""
