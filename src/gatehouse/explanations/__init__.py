"""Why a request was decided as it was, in sentences, and what would have changed it.

Nothing here asks a database or a clock. What is promised was found by judging the recorded request
again with the change, by the rules and the pipeline of that time.
"""
