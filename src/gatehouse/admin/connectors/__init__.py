"""Connectors to issuers, identity sources and gateways: applied, tried, watched."""
