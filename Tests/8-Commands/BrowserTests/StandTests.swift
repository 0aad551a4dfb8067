import DemoService
import Foundation
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The chart on the stand stays there when it is changed elsewhere.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct StandTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let card = "document.querySelector('.stage .card')"
    private static let banner = "document.getElementById('banner')"

    /// Whether the screen looks like this page, and less like any other.
    @LoopActor private func isShown(_ stop: Witness.Stop, _ witness: Witness) async throws -> Bool {
        let own = try await witness.distance(stop, marked: true)
        for other in try await witness.stops() where other != stop {
            guard try await own < witness.distance(other, marked: true) else { return false }
        }
        return own < 5
    }

    @Test @LoopActor func aChartThatWasReplacedIsOfferedAndNeverSwapped() async throws {
        try await Desk.use(fullSize: 1200) { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            let former = try await desk.folder(of: stop.chart)
            try desk.service.edit(.replaceChartWith(attachment: stop.chart, other: "amazing-grace-lead-g"))
            try await desk.run(["sync"])
            try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
            #expect(try await desk.folder(of: stop.chart) != former)
            #expect(try await isShown(stop, witness))

            // Enlarging the page requests a sharper image of the version on the stand. The agent refuses it (410), and the new
            // version must not appear instead.
            try await browser.run(
                """
                const post = Worker.prototype.postMessage;
                window.live = [];
                Worker.prototype.postMessage = function (message, ...rest) {
                  if (message.src?.startsWith("/live/")) {
                    this.addEventListener("message", ({ data }) => data.id === message.id && window.live.push(data.status ?? 200));
                  }
                  post.call(this, message, ...rest);
                };
                """)
            try await browser.press(.plus)
            try await browser.wait(for: "window.live.length > 0")
            #expect(try await browser.ask("return window.live") == [410])
            #expect(try await isShown(stop, witness))
            try await browser.screenshot("replaced-zoomed")
            try await browser.press(.zero)

            // Marks on the new version must not appear on the old one.
            try await browser.run(
                """
                window.heard = 0;
                new EventSource("/api/events").addEventListener("page", () => { window.heard += 1; });
                """)
            try desk.save(
                ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##, on: stop.chart)
            try await browser.wait(for: "window.heard > 0 && \(Self.isReady)")
            #expect(try await isShown(stop, witness))

            // Remove the images of the former version from the agent and from the browser.
            try FileManager.default.removeItem(atPath: desk.home.path("cache/pages/\(former)"))
            try await browser.forgetImages()
            try await browser.press(.end)
            try await browser.wait(for: "document.body.dataset.state === 'failed' && \(Self.card)")
            #expect(
                try await browser.ask("return \(Self.card).textContent.includes('belongs to an older version that is no longer kept')"))
            #expect(try await browser.ask("return document.body.dataset.position") == "6")
            #expect(try await browser.ask("return document.querySelectorAll('.offer:not([data-name^=older])').length") == 1)
            try await browser.screenshot("replaced-page-gone")
            try await browser.press(.home)
            try await browser.wait(for: "document.body.dataset.position === '0' && \(Self.isReady)")
            #expect(try await isShown(stop, witness))

            try await browser.press(.end)
            try await browser.wait(for: Self.card)
            try await browser.run("\(Self.card).querySelector('button').click()")
            try await browser.wait(
                for:
                    "document.body.dataset.position === '0' && \(Self.isReady) && !document.querySelector('.offer:not([data-name^=older])')"
            )
            #expect(try await !isShown(stop, witness))
            try await browser.screenshot("replaced-taken")
            try await browser.press(.plus)
            try await browser.wait(for: "window.live.length > 1")
            #expect(try await browser.ask("return window.live") == [410, 200])
        }
    }

    @Test @LoopActor func aChartThatCannotBeOpenedSaysWhy() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await browser.run(
                """
                const real = window.fetch;
                const refusal = '{"error":"This chart asks for a password; save it again without one."}';
                window.fetch = (path, options) =>
                  String(path).startsWith("/api/chart/locked") ? Promise.resolve(new Response(refusal, { status: 503 })) : real(path, options);
                history.pushState({}, "", "/chart/locked?page=1");
                dispatchEvent(new Event("woodshed:route"));
                """)
            try await browser.wait(for: "\(Self.card)?.textContent.includes('asks for a password; save it again without one.')")
            #expect(try await !browser.ask("return \(Self.card).textContent.includes('503')"))
            try await browser.screenshot("locked")
        }
    }

    @Test @LoopActor func anOpenTabGoesOnAfterARestart() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            try await desk.endAgent()
            try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed’s agent does not answer')")
            try await desk.beginAgain()
            try await browser.wait(for: "\(Self.banner).hidden")
            // The tab's images come from the new agent, and the agent accepts its reports.
            try await browser.forgetImages()
            try await browser.press(.end)
            try await browser.wait(for: "document.body.dataset.position === '6' && \(Self.isReady)")
            try await browser.run("return modules['api.js'].api.sync()")
            try await browser.press(.home)
            try await browser.wait(for: "document.body.dataset.position === '0' && \(Self.isReady)")
            // On a busy machine the image may come late, and an older image is shown until then.
            try await waitUntil { try await isShown(stop, witness) }
        }
    }

    /// The agent that signed this tab in has ended, and the new agent lacks the key by which it would recognise the tab.
    @Test @LoopActor func aTabThatIsNotKnownAnyMoreSaysSoAndComesBackByItself() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            try await desk.endAgent()
            try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed’s agent does not answer')")
            try FileManager.default.removeItem(atPath: desk.home.path("runtime/viewer-key"))
            try await desk.beginAgain()
            try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed was restarted: run “woodshed open”')")
            #expect(try await isShown(stop, witness), "what is loaded stays")
            try await browser.screenshot("stranger")

            try await browser.forgetImages()
            try await browser.press(.end)
            try await browser.wait(for: Self.card)
            #expect(try await browser.ask("return \(Self.card).textContent.includes('must sign in again')"))
            #expect(try await browser.ask("return \(Self.card).querySelector('button') === null"), "trying again would not help")
            try await browser.screenshot("stranger-page")
            try await browser.resize(390, 844, scale: 2)
            try await browser.screenshot("stranger-phone")
            try await browser.resize(900, 1200)

            let invitation = try await desk.secretAddress()
            let status: Int = try await browser.ask("return fetch(arguments[0]).then((reply) => reply.status)", [invitation])
            #expect(status == 200)
            try await browser.wait(for: "\(Self.banner).hidden && document.body.dataset.position === '6' && \(Self.isReady)")
            // The agent accepts the page's reports, even if several are sent before the page detects that the agent is a new one.
            try await browser.run("const { api } = modules['api.js']; return Promise.all([api.sync(), api.sync(), api.sync()])")
        }
    }

    @Test @LoopActor func anImageThatCameDamagedIsToldAndFetchedAnew() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let stop = try #require(stops.last { $0.chart == stops[0].chart })
            let sources: [String] = try await browser.ask(
                """
                return fetch("/api/chart/\(stop.chart)").then((reply) => reply.json())
                  .then(({ pages }) => [pages[6].annotated.src, pages[6].plain.src]);
                """)
            let files = Set(sources.map { desk.home.path("cache" + $0) })
            for file in files {
                var bytes = try AtomicFile.read(file, limit: 10 << 20)
                let middle = bytes.count / 3..<bytes.count * 2 / 3
                bytes.replaceSubrange(middle, with: repeatElement(0x55, count: middle.count))
                try Data(bytes).write(to: URL(filePath: file))
            }
            try await browser.forgetImages()
            try await browser.run(
                """
                const fetched = window.fetch;
                window.told = [];
                window.fetch = (path, options) => {
                  // An agent that gets this report might repair the image before the browser fetches it.
                  if (path === "/api/select") return Promise.resolve(new Response("{}"));
                  if (path === "/api/damaged") window.told.push(JSON.parse(options.body).page);
                  return fetched(path, options);
                };
                """)
            try await browser.press(.end)
            try await browser.wait(for: "window.told.length > 0")
            #expect(try await browser.ask("return window.told[0]") == sources[0])
            // The browser's cache keeps the damaged image for ever, and the agent soon has a whole one. Until then, the page may
            // be shown without its marks, as the hint explains.
            try await browser.wait(
                for: "document.body.dataset.position === '6' && \(Self.isReady) && document.querySelector('.hint').hidden")
            #expect(try await isShown(stop, witness))
        }
    }

    @Test @LoopActor func aPlanWithoutChartsSaysSo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            // Only a header is left in the plan.
            try desk.service.edit(.shrinkPlan(plan: "67810002", keep: 1))
            try await desk.run(["sync"])
            #expect(try await desk.run(["accept", "67810002", "--yes"]).exit == .code(0))
            let words = "document.querySelector('.readiness')?.textContent === 'No charts in this plan'"
            try await desk.visit("/")
            try await browser.wait(for: words)
            try await browser.screenshot("plans-without-charts")
            try await desk.visit("/plan/67810002")
            try await browser.wait(for: words)
            try await browser.screenshot("plan-without-charts")
        }
    }
}
