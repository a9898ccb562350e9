"""When strong customer authentication can be left out, and what to send where it cannot."""
