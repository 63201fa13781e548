"""Packaging of pulumi-clouddb; tool settings live in pyproject.toml."""

import os
import re
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

TOOLS = ["typer>=0.26,<1", "rich>=14", "markdown-it-py>=3,<5", "packaging>=24", "pyyaml>=6.0.2"]
SANDBOX = [*TOOLS, "starlette>=1.0", "uvicorn>=0.40"]
POLICY = ["pulumi-policy>=1.21,<1.22"]
TESTING = ["pytest>=8.4"]
BUCKET = ["universal-pathlib>=0.3.10", "s3fs>=2026.1"]
DOCS = ["mkdocs-material>=9.7,<10"]
BROWSERS = ["basedpyright>=1.31", "playwright>=1.49"]  # the first brings Node.js: half of a contributor's environment

VERSION = "0.1.0"

# A release says where it comes from; a checkout may be of any copy.
REPOSITORY = os.environ.get("REPOSITORY_URL", "")
ADDRESSES = {"Source": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md", "Releases": "/releases"}


def description() -> str:
    """Return the README without links to files beside it: a package index has none of them."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    if REPOSITORY:
        text = re.sub(r"(!\[[^][]*\]\()(?!https?:)", rf"\1{REPOSITORY}/raw/v{VERSION}/", text)
        return re.sub(r"(\]\()(?!https?:|#)", rf"\1{REPOSITORY}/blob/v{VERSION}/", text)
    for _ in range(2):  # a picture is within a link
        text = re.sub(r"!?\[([^][]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)
    return text


class BuildWithManual(build_py):
    """Build the packages with the pages of docs/, which `clouddb help` shows; an editable installation reads docs/."""

    def run(self) -> None:
        """Build, then copy the pages."""
        super().run()
        docs = Path(__file__).with_name("docs")
        for page in () if self.editable_mode else docs.rglob("*.md"):
            target = Path(self.build_lib, "clouddb_tools", "manual", page.relative_to(docs))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, target)


setup(
    name="pulumi-clouddb",
    version=VERSION,
    description="A Pulumi provider for ClickHouse Cloud and ClickStack: databases, pipes, keys, dashboards and alerts.",
    long_description=description(),
    long_description_content_type="text/markdown",
    license_expression="Apache-2.0",
    project_urls={name: REPOSITORY + path for name, path in ADDRESSES.items()} if REPOSITORY else {},
    python_requires=">=3.10",
    keywords=["pulumi", "infrastructure as code", "clickhouse", "clickstack", "hyperdx", "observability", "dashboards"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Framework :: Pytest",
        "Intended Audience :: Developers",
        "Intended Audience :: System Administrators",
        *[f"Programming Language :: Python :: 3.{minor}" for minor in (10, 11, 12, 13, 14)],
        "Topic :: Database",
        "Topic :: System :: Monitoring",
        "Topic :: System :: Systems Administration",
        "Typing :: Typed",
    ],
    cmdclass={"build_py": BuildWithManual},
    package_dir={"": "provider"},
    packages=find_packages("provider"),
    package_data={
        "pulumi_clouddb": ["py.typed", "pulumi-plugin.json"],
        "clouddb_tools": ["py.typed"],
        "pulumi_clouddb.engine.plugin": ["schema.json"],
    },
    install_requires=[  # each `pulumi up` loads them: what only clouddb_tools needs is an extra
        "pulumi>=3.268,<4",  # whose dynamic host hears the inputs of an import
        "httpx>=0.28,<1",
        "httpcore>=1.0.9,<2",  # older ones allow h11 0.14, which has CVE-2025-43859
        "pydantic>=2.12.3,<3",
        "typing-extensions>=4.11; python_version < '3.11'",
    ],
    extras_require={
        "tools": TOOLS,
        "policy": POLICY,
        "sandbox": SANDBOX,
        "bucket": BUCKET,
        "docs": DOCS,
        "browsers": BROWSERS,
        "dev": [
            *BUCKET,
            *SANDBOX,
            *POLICY,
            *TESTING,
            *DOCS,
            # A pair, to be raised together: s3fs takes one release of botocore and moto any, so that pip would download
            # each boto3 from the newest to the one that fits.
            "aiobotocore==3.10.0",
            "boto3==1.43.117",
            "check-jsonschema>=0.36",
            "coverage>=7.12",
            "flask>=3.1",
            "flask-cors>=6",
            "greenlet>=3.1",
            "hypothesis>=6.140",
            "import-linter>=2.5",
            "jinja2>=3.1",
            "jsonschema>=4.25",
            "moto[s3]>=5.2",
            "lizard>=1.24",
            "mypy>=1.18",
            "openapi-pydantic>=0.5",
            "parver>=0.5",
            "pytest-timeout>=2.4",
            "pytest-xdist>=3.8",
            "referencing>=0.36",
            "ruff>=0.14",
            "setuptools>=77",
            "tree-sitter>=0.25",
            "tree-sitter-typescript>=0.23",
            "trustme>=1.2",
            "types-grpcio",
            "types-jsonschema",
            "types-protobuf",
            "types-PyYAML",
            "uv>=0.9",
        ],
    },
    entry_points={
        "console_scripts": [
            "clouddb = clouddb_tools.commands.__main__:main",
            "pulumi-resource-clouddb = pulumi_clouddb.engine.plugin.__main__:main",
        ],
        "pytest11": ["clouddb = clouddb_tools.testing.pytest_plugin"],
    },
)
