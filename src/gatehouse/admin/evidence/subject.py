"""Where the faces of this subject are: evidence against disputes."""

from gatehouse.core.subject import Subject

SUBJECT = Subject("evidence", rank=243)
