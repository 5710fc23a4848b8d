"""VerifyTUI: a terminal workbench that verifies what language models say."""

__version__ = "0.1.0"
