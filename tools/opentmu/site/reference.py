# SPDX-License-Identifier: Apache-2.0
"""References of the site, from what sources say of themselves: C headers, Python, Chisel."""

import ast
import re
from pathlib import Path

from opentmu.manual import headers

# Modules that a test bench or a script of one's own imports.
PYTHON = (
    "bench/own.py",
    "bench/match_unit.py",
    "bench/device.py",
    "bench/scoreboard.py",
    "bench/law.py",
    "bench/traffic.py",
    "bench/campaigns.py",
    "bench/records.py",
    "bench/memory.py",
    "bench/spill_memory.py",
    "bench/registers.py",
    "bench/simulate.py",
    "model.py",
    "trace.py",
    "configuration.py",
    "parameters.py",
)
DOCUMENTED = re.compile(
    r"^/\*\*((?:(?!\*/).)*)\*/\n((?:@\w+\n)?(?:(?:final|abstract|sealed|case|private\[\w+\]) )*"
    r"(?:class|object|trait) (\w+)[^\n{]*(?:\n[^\n{]*\)[^\n{]*)?)",
    re.MULTILINE | re.DOTALL,
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def library(folder: Path) -> str:
    """libtmu: each function with its declaration and comment, then the structures."""
    files = sorted(file for file in folder.glob("*.h") if file.name not in headers.SKIPPED)
    texts = {file.name: file.read_text() for file in files}
    parts = ["# libtmu\n", headers.introduction(texts[headers.MAIN])]
    for name, text in texts.items():
        functions = list(headers.FUNCTION.finditer(text))
        structures = list(headers.STRUCTURE.finditer(text))
        if functions or structures:
            parts.append(f"## {name}\n")
        for comment, declaration, function in (found.groups() for found in functions):
            parts.append(_entry(function.removesuffix(headers.SIZED), "c", declaration))
            parts.append(_escaped(headers.plain(comment)))
        parts += [_entry(name, "c", text) for text, name in (one.groups() for one in structures)]
    return "\n".join(parts) + "\n"


def python(folder: Path) -> str:
    """The Python entry points: public classes and functions with signature and docstring."""
    parts = ["# Python\n", "What a bench or a script imports from the package `opentmu`.\n"]
    for name in PYTHON:
        tree = ast.parse((folder / name).read_text())
        module = name.removesuffix(".py").replace("/", ".")
        parts += [f"## opentmu.{module}\n", _escaped(ast.get_docstring(tree) or "")]
        for node in tree.body:
            if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
                parts += _python(node)
    return "\n".join(parts) + "\n"


def _python(node: Function | ast.ClassDef) -> list[str]:
    if not isinstance(node, ast.ClassDef):
        return [_entry(node.name, "python", _signature(node)), _described(node)]
    methods = [one for one in node.body if isinstance(one, Function)]
    shown = [one for one in methods if one.name == "__init__" or not one.name.startswith("_")]
    heads = [f"class {node.name}:"]
    for method in shown:
        heads.append(f"    {_signature(method)}")
        text = ast.get_docstring(method)
        heads += [f"        # {line}".rstrip() for line in (text or "").splitlines()]
    return [_entry(node.name, "python", "\n".join(heads)), _described(node)]


def _signature(node: Function) -> str:
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({ast.unparse(node.args)}){result}"


def _described(node: Function | ast.ClassDef) -> str:
    return _escaped(ast.get_docstring(node) or "")


def chisel(folder: Path) -> str:
    """The Chisel sources: each documented class, object and trait, by package."""
    parts = ["# Chisel\n", "Every class and object of the hardware with a comment, by package.\n"]
    package = ""
    for file in sorted(folder.rglob("*.scala"), key=lambda one: (str(one.parent), one.name)):
        found = list(DOCUMENTED.finditer(file.read_text()))
        here = ".".join(["tmu", *file.relative_to(folder).parent.parts])
        if found and here != package:
            parts.append(f"## {here}\n")
            package = here
        for comment, declaration, name in (one.groups() for one in found):
            parts += [_entry(name, "scala", declaration.strip()), _escaped(_scaladoc(comment))]
    return "\n".join(parts) + "\n"


def _scaladoc(comment: str) -> str:
    lines = (re.sub(r"^\s*\* ?", "", line).strip() for line in comment.strip().splitlines())
    return "\n".join(lines)


def _entry(name: str, language: str, code: str) -> str:
    return f"### {name}\n\n```{language}\n{code}\n```\n"


def _escaped(text: str) -> str:
    """Prose of a comment: what Markdown would take for links or tags is plain."""
    return re.sub(r"([\[\]<*_])", r"\\\1", text) + "\n"
