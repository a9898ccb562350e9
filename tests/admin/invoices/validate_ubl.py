"""Validates documents against a schema; run with the packages of requirements/invoices.lock."""

import sys

from lxml import etree  # type: ignore[import-untyped]

schema = etree.XMLSchema(etree.parse(sys.argv[1]))
for path in sys.argv[2:]:
    schema.assertValid(etree.parse(path))
