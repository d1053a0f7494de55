"""What a user or a project gives the model to read: standing instructions, skills, prompt templates."""

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
