"""Load and faults against servers on PostgreSQL and Valkey, and what must hold afterwards."""
