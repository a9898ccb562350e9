"""Commands about what accounts configure: rules, pipelines and lists."""
