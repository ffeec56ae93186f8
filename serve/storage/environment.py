"""What the environment says of an object storage, by the names that all S3 programs use."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_CREDENTIALS = (
    ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"),
    ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI",),
    ("AWS_SKIP_SIGNATURE",),
)


@dataclass(frozen=True, slots=True)
class StorageEnvironment:
    """Whether there are keys, and which server; the keys themselves are read by the client alone."""

    has_credentials: bool
    endpoint: str | None


def storage_environment(variables: Mapping[str, str] | None = None) -> StorageEnvironment:
    """What `variables`, as a rule the process's own, say."""
    given = os.environ if variables is None else variables
    return StorageEnvironment(
        has_credentials=any(all(given.get(name) for name in names) for names in _CREDENTIALS),
        endpoint=next((given[name] for name in _ENDPOINTS if given.get(name)), None),
    )
