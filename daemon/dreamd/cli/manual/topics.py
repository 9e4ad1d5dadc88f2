"""Topics of the manual: one markdown file each, shipped with the settings, and one made of the settings themselves."""

from __future__ import annotations

from dreamd.core.paths import share_dir

SETTINGS = "settings"
_BEFORE_SETTINGS = """# Settings

`dream config path` says where the file is looked for, `dream config show` what applies and where it came from; `dream config
get|set|unset KEY` reads or changes one line of it and leaves the rest as it is. A number out of range is clamped with a
warning, a misspelt key is an error. What counts, first first: an option of the command, `DREAM_<SECTION>_<KEY>` in the
environment (`DREAM_RECALL_LEAN=5`, lists with commas), the file, the default. Every key with its default, as
`config/dream.toml` has it:
"""


def list_topics() -> dict[str, str]:
    """Every topic with its title, by name."""
    files = sorted((share_dir("config") / "help").glob("*.md"))
    told = {path.stem: _title(path.read_text("utf-8")) for path in files}
    return dict(sorted({**told, SETTINGS: "Settings"}.items()))


def read_topic(name: str) -> str:
    """The markdown of one topic; raises KeyError where there is none."""
    if name not in list_topics():
        raise KeyError(name)
    if name == SETTINGS:
        shown = (share_dir("config") / "dream.toml").read_text("utf-8").strip()
        return f"{_BEFORE_SETTINGS}\n```\n{shown}\n```\n"
    return (share_dir("config") / "help" / f"{name}.md").read_text("utf-8")


def _title(text: str) -> str:
    return text.partition("\n")[0].lstrip("# ")
