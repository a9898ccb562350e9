"""Invoices and credit notes: what a month cost, numbered without gaps, for people and programs."""
