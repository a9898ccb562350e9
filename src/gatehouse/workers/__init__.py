"""What runs beside requests: the supervisor of tasks, the gauges that metrics read, traces."""
