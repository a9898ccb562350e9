"""What accounts configure: rule sets, pipelines, lists and models, in versions."""
