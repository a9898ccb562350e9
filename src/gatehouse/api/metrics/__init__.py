"""What is measured of a server, for Prometheus."""
