#!/usr/bin/env python3
"""Data flows one way: fails when a folder includes one that the table of DESIGN.md section 1 forbids.

Usage: include_direction.py <root of the repository>. A folder may include itself and what ALLOWED names.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "model": {"base"},
    "transports": {"model", "base"},
    "collectives": {"transports", "model", "base"},
    "device": {"collectives", "transports", "model", "base"},
    "report": {"transports", "model", "base"},
    "emu": {"device", "report", "collectives", "transports", "model", "base"},
    "predict": {"emu", "device", "collectives", "transports", "model", "base"},
    "deepep": {"report", "transports", "model", "base"},
    "gpu": {"emu", "traces", "device", "report", "collectives", "transports", "model", "base"},
    "traces": {"device", "report", "collectives", "transports", "model", "base"},
}
EVERYTHING = set(ALLOWED)
# The contract with compiled programs may be read below emu; the other public headers are the API that emu implements.
ABI, ABI_READERS, API_READERS = {"shmemu/abi.h", "shmemu/heap_range.h"}, {"device", "emu", "gpu"}, {"emu", "gpu"}
# The compiler plugin lives inside clang and shares nothing with the rest.
PLUGIN = "src/emu/cpu/plugin"
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := INCLUDE.match(line):
            yield number, found.group(1), found.group(2)


def main(root):
    public = {str(p.relative_to(root / "include")) for p in (root / "include").rglob("*") if p.is_file()}
    errors, seen, files = [], set(), 0

    def check(path, folder, allowed, api):
        nonlocal files
        files += 1
        for number, quote, name in includes(path):
            first = name.split("/")[0]
            where = f"{path.relative_to(root)}:{number}"
            if first in ALLOWED and (root / "src" / name).exists():
                seen.add((folder, first))
                if first != folder and first not in allowed:
                    errors.append(f"{where}: {folder} includes {name}; it may include {', '.join(sorted(allowed)) or 'nothing'}")
            elif name in public:
                if not api(name):
                    errors.append(f"{where}: {folder} includes the public header {name}")
            elif quote == '"' and "/" not in name and folder in ALLOWED and not str(path).startswith(str(root / PLUGIN)):
                errors.append(f'{where}: write "{path.parent.relative_to(root / "src")}/{name}", the path from src')

    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".hpp", ".cpp", ".h", ".c"):
            continue
        folder = path.relative_to(root / "src").parts[0]
        if folder not in ALLOWED:
            errors.append(f"{path.relative_to(root)}: src/{folder} is not in the table of DESIGN.md section 1")
            continue
        if str(path).startswith(str(root / PLUGIN)):
            check(path, folder, set(), lambda name: name in ABI)
            continue
        check(path, folder, ALLOWED[folder],
              lambda name: (name in ABI and folder in ABI_READERS) or folder in API_READERS)
    for path in sorted((root / "tools").rglob("*.[hc]pp")):
        check(path, "tools", EVERYTHING, lambda name: False)
    for path in sorted((root / "include").rglob("*")):
        if path.is_file():
            check(path, "include", set(), lambda name: True)
    for error in errors:
        print(error)
    print(f"{files} files, {len(seen)} pairs of folders, {len(errors)} errors")
    return 1 if errors or files < 100 or len(seen) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
