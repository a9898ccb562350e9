"""What the world knows about cards, packed as data beside the code. This room decides nothing."""
