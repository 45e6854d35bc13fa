"""browser-use's own view of pages: its text, what it lists in the window, and how many tokens that and our text are.

Reads a list of pages, each with our texts, from a file and writes one JSON list to standard output. The library talks on
standard output as well, so the result goes to the descriptor that was there at the start.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

OUT = os.dup(1)
os.dup2(2, 1)
os.environ.update(ANONYMIZED_TELEMETRY="false", BROWSER_USE_LOGGING_LEVEL="critical", BROWSER_USE_VERSION_CHECK="false")

from browser_use import BrowserProfile, BrowserSession  # noqa: E402
from browser_use.agent.prompts import AgentMessagePrompt  # noqa: E402
from browser_use.filesystem.file_system import FileSystem  # noqa: E402
from rs_bpe.bpe import openai  # noqa: E402

WIDTH, HEIGHT = 1920, 1200
NATIVE = {"a", "button", "input", "select", "textarea", "summary"}
TOKENIZER = openai.o200k_base()


def tokens(text):
    return len(TOKENIZER.encode(text))


def controls(state):
    """Native controls that it numbers and that are in the window: what they are and where their middle is."""
    found = []
    for index, node in state.dom_state.selector_map.items():
        place = node.absolute_position
        if node.tag_name.lower() not in NATIVE or place is None or place.width <= 0 or place.height <= 0:
            continue
        x, y = place.x + place.width / 2, place.y + place.height / 2
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            name = node.attributes.get("aria-label") or node.attributes.get("name") or node.get_all_children_text()[:60]
            found.append({"index": index, "tag": node.tag_name.lower(), "name": name, "x": x, "y": y, "width": place.width, "height": place.height})
    return found


async def view(session, files):
    state = await session.get_browser_state_summary(include_screenshot=False)
    prompt = AgentMessagePrompt(browser_state_summary=state, file_system=files)
    return state, prompt._get_browser_state_description()


async def evaluate(session, expression):
    cdp = await session.get_or_create_cdp_session()
    answer = await cdp.cdp_client.send.Runtime.evaluate(
        params={"expression": expression, "returnByValue": True}, session_id=cdp.session_id
    )
    return answer["result"].get("value")


async def measure(session, files, page):
    await session.navigate_to(page["url"])
    await asyncio.sleep(1.5)
    size = await evaluate(session, "[innerWidth, innerHeight]")
    if size != [WIDTH, HEIGHT]:
        raise SystemExit(f"the window is {size}")
    state, text = await view(session, files)
    listed = controls(state)
    await evaluate(session, "change()")
    await asyncio.sleep(0.5)
    _, changed = await view(session, files)
    return {
        "page": page["page"],
        "peer_tokens": tokens(text),
        "peer_changed_tokens": tokens(changed),
        "our_tokens": tokens(page["text"]),
        "our_changed_tokens": tokens(page["changed"]),
        "controls": listed,
        "peer_text": text,
    }


async def main():
    pages = json.loads(Path(sys.argv[3]).read_text())
    folder = Path(sys.argv[1])
    profile = BrowserProfile(
        executable_path=sys.argv[2], headless=True, chromium_sandbox=False, user_data_dir=str(folder / "profile"),
        viewport={"width": WIDTH, "height": HEIGHT}, window_size={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1,
        enable_default_extensions=False, keep_alive=False,
    )
    session = BrowserSession(browser_profile=profile)
    await session.start()
    try:
        files = FileSystem(str(folder / "files"))
        measured = [await measure(session, files, page) for page in pages]
    finally:
        await session.kill()
    os.write(OUT, json.dumps(measured).encode())


asyncio.run(main())
