"""Models that are tried on live traffic before they are promoted."""
