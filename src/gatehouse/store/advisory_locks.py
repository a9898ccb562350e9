"""The numbers of PostgreSQL's advisory locks, which all databases of a server count for themselves.

Any number will do, if no two kinds of work have the same: they would wait for each other. Work that
is locked by its name is in `store.exclusive`.
"""

from typing import Final

MIGRATING: Final = 6_447_210_817
"""The process that holds it changes the tables."""
PRUNING: Final = 6_447_210_818
"""The server that holds it deletes what has expired."""
PARTITIONING: Final = 6_447_210_819
"""The process that holds it makes partitions of decision records."""
