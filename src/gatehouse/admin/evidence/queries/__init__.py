"""The rows of evidence: what stays readable of orders, and the desk for disputes."""
