import Platform
import TestSupport
import Testing

/// Symbols are named where there is room, and at a long press elsewhere; and whatever there is can be reached.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SymbolTests {
    private static let night = "modules['settings.js'].settings.get('night')"

    /// The visible names of some symbols, each with a note if the name does not fit in.
    private static func names(_ symbols: String) -> String {
        """
        [...document.querySelectorAll("\(symbols)")].filter((each) => each.checkVisibility()).map((each) => {
          const { content } = getComputedStyle(each, "::after");
          const fits = each.scrollWidth <= each.clientWidth + 1 && each.scrollHeight <= each.clientHeight + 1;
          // Not every version of the browser tells what the attribute holds.
          const name = content.replace("attr(aria-label)", `"${each.ariaLabel}"`);
          return name === "none" ? "" : name.slice(1, -1) + (fits ? "" : " (cut)");
        })
        """
    }

    @Test @LoopActor func symbolsHaveTheirNamesWhereThereIsRoom() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await desk.openToDraw()
            let labels = { (symbols: String) in
                "[...document.querySelectorAll('\(symbols)')].filter((each) => each.checkVisibility()).map((each) => each.ariaLabel)"
            }
            for (width, height, inBar, whileDrawing) in [(1366, 768, true, false), (1920, 1080, true, true), (820, 1180, false, false)] {
                try await browser.resize(width, height)
                _ = try await desk.openToDraw(chart)
                for (symbols, areNamed) in [(".bar .tool", inBar), (".draw .tool", whileDrawing)] {
                    let all: [String] = try await browser.ask("return \(labels(symbols))")
                    let named: [String] = try await browser.ask("return \(Self.names(symbols))")
                    #expect(all.count >= 10 && named == (areNamed ? all : all.map { _ in "" }), "\(width)")
                }
                #expect(try await browser.ask("return document.querySelector('.bar-title').clientWidth > 150"), "\(width)")
                try await browser.run("hand.tool('Stamps')")
                try await browser.wait(for: "document.querySelector('dialog[open] .stamps')")
                let stamps: [String] = try await browser.ask("return modules['stamps.js'].STAMPS.map(([, words]) => words)")
                #expect(try await browser.ask("return \(Self.names(".stamps .tool"))") == stamps, "\(width)")
                try await browser.screenshot("symbols-\(width)")
            }
        }
    }

    @Test @LoopActor func aLongPressNamesASymbolAndDoesNothingElse() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(820, 1180)
            _ = try await desk.openToDraw()
            let name = "document.querySelector('.symbol-name')?.textContent"
            for (symbol, words) in [(".bar [aria-label=Night]", "Night"), (".draw [aria-label=Ellipse]", "Ellipse")] {
                try await browser.run(
                    """
                    window.symbol = document.querySelector("\(symbol)");
                    window.press = (kind) => symbol.dispatchEvent(
                      new PointerEvent(kind, { bubbles: true, cancelable: true, pointerType: "touch", detail: kind === "click" ? 1 : 0 }));
                    press("pointerdown");
                    """)
                try await browser.wait(for: "\(name) === '\(words)'")
                let covers: Bool = try await browser.ask(
                    """
                    const [a, b] = [document.querySelector(".symbol-name"), symbol].map((each) => each.getBoundingClientRect());
                    const isHere = a.left >= 0 && a.top >= 0 && a.right <= innerWidth && a.bottom <= innerHeight;
                    return !isHere || (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);
                    """)
                #expect(!covers, "\(words) is on the screen, beside its symbol")
                try await browser.screenshot("symbol-\(words)")
                // Some browsers send a click, too.
                try await browser.run("press('pointerup'); press('click')")
                #expect(try await browser.ask("return document.querySelector('.symbol-name') === null"))
                #expect(try await browser.ask("return symbol.getAttribute('aria-pressed')") == "false")
            }
            #expect(try await browser.ask("return \(Self.night)") == false)
            // The next tap is an ordinary one.
            let middle: [Double] = try await browser.ask(
                """
                const { left, top, width, height } = document.querySelector(".bar [aria-label=Night]").getBoundingClientRect();
                return [left + width / 2, top + height / 2];
                """)
            try await browser.touch(x: Int(middle[0]), y: Int(middle[1]), by: (0, 0), for: 30)
            try await browser.wait(for: Self.night)
        }
    }

    /// A phone has its tools at the foot, so they have no other side; and a choice of three is seen at once.
    @Test @LoopActor func onAPhoneTheWidthsAreOneRowAndNothingIsUseless() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await desk.openToDraw()
            for width in [320, 390] {
                try await browser.resize(width, 844)
                _ = try await desk.openToDraw(chart)
                let tops: [Double] = try await browser.ask(
                    "return [0, 1, 2].map((i) => document.querySelector(`.draw .width-${i}`).getBoundingClientRect().top)")
                #expect(Set(tops).count == 1, "\(width): \(tops)")
                let hand = "document.querySelector('.draw [aria-label^=\"Tools on\"]').checkVisibility()"
                #expect(try await browser.ask("return \(hand)") == false)
                try await browser.screenshot("phone-tools-\(width)")
            }
        }
    }

    /// A browser that enlarges everything to 200 % leaves a laptop's screen half of its width and height.
    @Test @LoopActor func everythingIsReachedAtTwiceTheSize() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(683, 384, scale: 2)
            _ = try await desk.play()
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.querySelector('.bar-where').textContent.startsWith('Song 2 of') && \(Desk.isReady)")
            try await browser.press(.tab)
            let isOut = """
                const isOut = (each) => {
                  const { left, top, right, bottom } = each.getBoundingClientRect();
                  return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
                };
                const seen = (parts) => [...document.querySelectorAll(parts)].filter((each) => each.checkVisibility());
                """
            let beyond: [String] = try await browser.ask(
                "\(isOut) return seen('.bar button').filter(isOut).map((each) => each.ariaLabel ?? each.textContent)")
            #expect(beyond == [])
            #expect(try await browser.ask("return document.querySelector('.bar-title').clientWidth > 100"))
            try await browser.screenshot("twice-the-size")
            try await desk.takeToolsOut()
            // The tools may have to be scrolled.
            let lost: [String] = try await browser.ask(
                """
                \(isOut)
                return seen(".draw button").filter((each) => {
                  each.scrollIntoView({ block: "nearest", inline: "nearest" });
                  return isOut(each);
                }).map((each) => each.ariaLabel);
                """)
            #expect(lost == [])
        }
    }
}
