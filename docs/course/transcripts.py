#!/usr/bin/env python3
"""Keeps the output shown in the lessons true: runs the commands of their `console` blocks and writes what they print.

usage: transcripts.py [--check] SHMEMU [LESSON...]     --check writes nothing and fails when a page is out of date

A command is a line that begins with "$ ". It runs in a copy of the lesson's folder, `shmemu` being the binary given.
Wall times differ from run to run; lines with them are left out, and notes, which are about this machine.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
LEFT_OUT = ("wall time: ", "note: ")


def output_of(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    kept, of_a_note = [], False
    for line in done.stdout.splitlines():
        of_a_note = line.startswith("note: ") or (of_a_note and line.startswith("  "))  # a note may have places
        if line and not of_a_note and not line.startswith(LEFT_OUT):
            kept.append(line + "\n")
    return "".join(kept)


def filled(page, folder, environment):
    def block(found):
        commands = [line for line in found.group(1).splitlines() if line.startswith("$ ")]
        text = "".join(c + "\n" + output_of(c[2:], folder, environment) for c in commands)
        return f"```console\n{text}```"
    return BLOCK.sub(block, page)


def main(arguments):
    check = "--check" in arguments
    shmemu, *names = [a for a in arguments if a != "--check"]
    course = pathlib.Path(__file__).resolve().parent
    stale = []
    with tempfile.TemporaryDirectory() as scratch:
        binaries = pathlib.Path(scratch, "bin")
        binaries.mkdir()
        (binaries / "shmemu").symlink_to(pathlib.Path(shmemu).resolve())
        environment = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}")
        copy = shutil.copytree(course, pathlib.Path(scratch, "course"))
        for readme in sorted(course.glob("*/README.md")):
            if names and readme.parent.name not in names:
                continue
            before = readme.read_text(encoding="utf-8")
            after = filled(before, copy / readme.parent.name, environment)
            if after != before:
                stale.append(readme.parent.name)
                if not check:
                    readme.write_text(after, encoding="utf-8")
    print("up to date" if not stale else ("out of date: " if check else "written: ") + ", ".join(stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
