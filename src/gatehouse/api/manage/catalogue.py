"""All endpoints of the management API, in the order in which pages show them."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from gatehouse.api.manage.declared import endpoint_of
from gatehouse.api.manage.endpoints import ManageEndpoint
from gatehouse.core.subject import Subject, load, subjects
from gatehouse.store.admin.use_case import use_cases_in


@cache
def all_endpoints() -> tuple[ManageEndpoint, ...]:
    """Every endpoint."""
    return tuple(each for subject in subjects() for each in _endpoints_of(subject))


def _endpoints_of(subject: Subject) -> Iterator[ManageEndpoint]:
    for place in subject.use_cases:
        yield from map(endpoint_of, use_cases_in(import_module(subject.whole(place))))
    for place in subject.endpoints:
        yield from load(subject.whole(place))
