"""Who acts: users, cards, mailboxes, phones, addresses and devices."""
