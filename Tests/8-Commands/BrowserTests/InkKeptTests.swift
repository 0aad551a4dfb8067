import Foundation
import Platform
import TestSupport
import Testing

/// No drawn mark is lost, whatever program ends or hangs.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct InkKeptTests {
    @Test @LoopActor func aReloadInMidStrokeLosesNoMoreThanATenthOfASecond() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            // The script must not return a promise: if its page is replaced while the driver waits, the driver may run the script
            // again in the next page.
            try await browser.run(
                """
                window.isFormer = true;
                hand.tell("pointerdown", [0.1, 0.4]);
                const times = [];
                let i = 0;
                const step = () => {
                  i += 1;
                  hand.tell("pointermove", [0.1 + 0.01 * i, 0.4]);
                  times.push(performance.now());
                  if (i < 60) return setTimeout(step, 10);
                  // On a busy machine timers may be late, so allow for the longest pause between these steps.
                  const late = Math.max(...times.map((time, i) => time - (times[i - 1] ?? time)));
                  const lost = times.filter((time) => time > performance.now() - 100 - late).length;
                  sessionStorage.setItem("least", String(times.length + 1 - lost));
                  // End like a tab that the system kills: nothing can be saved or sent any more.
                  Storage.prototype.setItem = () => {};
                  window.fetch = () => new Promise(() => {});
                  location.reload();
                };
                step();
                """)
            try await browser.wait(for: "!window.isFormer && \(Desk.isReady) && modules['drawing.js']")
            try await browser.wait(for: Desk.isKept)
            let least: Int = try await browser.ask("return Number(sessionStorage.getItem('least'))")
            let marks = try await desk.kept(chart)
            #expect(marks.count == 1 && least > 20 && marks[0].points.count >= least, "\(marks.map(\.points.count)) of \(least)")
        }
    }

    @Test @LoopActor func anAgentThatIsKilledInMidStrokeHasItWhenItIsBack() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await browser.run("hand.line([0.2, 0.3], [0.5, 0.3]).forEach((at, i) => hand.tell(i ? 'pointermove' : 'pointerdown', at))")
            try await desk.endAgent(by: SIGKILL)
            try await browser.run(
                "hand.line([0.5, 0.3], [0.8, 0.3]).forEach((at) => hand.tell('pointermove', at)); hand.tell('pointerup', [0.8, 0.3])")
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await browser.wait(for: "document.querySelector('.banner:not([hidden])')?.textContent.includes('Kept in this browser')")
            try await browser.screenshot("agent-gone")
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32, of: "canvas.ink")) > 100"))
            try await desk.beginAgain()
            try await browser.wait(for: Desk.isKept)
            try await browser.wait(for: "document.querySelector('.banner').hidden")
            #expect(try await desk.kept(chart).map(\.points.count) == [60, 30])
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100"))
        }
    }

    /// The page is closed while the agent is away. The marks appear as soon as the chart is opened again, and are sent from there.
    @Test @LoopActor func marksWaitInTheBrowserWhileThereIsNoAgent() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await desk.endAgent()
            try await browser.run("hand.tool('Red')")
            // A mark that is undone disappears.
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            let red = Desk.redness(0.2, 0.28, 0.8, 0.32, of: "canvas.ink")
            #expect(try await browser.ask("return \(red) > 100"))
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'z', cancelable: true }))")
            #expect(try await browser.ask("return \(red) === 0"))
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.run("hand.tool('Box')")
            try await desk.draw((0.2, 0.5), (0.8, 0.6))
            #expect(try await browser.ask("return !\(Desk.isKept)"))
            try await browser.open("about:blank")
            try await desk.beginAgain()
            try await browser.open(try await desk.secretAddress())
            try await desk.openChart(chart)
            try await browser.wait(for: Desk.isKept)
            #expect(Set(try await desk.kept(chart).map(\.kind)) == ["pen", "rectangle"])
            try await browser.wait(for: "!document.querySelector('canvas.ink') && \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100")
        }
    }

    @Test @LoopActor func twoWindowsDrawAtOnceAndEachNumberIsGivenOutOnce() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            let first = try await browser.tab()
            let second = try await browser.openWindow()
            _ = try await desk.openToDraw(chart)
            for (round, window) in [first, second, first, second].enumerated() {
                try await browser.turn(to: window)
                try await browser.run(
                    """
                    for (let i = 0; i < 10; i += 1) {
                      const y = 0.1 + 0.02 * (i + 10 * \(round));
                      hand.draw(hand.line([0.1, y], [0.9, y], 12));
                    }
                    """)
            }
            for window in [first, second] {
                try await browser.turn(to: window)
                try await browser.wait(for: Desk.isKept)
            }
            let marks = try await desk.kept(chart)
            #expect(marks.count == 40)
            let numbers = marks.flatMap { mark in mark.v.map { "\($0.key) \($0.value)" } }
            #expect(Set(numbers).count == numbers.count && Set(marks.flatMap(\.v.keys)).count == 2, "each window has a name")
            // Each window shows the other window's marks.
            for window in [first, second] {
                try await browser.turn(to: window)
                try await browser.wait(
                    for: "document.querySelectorAll('.ink-list [role=option]').length === 40 || (hand.tool('Choose'), false)")
            }
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func aFullDiskIsSaidAndWhatWasDrawnWaits() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run(
                """
                const real = window.fetch;
                const words = '{"error":"the disk is full. Free some space on that disk."}';
                window.isFull = true;
                window.fetch = (path, options) => (window.isFull && options?.method === "POST" && String(path).includes("/ink")
                  ? Promise.resolve(new Response(words, { status: 507 })) : real(path, options));
                """)
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.wait(for: "document.querySelector('.banner:not([hidden])')?.textContent.includes('Free some space')")
            #expect(try await browser.ask("return !\(Desk.isKept)"))
            try await browser.screenshot("disk-full")
            try await browser.run("window.isFull = false")
            try await browser.wait(for: "\(Desk.isKept) && document.querySelector('.banner').hidden")
            #expect(try await desk.kept(chart).count == 1)
        }
    }

    /// Waiting marks are announced in one line of their own on every page, and a tap leads to them.
    @Test @LoopActor func whatWaitsIsFoundAgainAndCoversNoMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.runFirst(
                """
                const real = window.fetch;
                const words = '{"error":"the disk is full. Free some space on that disk."}';
                window.fetch = (path, options) => (options?.method === "POST" && String(path).includes("/ink")
                  ? Promise.resolve(new Response(words, { status: 507 })) : real(path, options));
                """)
            try await desk.openChart(chart)
            try await desk.takeToolsOut()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            let line = "document.querySelector('.banner:not([hidden])')"
            try await browser.wait(for: "\(line)?.textContent.includes('Free some space')")
            // While somebody draws, nothing moves by itself; a tap on the sign shows the sentence.
            try await browser.screenshot("waiting-drawing")
            #expect(try await browser.ask("return \(line).offsetWidth === 44 && document.querySelectorAll('.ink-note').length === 0"))
            try await browser.run("\(line).click()")
            let isBelow = "\(line).getBoundingClientRect().top >= document.querySelector('.stage').getBoundingClientRect().bottom - 1"
            try await browser.wait(for: "\(line).offsetWidth > 400 && \(isBelow)")
            try await browser.screenshot("waiting-drawing-tapped")

            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card') && \(line)?.textContent.includes('Free some space')")
            try await browser.screenshot("waiting-plans")
            try await browser.expectAccess("marks that wait")
            try await browser.run("[...\(line).querySelectorAll('button')].find((each) => each.textContent === 'Show them').click()")
            try await browser.wait(for: "document.body.dataset.chart === '\(chart)' && \(Desk.isReady)")
            try await browser.wait(for: "\(Desk.redness(0.2, 0.28, 0.8, 0.32, of: "canvas.ink")) > 100")
            try await browser.wait(for: isBelow)
            try await browser.screenshot("waiting-shown")
            try await desk.hideControls()
            #expect(try await browser.ask("return \(line).offsetWidth === 44"))
            try await browser.screenshot("waiting-playing")
        }
    }

    /// A refused mark stays on its page and delays no other mark.
    @Test @LoopActor func aMarkThatIsRefusedHoldsNoOtherBack() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run(
                """
                const mark = (id, width) => [id, { id, page: 0, kind: "pen", width, points: [[0.1, 0.1], [0.2, 0.1]] }];
                modules["ink-layer.js"].layerOf("\(chart)").edit([mark("bad", -5), mark("good", 0.01), mark("worse", -6)]);
                """)
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            let waiting = "Object.keys(localStorage).filter((name) => name.startsWith('woodshed-ink ')).length"
            try await browser.wait(for: "\(waiting) === 2")
            let note = "document.querySelector('.banner:not([hidden])')?.textContent"
            try await browser.wait(for: "\(note)?.startsWith('A mark on page 1 is kept in this browser only: ')")
            #expect(try await browser.ask("return \(note).includes('“width” is not above 0')"))
            #expect(try await desk.kept(chart).count == 2)
            // When the page is left, the other marks are sent without the refused ones, or the agent would refuse them all.
            try await browser.run(
                """
                window.fetch = (path, options) => {
                  if (options?.keepalive) window.last = JSON.parse(options.body).marks.map(({ id }) => id);
                  return new Promise(() => {});
                };
                """)
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await browser.run("dispatchEvent(new Event('pagehide'))")
            #expect(try await browser.ask("return window.last.length === 1 && !['bad', 'worse'].includes(window.last[0])"))
            try await browser.open(try await desk.secretAddress())
            try await desk.openChart(chart)
            try await browser.wait(for: "\(waiting) === 2")
            #expect(try await desk.kept(chart).count == 3)
        }
    }

    /// Two devices changed the same mark independently: one version is shown, and the musician can choose the other.
    @Test @LoopActor func ofTwoVersionsTheOtherOneCanBeTaken() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run(
                """
                const mark = (color, v) => ({
                  marks: [{ id: "two", page: 0, kind: "line", color, width: 0.004, points: [[0.2, 0.3], [0.8, 0.3]], created_at: "2026-01-01T00:00:00Z", v }],
                  deleted: [],
                });
                const { api } = modules["api.js"];
                return api.sendInk("\(chart)", mark("#1f4fbf", { one: 2 })).then(() => api.sendInk("\(chart)", mark("#c8102e", { other: 1 })));
                """)
            try await browser.wait(for: "document.querySelector('.banner:not([hidden])')?.textContent.includes('two places')")
            try await browser.run("hand.tool('Choose'); hand.draw([[0.5, 0.3], [0.5, 0.3]])")
            try await browser.screenshot("two-versions")
            try await browser.run("hand.tool('Take the other version')")
            try await browser.wait(for: Desk.isKept)
            let marks = try await desk.kept(chart)
            #expect(marks.map(\.color) == ["#c8102e"] && Set(marks[0].v.keys).isSuperset(of: ["one", "other"]))
            try await browser.wait(for: "document.querySelector('.banner').hidden")
        }
    }

    @Test @LoopActor func whatIsWrittenIntoTheFileMeanwhileStays() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.wait(for: Desk.isKept)
            let file = try #require(Self.file(of: desk))
            let text = String(decoding: try AtomicFile.read(file, limit: 1 << 20), as: UTF8.self)
            let byHand = ##"{"id":"by-hand","page":0,"kind":"line","color":"#cc0000","width":0.004,"points":[[0.2,0.7],[0.8,0.7]]},"##
            try AtomicFile.write(text.replacing(#/"marks": ?\[/#) { _ in "\"marks\":[\(byHand)" }, to: file)
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await browser.wait(for: Desk.isKept)
            #expect(Set(try await desk.kept(chart).map(\.kind)) == ["line", "pen"])
            try await browser.wait(for: "\(Desk.redness(0.2, 0.69, 0.8, 0.71)) > 100")
        }
    }

    /// The path of the layer that the viewer wrote.
    private static func file(of desk: Desk) -> String? {
        let folder = desk.home.path("data/annotations")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.first { $0.hasSuffix(".marks.json") }.map { "\(folder)/\($0)" }
    }
}
