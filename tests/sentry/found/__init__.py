"""Tests of what is found in custom inputs."""
