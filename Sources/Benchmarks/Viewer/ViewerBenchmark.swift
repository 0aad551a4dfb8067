import DemoService
import Glibc
import Platform
import WebDriver

/// How fast a browser gets the pages that it asks the agent for, and how that compares with an ordinary web server.
enum ViewerBenchmark {
    private static let coldStarts = 11
    /// At least this many pages wait to be drawn while a page is selected.
    private static let pagesWaiting = 100
    private static let rateRounds = 7
    private static let rateMilliseconds = 1000.0

    @Sendable
    static func run(_ request: BenchmarkRequest) throws -> BenchmarkReport {
        let missing = (ChromiumDriver.isInstalled ? [] : ["chromedriver"]) + (Nginx.isInstalled ? [] : ["nginx"])
        let measured = try onLoop { try await measure() }
        return BenchmarkReport("viewer", missing: missing, figures: measured.figures, notes: notes, details: [measured.details])
    }

    @LoopActor
    private static func measure() async throws -> (figures: [Figure], details: DetailTable) {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let service = try DemoService.start(limit: .generous)
        defer { service.stop() }
        let (home, port) = (scratch.path + "/home", try WebConnection.freePort())
        try ViewedAgent.configure(home, service, port: port)
        let filling = try await ViewedAgent(home: home, port: port, log: scratch.path + "/filling.log")
        await filling.end()
        let cold = try await ColdStart.measure(home: home, port: port, runs: coldStarts, log: scratch.path + "/cold")

        var figures: [Figure] = []
        var rows: [[String]] = []
        if ChromiumDriver.isInstalled {
            let agent = try await ViewedAgent(home: home, port: port, log: scratch.path + "/browsed.log")
            let times = try await agent.browse(place: scratch.path + "/browser") { browser in
                try await browser.open(try agent.invitation())
                return try await TurnTimes(of: ViewedPage.all(of: agent, on: WebConnection(port: port)), by: browser)
            }
            figures += times.figures + (try await PlayedPlan.measure(agent, place: scratch.path + "/player"))
            await agent.end()
            rows += times.rows("decoded by Chromium")
        }
        let agent = try await ViewedAgent(home: home, port: port, log: scratch.path + "/asked.log")
        let pages = try ViewedPage.all(of: agent, on: WebConnection(port: port))
        let bytes = try TurnTimes(of: pages, from: agent, decodes: false)
        await agent.end()
        rows += bytes.rows("until the last byte")
        let other = try await ViewedAgent(home: home, port: port, log: scratch.path + "/decoded.log")
        let decoded = try TurnTimes(of: pages, from: other, decodes: true)
        if figures.isEmpty { figures += decoded.figures }
        rows += decoded.rows("decoded by libpng")
        // A page that is on screen is in memory.
        let connection = try WebConnection(port: port)
        try connection.ask(other.post("/api/select", pages[0].selection))
        guard connection.status == 200 else { throw BenchmarkFailure("a selection is answered \(connection.status)") }
        figures += try await rates("cached", of: pages[0], from: other, home: home, place: scratch.path + "/nginx")
        await other.end()

        try ViewedAgent.configure(home, service, port: port, more: "cache:\n  memory: 0 MB")
        let filler = pages[pages.count - 1].chart
        try service.edit(.replaceChart(attachment: filler, bytes: BlankPDF.bytes(size: 100_000, number: 0, pages: pagesWaiting)))
        let forgetful = try await ViewedAgent(home: home, port: port, log: scratch.path + "/forgetful.log")
        figures += try await rates("file", of: pages[0], from: forgetful, home: home, place: scratch.path + "/nginx2")
        let race = try await SelectionRace(
            forgetful, ViewedPage.all(of: forgetful, on: WebConnection(port: port)), besides: filler)
        await forgetful.end()
        figures += race.figures + [Figure("pages_waiting", unit: "pages", runs: [Double(race.waiting)])]
        return (
            figures + ColdStart.figures(cold),
            DetailTable(title: "from the request for a page of the demo's plans", columns: TurnTimes.columns, rows: rows)
        )
    }

    /// One page again and again, in turn with nginx.
    @LoopActor
    private static func rates(
        _ name: String, of page: ViewedPage, from agent: ViewedAgent, home: String, place: String
    ) async throws -> [Figure] {
        let port = try WebConnection.freePort()
        let nginx = Nginx.isInstalled ? try await Nginx.start(serving: home + "/cache", port: port, place: place) : nil
        let size = try AtomicFile.read(home + "/cache" + page.address, limit: 64 << 20).count
        let theirRequest = Array("GET \(page.address) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: image/png,*/*\r\n\r\n".utf8)
        var figures: [Figure] = []
        for count in [1, 8] {
            let ours = try RequestRate(port: agent.port, connections: count, request: agent.get(page.address), size: size)
            let theirs =
                nginx == nil ? nil : try RequestRate(port: port, connections: count, request: theirRequest, size: size)
            var (rates, peers) = ([Double](), [Double]())
            for _ in 0..<rateRounds {
                rates.append(try ours.perSecond(for: rateMilliseconds))
                if let theirs { peers.append(try theirs.perSecond(for: rateMilliseconds)) }
            }
            figures.append(Figure("\(name)_rps@\(count)", unit: "requests/s", runs: rates))
            guard theirs != nil else { continue }
            figures.append(Figure("\(name)_rps_nginx@\(count)", unit: "requests/s", runs: peers))
            figures.append(
                Figure("\(name)_rps/nginx" + (count == 1 ? "" : "@\(count)"), unit: "ratio", runs: zip(rates, peers).map { $0 / $1 }))
        }
        await nginx?.end()
        return figures + [Figure("\(name)_page_kib", unit: "KiB", runs: [Double(size) / 1024])]
    }

    private static let notes = [
        "turn_*: from the request to the decoded image, by Chromium where chromedriver is installed, else by libpng; the table has both. "
            + "A turn asks for the page after the one that was selected. The images are the annotated ones of the demo's charts.",
        "played_turn: from the key to the frame that shows the page, in the viewer itself, on a screen of so many CSS pixels by device pixels; "
            + "a turn each 300 ms through the demo's next plan and back. shell_*: what the viewer loads before the first page of music, but "
            + "for what it asks the agent. plan_in_browser: from opening the plan until all its images are in the browser.",
        "Live pages are drawn for each request. disk: no page was selected since the agent began.",
        "select_live: from the selection of a chart's first page to its last byte, when the cache is empty and all else of it is being "
            + "drawn; render_alone: the same while the agent pauses. Limit: 1.2 times and 10 ms. To the demo's pages 100 blank ones are added.",
        "cached_rps: one page that is in the agent's memory, file_rps: one that is not, by one client for both servers, over 1 and 8 kept "
            + "connections; nginx has one worker, sendfile and no log.",
        "cold_start: from starting the process until it answered a browser and the control socket; looked at every half millisecond.",
    ]
}
