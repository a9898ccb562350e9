"""What programs do with pipelines. The readers of documents are imported when they are needed."""

from typing import Any, Final

from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType
from gatehouse.admin.configurations.use_cases.declared import Configured, changes, readings
from gatehouse.core.api_values import doc

_EXAMPLE: Final = """\
pipeline: 40
name: online orders
stages:
  - stage: Rules
    rule_set: checkout
  - stage: PreCheck
"""


def _kind() -> ConfigurationType[Any]:
    from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES

    return PIPELINES


_PIPELINES: Final = Configured(
    module=__name__,
    path="/pipelines",
    scope="manage:pipelines",
    noun="PipelineDefinition",
    words="pipeline",
    name=doc("Number of the pipeline.", "40"),
    document=_EXAMPLE,
    load=_kind,
)
list_pipelines, show, history = readings(_PIPELINES)
check, apply, roll_back = changes(_PIPELINES)
