"""Ground floor: money, ids, errors, cards and what a stage is. Reads no clock, opens no file."""
