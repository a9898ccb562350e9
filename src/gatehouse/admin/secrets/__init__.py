"""The root secret and the ring of keys that it wraps."""
