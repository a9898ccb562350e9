"""Lists of cards, networks, mailboxes and the like, for rules to look things up on."""
