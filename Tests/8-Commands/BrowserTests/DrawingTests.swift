import Platform
import TestSupport
import Testing

/// Drawing in the reading view: each tool's effect, with pen, finger, mouse and keys.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct DrawingTests {
    @Test @LoopActor func theToolsCoverNothingOfTheMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            _ = try await desk.openToDraw()
            for screen in Asked.some(of: Screen.all) {
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                try await browser.wait(for: Desk.isReady)
                try await browser.wait(
                    for: """
                        (() => {
                          const [a, b] = [".draw", ".stage"].map((each) => document.querySelector(each).getBoundingClientRect());
                          return !(a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1);
                        })()
                        """)
                try await browser.screenshot("draw-\(screen.name)")
            }
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func everyToolDrawsByDayAndByNight() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.openToDraw()
            try await drawWithEveryTool(desk)
            try await browser.screenshot("draw-wet")
            try await desk.waitUntilDry()
            try await browser.screenshot("draw-dry")
            try await desk.takeToolsOut()
            try await browser.run("hand.tool('Choose')")
            try await desk.draw((0.1, 0.115), (0.1, 0.115))
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'n', cancelable: true }))")
            try await browser.wait(for: "document.body.dataset.night === 'on' && \(Desk.isReady)")
            try await desk.draw((0.3, 0.5), (0.7, 0.52))
            try await browser.screenshot("draw-night")
            try await browser.run("hand.tool('Stamps')")
            try await browser.wait(for: "document.querySelector('dialog[open] .stamps')")
            try await browser.screenshot("draw-stamps")
            try await browser.expectNoComplaints()
        }
    }

    /// Draws one mark with each tool, each mark below the last.
    @LoopActor private func drawWithEveryTool(_ desk: Desk) async throws {
        let browser = desk.browser
        try await browser.run("hand.tool('Pen'); hand.tool('Red')")
        try await browser.run(
            "hand.draw(hand.line([0.1, 0.1], [0.4, 0.13], 60).map(([x, y], i) => [x, y + 0.02 * Math.sin(i / 4)]), { pressure: 0.6 })")
        try await browser.run("hand.tool('Highlighter')")
        try await desk.draw((0.5, 0.12), (0.9, 0.12))
        for (index, tool) in ["Line", "Arrow", "Box", "Ellipse"].enumerated() {
            try await browser.run("hand.tool('\(tool)')")
            let left = 0.1 + 0.2 * Double(index)
            try await desk.draw((left, 0.2), (left + 0.15, 0.26))
        }
        let stamps = try await browser.ask("return modules['stamps.js'].STAMPS.map(([name]) => name)", as: [String].self)
        try await browser.run("hand.tool('Stamps')")
        try await browser.run("document.querySelector('dialog[open]').close()")
        for (index, stamp) in stamps.enumerated() {
            try await browser.run("modules['settings.js'].settings.put('pens', 'stamp', { color: 2, width: 1, stamp: '\(stamp)' })")
            let place = (0.1 + 0.1 * Double(index % 9), 0.34 + 0.07 * Double(index / 9))
            try await desk.draw(place, place)
        }
        try await browser.run("hand.tool('Text')")
        try await desk.draw((0.1, 0.5), (0.1, 0.5))
        try await browser.wait(for: "document.activeElement.matches('textarea.ink-text')")
        try await browser.run(
            """
            document.activeElement.value = "watch the\\nrepeat";
            document.activeElement.dispatchEvent(new Event("input"));
            document.activeElement.blur();
            """)
        try await browser.run("hand.tool('White-out')")
        try await desk.draw((0.5, 0.5), (0.8, 0.5))
    }

    @Test @LoopActor func whatIsDrawnIsThereOnTheNextLoadAndInAnotherWindowAtOnce() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            let first = try await browser.tab()
            let second = try await browser.openWindow()
            try await desk.openChart(chart)
            try await browser.turn(to: first)
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100"))
            try await browser.turn(to: second)
            try await browser.wait(for: "\(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100")
            #expect(try await browser.ask("return !modules['drawing.js']"), "nobody drew here")
            try await desk.openChart(chart)
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100"))
            let marks = try await desk.kept(chart)
            #expect(marks.map(\.kind) == ["pen"] && marks[0].points.count == 30)
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func fiftyPalmsLeaveNoMark() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1024, 1366)
            let chart = try await desk.openToDraw()
            // Half of the palms are large touches. The others are small, but a pen follows each of them within half a second, so
            // they leave no mark either.
            try await browser.run(
                """
                for (let i = 0; i < 50; i += 1) {
                  const [x, y] = [0.2 + 0.012 * i, 0.5 + 0.005 * i];
                  const palm = { type: "touch", id: 100 + i, size: i % 2 ? 90 : 24 };
                  hand.tell("pointerdown", [x, y], palm);
                  for (let step = 1; step < 8; step += 1) hand.tell("pointermove", [x + 0.01 * step, y + 0.01 * step], palm);
                  if (i % 4) hand.tell("pointerup", [x + 0.08, y + 0.08], palm);
                  hand.tell("pointerdown", [0.1, 0.1 + 0.01 * i], { id: 7 });
                  hand.tell("pointermove", [0.15, 0.1 + 0.01 * i], { id: 7 });
                  if (i % 4 === 0) hand.tell("pointercancel", [x, y], palm);
                  hand.tell("pointerup", [0.15, 0.1 + 0.01 * i], { id: 7 });
                }
                """)
            try await browser.wait(for: Desk.isKept)
            let marks = try await desk.kept(chart)
            #expect(marks.count == 50 && marks.allSatisfy { $0.points.count == 2 && $0.points[0][0] == 0.1 })
            try await browser.screenshot("after-palms")
        }
    }

    @Test @LoopActor func afterAPenFingersMoveThePageUntilTheyAreAskedToDraw() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1024, 700)
            let chart = try await desk.openToDraw()
            try await desk.choose("fit", "width")
            let finger = #"{ type: "touch", id: 3, size: 20 }"#
            try await desk.draw((0.2, 0.2), (0.6, 0.2), with: finger)
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).count == 1, "there has been no pen")
            // The hand touches the page just before the pen does, and must leave no mark.
            try await browser.run(
                "hand.draw(hand.line([0.6, 0.6], [0.8, 0.7]), \(finger)); hand.draw(hand.line([0.2, 0.3], [0.6, 0.3]))")
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).map { $0.points[0][0] } == [0.2, 0.2])
            let before: Double = try await browser.ask("return document.querySelector('.stage').scrollTop")
            try await desk.draw((0.5, 0.35), (0.5, 0.25), with: #"{ type: "touch", id: 4, size: 20 }"#)
            #expect(try await browser.ask("return document.querySelector('.stage').scrollTop") > before + 20)
            try await browser.run("hand.tool('Draw with the finger')")
            try await desk.draw((0.2, 0.4), (0.6, 0.4), with: #"{ type: "touch", id: 5, size: 20 }"#)
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).count == 3)
        }
    }

    @Test @LoopActor func marksAreTakenBackErasedMovedAndPagesStillTurn() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            let red = Desk.redness(0.2, 0.28, 0.8, 0.32, of: "canvas.ink")
            #expect(try await browser.ask("return \(red) > 100"))
            try await press("z", desk)
            try await press("z", desk)
            #expect(try await browser.ask("return \(red) === 0"), "wet ink goes at once")
            try await press("y", desk)
            try await desk.waitUntilDry()
            try await desk.takeToolsOut()
            // The image shows the line now, and erasing its middle leaves two pieces.
            try await browser.run("hand.tool('Erase parts')")
            try await desk.draw((0.5, 0.25), (0.5, 0.35))
            #expect(try await browser.ask("return \(Desk.redness(0.495, 0.28, 0.505, 0.32, of: "canvas.ink")) === 0"))
            #expect(try await browser.ask("return \(red) > 100"))
            try await browser.wait(for: Desk.isKept)
            var marks = try await desk.kept(chart)
            #expect(marks.count == 2 && marks.allSatisfy { $0.points.count < 30 })
            try await browser.run("hand.tool('Choose')")
            try await browser.run("hand.draw([[0.3, 0.3], [0.3, 0.35], [0.3, 0.4]])")
            try await browser.wait(for: Desk.isKept)
            marks = try await desk.kept(chart)
            #expect(marks.filter { $0.points[0][1] > 0.39 }.count == 1)
            try await browser.run("hand.tool('Erase whole')")
            try await desk.draw((0.6, 0.25), (0.6, 0.35))
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).count == 1)
            for _ in 0..<3 { try await press("z", desk) }
            try await browser.wait(for: Desk.isKept)
            marks = try await desk.kept(chart)
            #expect(marks.count == 1 && marks[0].points.count == 30, "as it was drawn")
            try await browser.press(.pageDown)
            try await browser.wait(for: "document.body.dataset.position === '1' && \(Desk.isReady)")
            try await browser.press(.left)
            try await browser.wait(for: "document.body.dataset.position === '0' && \(Desk.isReady)")
            try await browser.expectNoComplaints()
        }
    }

    /// A mark moved off the page could never be seen again, so every move stops while a part of the mark is still on the page.
    @Test @LoopActor func aPartOfWhatIsMovedStaysOnThePage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await desk.draw((0.3, 0.3), (0.5, 0.3))
            try await desk.draw((0.3, 0.5), (0.4, 0.6))
            func areSeen() async throws -> Bool {
                let marks = try await desk.kept(chart)
                return marks.count == 2
                    && marks.allSatisfy { mark in
                        [0, 1].allSatisfy { side in
                            let places = mark.points.map { $0[side] }
                            return (places.max() ?? -1) > 0 && (places.min() ?? 2) < 1
                        }
                    }
            }
            try await browser.run("hand.tool('Choose'); hand.draw([[0.2, 0.2], [0.4, 0.4], [0.7, 0.7]])")
            for (from, to) in [([0.3, 0.3], [-3, 0.3]), ([0.01, 0.3], [0.01, -4]), ([0.01, 0.01], [5, 6])] {
                try await browser.run("hand.draw([\(from), [0.5, 0.5], \(to)])")
                try await browser.wait(for: Desk.isKept)
                #expect(try await areSeen(), "moved to \(to)")
            }
            // The movement must stop at the edge of the page: 120 steps of a key would lead beyond it.
            try await browser.run("document.querySelector('.ink-list [role=option]').focus()")
            for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] {
                try await browser.run(
                    """
                    for (let i = 0; i < 120; i += 1) {
                      document.activeElement.dispatchEvent(
                        new KeyboardEvent("keydown", { key: "\(key)", shiftKey: true, bubbles: true, cancelable: true }));
                    }
                    """)
                try await browser.wait(for: Desk.isKept)
                #expect(try await areSeen(), "\(key)")
            }
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func aMarkThatIsChosenStaysUnderTheHand() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            // The row of tools is full, with no room for another button.
            try await browser.resize(1366, 625)
            _ = try await desk.openToDraw()
            try await browser.run("hand.tool('Box')")
            try await desk.draw((0.3, 0.3), (0.5, 0.4))
            try await browser.run("hand.tool('Choose')")
            let place = "return JSON.stringify(hand.canvas().getBoundingClientRect())"
            let before: String = try await browser.ask(place)
            try await desk.draw((0.3, 0.35), (0.3, 0.35))
            try await browser.wait(for: "!document.querySelector('.draw [aria-label^=Delete]').hidden")
            #expect(try await browser.ask(place) == before)
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func aStrokeEndsWhereAPedalGoesOnWithinThePage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.openToDraw()
            try await desk.choose("fit", "width")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage').dataset.pan === 'y'")
            try await browser.run(
                """
                hand.tell("pointerdown", [0.3, 0.1]);
                hand.tell("pointermove", [0.35, 0.1]);
                dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", cancelable: true }));
                hand.tell("pointermove", [0.35, 0.5]);
                hand.tell("pointerup", [0.36, 0.5]);
                """)
            #expect(try await browser.ask("return document.querySelector('.stage').scrollTop > 0"))
            try await browser.wait(for: Desk.isKept)
            let marks = try await desk.kept(chart)
            #expect(marks.count == 1 && marks.allSatisfy { $0.points.allSatisfy { $0[1] < 0.2 } }, "\(marks)")
            // A stroke also ends when its page moves aside, for example to make room for a second page.
            try await browser.run(
                """
                document.querySelector(".stage").scrollTop = 0;
                hand.tell("pointerdown", [0.6, 0.05]);
                hand.tell("pointermove", [0.62, 0.05]);
                document.querySelector(".stage").style.left = "300px";
                hand.tell("pointermove", [0.5, 0.05]);
                hand.tell("pointerup", [0.5, 0.05]);
                document.querySelector(".stage").style.left = "";
                """)
            try await browser.wait(for: Desk.isKept)
            let both = try await desk.kept(chart)
            #expect(both.count == 2 && both.allSatisfy { $0.points.allSatisfy { $0[0] < 0.4 || $0[0] > 0.55 } }, "\(both)")
        }
    }

    @Test @LoopActor func everythingButFreehandInkIsDrawnWithKeys() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.openToDraw()
            for key in ["b", "i", "Enter", "ArrowRight", "ArrowRight", "ArrowDown", "Enter"] { try await press(key, desk) }
            for key in ["s"] { try await press(key, desk) }
            try await browser.wait(for: "document.querySelector('dialog[open] .stamps')")
            try await browser.press(.enter)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
            for key in ["ArrowDown", "ArrowDown", "Enter", "t", "ArrowLeft", "Enter"] { try await press(key, desk) }
            try await browser.wait(for: "document.activeElement.matches('textarea.ink-text')")
            try await browser.press([.h, .k, .enter])
            try await browser.wait(for: Desk.isKept)
            #expect(Set(try await desk.kept(chart).map(\.kind)) == ["rectangle", "pen", "text"])
            // Go to the marks with Tab, choose another mark, move it, and delete it.
            try await press("Escape", desk)
            try await press("v", desk)
            try await browser.run("document.querySelector('.stage').focus()")
            try await browser.press([.tab, .tab])
            try await browser.wait(for: "document.activeElement.matches('[role=option][aria-selected=true]')")
            let name: String = try await browser.ask("return document.activeElement.ariaLabel")
            try await browser.press([.right, .right])
            try await browser.wait(for: Desk.isKept)
            try await browser.screenshot("keys-only")
            try await browser.press(.backspace)
            try await browser.wait(for: Desk.isKept)
            let marks = try await desk.kept(chart)
            #expect(marks.count == 2, "without \(name)")
            for _ in 0..<3 { try await press("z", desk) }
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).count == 3)
            try await browser.expectNoComplaints()
        }
    }

    @LoopActor private func press(_ key: String, _ desk: Desk) async throws {
        try await desk.browser.run(
            "(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: '\(key)', bubbles: true, cancelable: true }))"
        )
    }
}
