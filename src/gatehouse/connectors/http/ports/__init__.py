"""How the ports of payments are served over HTTP: operations, and payment pages."""
