"""Files that acquirers hand merchants: settlements, reported frauds and disputes."""
