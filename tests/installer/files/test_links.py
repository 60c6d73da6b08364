from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.links import MAX_LINKS, resolve


def test_a_plain_path_is_its_own_target(tmp_path: Path) -> None:
    where = resolve(tmp_path / "new" / "settings.json")
    assert where.named == where.target == tmp_path / "new" / "settings.json"
    assert where.links == ()


def test_every_hop_is_followed_and_named(tmp_path: Path) -> None:
    (tmp_path / "dots" / "agents").mkdir(parents=True)
    (tmp_path / "dots" / "agents" / "real.json").touch()
    (tmp_path / "dots" / "claude.json").symlink_to("agents/real.json")
    (tmp_path / "home").symlink_to("dots")
    (tmp_path / "settings.json").symlink_to(tmp_path / "home" / "claude.json")
    where = resolve(tmp_path / "settings.json")
    assert where.target == tmp_path / "dots" / "agents" / "real.json"
    assert where.links == (
        tmp_path / "settings.json",
        tmp_path / "home",
        tmp_path / "dots" / "claude.json",
    )


def test_dots_go_up_from_where_a_link_leads_not_from_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a/b")
    assert resolve(tmp_path / "link" / ".." / "file").target == tmp_path / "a" / "file"


def test_a_new_file_in_a_linked_folder_is_no_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "dots").mkdir()
    (tmp_path / "config").symlink_to("dots")
    assert resolve(tmp_path / "config" / "new" / "f").target == tmp_path / "dots" / "new" / "f"


def test_as_many_links_as_the_system_follows_are_followed(tmp_path: Path) -> None:
    (tmp_path / "0").touch()
    for number in range(MAX_LINKS):
        (tmp_path / str(number + 1)).symlink_to(str(number))
    assert resolve(tmp_path / str(MAX_LINKS)).target == tmp_path / "0"


@pytest.mark.parametrize(
    ("links", "code"),
    [
        ({"settings": "settings"}, "link-loop"),
        ({"settings": "a", "a": "b", "b": "settings"}, "link-loop"),
        ({"settings": "nowhere"}, "dangling-link"),
        ({"settings": "a", "a": "../nowhere/at all"}, "dangling-link"),
        ({"folder": "nowhere"}, "dangling-link"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(
    tmp_path: Path, links: dict[str, str], code: str
) -> None:
    for name, goal in links.items():
        (tmp_path / name).symlink_to(goal)
    path = tmp_path / "folder" / "settings" if "folder" in links else tmp_path / "settings"
    with pytest.raises(Refusal) as caught:
        resolve(path)
    assert caught.value.code == code
    assert caught.value.path == path


def test_a_path_through_a_file_is_left_to_the_checks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert resolve(tmp_path / "file" / "settings").target == tmp_path / "file" / "settings"
