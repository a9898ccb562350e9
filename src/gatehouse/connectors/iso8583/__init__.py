"""ISO 8583: messages as a dialect file lays them out, and how they are cut out of a stream."""
