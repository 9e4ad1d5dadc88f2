"""Who gets in: attacks on the page from other sites, other users of the machine, and other names for it."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import threading
import time
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from asgi_browser import SECOND_NIGHT, TODAY, Browser, ask, open_page
from dreamd.core.errors import UsageError
from dreamd.core.values import Status
from dreamd.web import serving
from dreamd.web.doors import door
from household import House, every_byte

NASTY = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\' {{7*7}} </textarea><svg onload=alert(3)>'
VIEWS = ("/", "/memories", "/decide", "/over-time", "/health")


@pytest.fixture
def stranger(lived: House) -> Browser:
    """A browser of this machine that was never given the link."""
    found, page = open_page(lived)
    yield found
    page.warm.close()


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/?token=", "/memories", "/favicon.ico"])
def test_nobody_comes_in_without_the_link(stranger, path):
    answer = stranger("GET", path)
    assert (answer.status, "set-cookie" in answer.headers, b"<html" in answer.body) == (403, False, False)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_takes_the_cookie_of_this_start(stranger, view):
    assert stranger.see(view).status == 403
    stranger.cookies = {stranger.keys.cookie: "x" * 43}
    assert stranger.see(view).status == 403


def test_the_link_gives_a_cookie_that_no_script_and_no_other_site_gets(stranger):
    answer = stranger.enter()
    told = answer.headers["set-cookie"].lower()
    assert (answer.status, answer.headers["location"]) == (303, f"{stranger.keys.base}/")
    assert "httponly" in told and "samesite=strict" in told and f"path={stranger.keys.base}".lower() in told
    assert stranger.keys.pen not in answer.headers["set-cookie"]


def test_a_browser_sent_here_by_another_program_is_let_in_by_a_page(stranger):
    answer = stranger("GET", f"/?token={stranger.keys.entry}",
                      headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert (answer.status, stranger.keys.base in answer.text) == (200, True)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4000", "127.0.0.1.evil.example", "localhost.evil.example:4000",
                                  "192.168.1.7:4000", "", "0.0.0.0:4000"])
def test_a_name_made_to_point_here_is_turned_away(onlooker, host):
    assert onlooker.see("/memories", host=host).status == 421


@pytest.mark.parametrize("host", ["localhost:4000", "127.0.0.1:9", "[::1]:4000", "LOCALHOST:1"])
def test_the_names_of_this_machine_are_answered_to(onlooker, host):
    assert onlooker.see("/memories", host=host).status == 200


@pytest.mark.parametrize("told", [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:5000"},
                                  {"origin": "https://127.0.0.1:4000"}, {"sec-fetch-site": "cross-site"},
                                  {"sec-fetch-site": "same-site"}])
def test_another_site_neither_reads_nor_changes(onlooker, told):
    identity, seen = onlooker.seen("linter")
    before = every_byte(onlooker.house.home)
    assert onlooker.see(f"/memory/{identity}", **told).status == 403
    assert onlooker.do("pin", headers=told, id=identity, seen=seen).status == 403
    assert every_byte(onlooker.house.home) == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
                                  "text/plain; application/json"])
def test_a_form_of_another_site_changes_nothing(onlooker, kind):
    identity, seen = onlooker.seen("linter")
    assert onlooker.do("pin", headers={"content-type": kind}, id=identity, seen=seen).status == 415
    assert not onlooker.house.memory("linter").pinned


@pytest.mark.parametrize("pen", [None, "", "wrong", "x" * 43])
def test_the_cookie_alone_changes_nothing(onlooker, pen):
    identity, seen = onlooker.seen("linter")
    assert onlooker.do("pin", headers={"x-dream-token": pen}, id=identity, seen=seen).status == 403
    assert not onlooker.house.memory("linter").pinned


def test_the_key_of_changes_alone_changes_nothing(onlooker):
    identity, seen = onlooker.seen("linter")
    pen, onlooker.cookies = onlooker.pen, {}
    told = {"content-type": "application/json", "x-dream-token": pen}
    body = json.dumps({"id": identity, "seen": seen}).encode()
    answer = onlooker("POST", f"{onlooker.keys.base}/act/pin", body=body, headers=told)
    assert (answer.status, onlooker.house.memory("linter").pinned) == (403, False)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_there_is_no_other_way_in(onlooker, method):
    assert onlooker(method, onlooker.keys.base + "/memories").status == 405


@pytest.mark.parametrize("path", ["/assets/../page.py", "/assets/%2e%2e/page.py", "/assets/..%2f..%2fpage.py", "/nothing",
                                  "/memory/../../etc/passwd", "/memory/ffffffff", "/night/zzzz", "/act/pin"])
def test_an_address_that_is_none_tells_nothing(onlooker, path):
    answer = onlooker.see(path)
    assert (answer.status in (404, 405), b"import" in answer.body) == (True, False)


def test_every_answer_keeps_scripts_and_frames_of_others_out(onlooker, stranger):
    for answer in (onlooker.see("/"), onlooker.see("/nothing"), stranger.see("/"), onlooker.see("/assets/page.js"),
                   onlooker.do("pin", id="", seen="")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert "access-control-allow-origin" not in answer.headers


def test_no_view_has_a_script_or_a_style_of_its_own(onlooker):
    for view in (*VIEWS, f"/memory/{onlooker.house.memory('9090').id}"):
        text = onlooker.see(view).text
        assert "<style" not in text and " style=" not in text and "onclick" not in text and "javascript:" not in text
        assert text.count("<script") == text.count("<script src=") == 2


def test_script_in_every_field_of_a_memory_is_shown_as_words(house):
    house.say(SECOND_NIGHT, f"The billing gateway is called {NASTY} and listens on port 8080.")
    house.dream(SECOND_NIGHT)
    for table, column in (("memory", "reason"), ("memory", "scope"), ("observation", "conversation"), ("observation", "scope"),
                          ("fate", "reason"), ("operation", "reason"), ("run", "reason"), ("memory", "ttl"),
                          ("memory", "file")):
        _write(house, f"UPDATE {table} SET {column} = ?", f"project:{NASTY}")
    browser, page = open_page(house)
    browser.enter()
    identity = house.rows("SELECT id FROM memory")[0][0]
    run = house.rows("SELECT id FROM run")[0][0]
    for view in (*VIEWS, "/memories?status=all", f"/memories?q={'gateway'}&status=all", f"/memory/{identity}", f"/night/{run}",
                 f"/night/{run}/undo", "/memories?q=%3Cscript%3Ealert(1)%3C/script%3E&scope=%3Cscript%3E"):
        answer = browser.see(view)
        assert answer.status == 200, (view, answer.text[-600:])
        assert not [bad for bad in ("<script>", "<img", "<svg onload", "onerror=alert(2)>", "</textarea><svg")
                    if bad in answer.text], view
    page.warm.close()


def test_ten_megabytes_are_refused_before_they_are_read(onlooker):
    identity, seen = onlooker.seen("linter")
    assert onlooker.do("edit", id=identity, seen=seen, words="x" * 10_000_000).status == 413
    assert onlooker.do("edit", headers={"content-length": "5"}, id=identity, seen=seen, words="x" * 10_000_000).status == 413
    assert onlooker.see("/memories?q=" + "y" * 50_000).status == 200
    assert onlooker.house.memory("linter").text.startswith("Always run the linter")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'{"id": 7}', b'{"id": {"a": 1}}', b"\xff\xfe", b"[" * 50_000])
def test_what_is_no_object_of_words_is_refused(onlooker, body):
    answer = onlooker("POST", f"{onlooker.keys.base}/act/pin", body=body,
                     headers={"content-type": "application/json", "x-dream-token": onlooker.pen})
    assert answer.status == 400


def test_two_hundred_at_once_are_all_answered(onlooker):
    async def crowd():
        headers = {"host": onlooker.host, "cookie": "; ".join(f"{k}={v}" for k, v in onlooker.cookies.items())}
        seen = ("/memories?q=billing", "/memories", "/decide", "/assets/page.css", "/assets/page.js") * 4 + ("/",)
        paths = [onlooker.keys.base + seen[n % len(seen)] for n in range(200)]
        return await asyncio.gather(*(ask(onlooker.app, "GET", path, b"", headers) for path in paths))

    assert {answer.status for answer in asyncio.run(crowd())} == {200}


def test_a_dream_and_an_undo_go_on_while_somebody_reads(browser):
    ended = threading.Event()

    def read():
        while not ended.is_set():
            assert browser.see("/memories?q=billing").status == browser.see("/").status == 200

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    house = browser.house
    house.say("2026-01-07T09:00:00Z", "The kiln is fired every Thursday.")
    run = house.dream("2026-01-07T20:00:00Z").run
    house.undo("2026-01-07T21:00:00Z", run)
    ended.set()
    for reader in readers:
        reader.join()
    assert house.faults("2026-01-07T22:00:00Z") == []


def test_reading_changes_no_byte(browser):
    before = every_byte(browser.house.home)
    for view in (*VIEWS, "/memories?q=billing", "/memories?status=all"):
        assert browser.see(view).status == 200
    after = every_byte(browser.house.home)
    assert [name for name in after if after[name] != before.get(name) and not name.startswith("dream.db-")] == []


def test_a_socket_is_its_owners_alone_and_gone_afterwards(lived, tmp_path):
    place, told = tmp_path / "page.sock", []

    def tell(found):
        told.append((stat.S_IMODE(place.stat().st_mode), found.tunnel("desk")))

    server = threading.Thread(target=serving.serve, kwargs={
        "world": lived.world(TODAY), "path": place, "idle_s": 0.3, "tell": tell}, daemon=True)
    server.start()
    server.join(20)
    assert (server.is_alive(), place.exists()) == (False, False)
    assert told == [(0o600, f"ssh -L 8080:{place} desk")]


def _serve_at(house: House, place: Path) -> None:
    serving.serve(house.world(TODAY), path=place, idle_s=0.05, tell=lambda _: None)


def test_a_socket_left_by_a_page_that_was_killed_is_taken_over(lived, tmp_path):
    place = tmp_path / "page.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(place))
    _serve_at(lived, place)
    assert not place.exists()


@pytest.mark.parametrize("kind", ["file", "link", "directory", "busy", "long"])
def test_what_is_no_left_over_socket_stays_and_is_said(lived, tmp_path, kind):
    place = tmp_path / ("x" * 120 if kind == "long" else "page.sock")
    with socket.socket(socket.AF_UNIX) as busy:
        if kind == "busy":
            busy.bind(str(place))
            busy.listen()
        elif kind == "link":
            place.symlink_to(tmp_path / "elsewhere")
        elif kind == "directory":
            place.mkdir()
        elif kind == "file":
            place.write_text("mine")
        with pytest.raises(UsageError, match="cannot be had: [AF]"):
            _serve_at(lived, place)
    assert (kind == "long") != (place.exists() or place.is_symlink())
    assert not (tmp_path / "elsewhere").exists()


def test_what_took_the_place_of_the_socket_is_left_alone(lived, tmp_path):
    place = tmp_path / "page.sock"

    def exchange(_: object) -> None:
        place.unlink()
        place.write_text("somebody else's")

    serving.serve(lived.world(TODAY), path=place, idle_s=0.05, tell=exchange)
    assert place.read_text() == "somebody else's"


@pytest.mark.parametrize("name", ["origin", "sec-fetch-site", "content-type", "x-dream-token", "host"])
def test_a_header_that_decides_may_not_stand_twice(onlooker, name):
    identity, seen = onlooker.seen("billing API now")
    identity, seen = onlooker.seen("9090")
    own = {"origin": f"http://{onlooker.host}", "sec-fetch-site": "same-origin", "content-type": "application/json",
           "x-dream-token": onlooker.pen, "host": onlooker.host}
    once = Headers(own | {"cookie": "; ".join(f"{k}={v}" for k, v in onlooker.cookies.items())}).raw
    scope = {"type": "http", "method": "POST", "path": f"{onlooker.keys.base}/act/pin", "query_string": b"",
             "headers": [*once, (name.encode(), b"text/plain")]}
    assert asyncio.run(_answered(onlooker.app, scope, {"id": identity, "seen": seen})) in (400, 421)
    assert not onlooker.house.memory("9090").pinned


async def _answered(app, scope, said):
    sent = []

    async def receive():
        return {"type": "http.request", "body": json.dumps(said).encode(), "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"]


def test_a_port_is_of_this_machine_alone_and_closes_when_nobody_looks(lived):
    server, place = _served(lived)
    said = _sent(place.port, f"GET /?token={place.keys.entry} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 303")
    assert b"server:" not in said.lower()
    server.join(20)
    assert not server.is_alive()


def test_a_body_that_does_not_come_is_called_so_and_nothing_a_stranger_sends_is_said_aloud(lived, monkeypatch, caplog):
    monkeypatch.setattr(door, "BODY_WITHIN_S", 0.1)
    server, place = _served(lived)
    keys, head = place.keys, "Host: 127.0.0.1\r\nConnection: close\r\n"
    answers = [_sent(place.port, one) for one in (
        f"POST {keys.base}/act/pin HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: 20\r\n"
        f"Cookie: {keys.cookie}={keys.seat}\r\nX-Dream-Token: {keys.pen}\r\n\r\n{{",
        f"GET / HTTP/1.1\r\n{head}Upgrade: websocket\r\n\r\n", "\x16\x03 no request\r\n\r\n")]
    assert [one.split()[1] for one in answers] == [b"408", b"403", b"400"]
    server.join(20)
    assert [one.getMessage() for one in caplog.records] == []


def _served(lived):
    """A page on a port, and where it is to be found; it closes after half a second."""
    places = []
    server = threading.Thread(target=serving.serve, daemon=True, kwargs={
        "world": lived.world(TODAY), "idle_s": 0.5, "tell": places.append})
    server.start()
    while not places:
        time.sleep(0.01)
    return server, places[0]


def _sent(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(request.encode())
        said = b""
        while part := line.recv(4096):
            said += part
    return said


def _write(house: House, sql: str, *args: object) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(house.paths.store)) as connection, connection:
        connection.execute(sql, args)


def test_what_waits_is_there_to_be_attacked(lived):
    assert len(lived.memories(Status.HELD)) == 3
