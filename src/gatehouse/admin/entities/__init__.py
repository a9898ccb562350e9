"""Use cases about who acts: users, cards, mailboxes, phones, addresses and devices."""
