"""Public facts about cards, addresses, browsers, places, phones and e-mail, packed as data beside
the code. This room decides nothing.
"""
