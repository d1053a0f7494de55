"""What a user or a project gives the model to read: standing instructions, skills, prompt templates.

Each name is imported from its module when it is first used.
"""

from typing import TYPE_CHECKING

from pihost._lazy import lazy_names

if TYPE_CHECKING:
    from pihost.resources.expansion import expand_prompt, expand_skill
    from pihost.resources.records import PromptTemplate, Resources
    from pihost.resources.sources import ResourcePlaces, read_resources

__all__ = [
    "PromptTemplate",
    "ResourcePlaces",
    "Resources",
    "expand_prompt",
    "expand_skill",
    "read_resources",
]

_MODULES = {
    "PromptTemplate": ".records",
    "ResourcePlaces": ".sources",
    "Resources": ".records",
    "expand_prompt": ".expansion",
    "expand_skill": ".expansion",
    "read_resources": ".sources",
}

__getattr__, __dir__ = lazy_names(globals(), _MODULES)
