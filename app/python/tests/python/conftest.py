"""Fixtures that the tests of the package share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[4]
DETECTOR = ROOT / "examples/models/detector.onnx"
MODELS = ROOT / ".libs/models"


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_is_heard() -> None:
    """A shell starts what runs in the background with Ctrl-C ignored, and children inherit that: the tests press it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples name files of the repository."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def detector() -> bytes:
    """A small detector: h and w are at most 2, or as long as twice the quarter that is rounded up."""
    return DETECTOR.read_bytes()


def visible(name: str) -> Path:
    """A model that others made; the test is left out where it was not loaded."""
    file = MODELS / name
    if not file.exists():
        pytest.skip(f"{file} is missing: .ci/setup loads it")
    return file
