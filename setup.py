"""The packages of the wheel: every folder of the tree that is one, but tests and
benchmarks.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        "verifytui",
        *(
            f"verifytui.{name}"
            for name in find_packages(exclude=["tests*", "benchmarks*"])
        ),
    ],
    script_name="setup.py",  # so that this file is no part of the package, whose folder it stands in
)
