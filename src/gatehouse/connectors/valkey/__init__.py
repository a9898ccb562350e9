"""Valkey and Redis: the store of a memory that several servers share."""
