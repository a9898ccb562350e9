"""Rules: what an account's own rules say about a request.

`authoring.py` reads a rule set from a file, `decide.py` judges a request by it, `stage.py` is the
step of the engine. Rules are conditions over signals, see `gatehouse.conditions`.
"""
