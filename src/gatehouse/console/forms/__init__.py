"""Reading what people type into forms."""
