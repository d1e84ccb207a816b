#!/usr/bin/env python3
"""Opens a page in headless Chromium and says what happened, as `name value` lines.

  chromium_page.py PAGE.html SCREENSHOT.png [--no-script] [--dark] [--zoom-early] [--paper]

Speaks the DevTools protocol over a pipe (file descriptors 3 and 4), so that nothing but Python and
Chromium is needed and no port is opened.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT_S = 60
ZOOM = """(() => {
  const charts = window.rawtpsCharts.filter((u) => u.rawtps.group === 'time');
  return JSON.stringify(charts.map((u) => [u.scales.x.min, u.scales.x.max]));
})()"""
# until the window shows what was drawn first; until nothing is left to draw
SHOWN = "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"
COMPLETE = """new Promise((done) => {
  const look = () => window.rawtpsUndrawn.length === 0 ? done() : setTimeout(look, 5);
  look();
})"""
# narrows what the first chart over time shows while others are not drawn yet; says how many
NARROW = """(() => {
  const u = window.rawtpsCharts.find((u) => u.rawtps.group === 'time');
  u.setScale('x', {min: u.data[0][0], max: u.data[0][u.data[0].length >> 2]});
  return window.rawtpsUndrawn.filter(([chart]) => chart.group === 'time').length;
})()"""
WHOLE = """(() => {
  const u = window.rawtpsCharts.find((u) => u.rawtps.group === 'time');
  u.setScale('x', {min: u.data[0][0], max: u.data[0][u.data[0].length - 1]});
})()"""
# charts whose right end is cut off on paper, of all: printing lays the page out anew, narrower,
# and asks no script how
CUT = """(() => {
  const all = [...document.querySelectorAll('canvas')];
  document.body.style.width = '718px';
  const right = document.body.getBoundingClientRect().right;
  const cut = all.filter((c) => c.getBoundingClientRect().right > right + 1).length;
  document.body.style.width = '';
  return cut + ' of ' + all.length;
})()"""
# no chart has a value in view any more: how long until the browser answers, in ms
HIDE = """(() => {
  const begun = performance.now();
  for (const u of window.rawtpsCharts) for (let i = 1; i < u.series.length; i++) {
    u.setSeries(i, {show: false});
  }
  return new Promise((r) => requestAnimationFrame(() => r(Math.round(performance.now() - begun))));
})()"""
PLACE = """(() => {
  const over = document.querySelector('.plot .u-over');
  over.scrollIntoView({block: 'center'});
  const box = over.getBoundingClientRect();
  return JSON.stringify([box.left, box.top, box.width, box.height]);
})()"""
DRAWN = """(() => {
  let drawn = 0;
  for (const canvas of document.querySelectorAll('canvas')) {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] << 16) + (data[i + 1] << 8) + data[i + 2]);
      if (seen.size > 8) break;
    }
    drawn += seen.size > 8 ? 1 : 0;
  }
  return drawn + ' of ' + document.querySelectorAll('canvas').length;
})()"""


class Browser:
    """One browser, one page, what it said meanwhile."""

    def __init__(self, program, folder):
        to_browser, self.out = os.pipe()
        self.inn, from_browser = os.pipe()
        high_in, high_out = os.dup(to_browser), os.dup(from_browser)

        def settle():
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", f"--user-data-dir={folder}", "--remote-debugging-pipe",
             "--window-size=1280,1600", "about:blank"],
            preexec_fn=settle, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for fd in (to_browser, from_browser, high_in, high_out):
            os.close(fd)
        self.last, self.buffer, self.events, self.session = 0, b"", [], None

    def read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.inn, 1 << 20)
            if not piece:
                raise RuntimeError("the browser went away")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while True:
            for event in self.events:
                if event.get("method") == method:
                    return event
            self.events.append(self.read())

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"]
        return result.get("value", result.get("description"))

    def mouse(self, kind, x, y, buttons):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=buttons, clickCount=1)


def drag(browser):
    left, top, width, height = json.loads(browser.value(PLACE))
    y = top + height / 2
    browser.mouse("mouseMoved", left + width * 0.25, y, 0)
    browser.mouse("mousePressed", left + width * 0.25, y, 1)
    for share in (0.3, 0.4, 0.5):
        browser.mouse("mouseMoved", left + width * share, y, 1)
    browser.mouse("mouseReleased", left + width * 0.5, y, 0)
    time.sleep(0.3)


def look(browser, page, picture, flags):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target,
                                   flatten=True)["sessionId"]
    for domain in ("Runtime", "Log", "Network", "Page", "DOM"):
        browser.call(domain + ".enable")
    browser.call("Performance.enable", timeDomain="threadTicks")
    if "--no-script" in flags:
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
    if "--dark" in flags:
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
    url = "file://" + os.path.abspath(page)
    begun = time.monotonic()
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")
    print("load_ms", round((time.monotonic() - begun) * 1000))
    if "--no-script" not in flags:
        browser.call("Runtime.evaluate", expression=SHOWN, awaitPromise=True)
        print("shown_ms", round((time.monotonic() - begun) * 1000))
        if "--zoom-early" in flags:
            print("undrawn", browser.value(NARROW))
        browser.call("Runtime.evaluate", expression=COMPLETE, awaitPromise=True)
        print("complete_ms", round((time.monotonic() - begun) * 1000))
    metrics = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
    print("cpu_ms", *(f"{name[:-8].lower()} {metrics[name] * 1000:.0f}"
                      for name in ("TaskDuration", "ScriptDuration", "LayoutDuration")))
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    for name, selector in (("tables", "table"), ("svgs", "svg"), ("canvases", "canvas")):
        found = browser.call("DOM.querySelectorAll", nodeId=root, selector=selector)
        print(name, len(found["nodeIds"]))
    if "--no-script" not in flags:
        print("drawn", browser.value(DRAWN))
        print("background", browser.value("getComputedStyle(document.body).backgroundColor"))
        print("hostile", browser.value("String(window.hostile)"))
        if "--zoom-early" in flags:
            print("early", browser.value(ZOOM))
            browser.value(WHOLE)
            time.sleep(0.3)
        print("before", browser.value(ZOOM))
        drag(browser)
        print("after", browser.value(ZOOM))
        if "--paper" in flags:
            browser.call("Emulation.setEmulatedMedia", media="print")
            print("cut", browser.value(CUT))
            browser.call("Emulation.setEmulatedMedia", media="")
            hidden = browser.call("Runtime.evaluate", expression=HIDE, awaitPromise=True,
                                  returnByValue=True)["result"]
            print("hidden_ms", hidden.get("value"))
    shot = browser.call("Page.captureScreenshot", format="png")["data"]
    with open(picture, "wb") as file:
        file.write(base64.b64decode(shot))
    print("screenshot_bytes", os.path.getsize(picture))
    requests = [e["params"]["request"]["url"] for e in browser.events
                if e.get("method") == "Network.requestWillBeSent"]
    print("requests", len([r for r in requests if r != url]), *[r for r in requests if r != url])
    said = [json.dumps(e["params"])[:400] for e in browser.events
            if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (e.get("method") == "Runtime.consoleAPICalled"
                and e["params"]["type"] in ("error", "warning", "assert"))]
    print("errors", len(said), *said)


def main():
    flags = [a for a in sys.argv[1:] if a.startswith("--")]
    page, picture = [a for a in sys.argv[1:] if not a.startswith("--")]
    program = next(filter(None, map(shutil.which, (
        "chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory(dir=".", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, os.path.abspath(folder))
        try:
            look(browser, page, picture, flags)
        finally:
            browser.process.terminate()
            browser.process.wait(TIMEOUT_S)


if __name__ == "__main__":
    main()
