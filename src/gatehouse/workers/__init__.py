"""What runs beside requests: the gauges that metrics read, and traces."""
