"""The plugin of pytest: ``--update-sizes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    group = parser.getgroup("lozenge")
    group.addoption("--update-sizes", action="store_true", help="write the lock files of lozenge.testing.assert_sizes anew")


def pytest_configure(config: pytest.Config) -> None:
    """Tells the assertions whether lock files are written."""
    from lozenge import testing

    testing._update = bool(config.getoption("--update-sizes"))
