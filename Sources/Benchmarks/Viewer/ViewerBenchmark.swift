import DemoService
import Glibc
import Platform
import WebDriver

/// How fast a browser gets the pages that it asks the agent for, and how that compares with an ordinary web server.
@LoopActor
struct ViewerBenchmark {
    /// At least this many pages wait to be drawn while a page is selected.
    private static let pagesWaiting = 100

    private let folder: String
    private let home: AgentHome
    private let isQuick: Bool
    private let nginx = RunningProgram.find("nginx")

    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let service = try DemoService.start(limit: .generous)
        defer { service.stop() }
        let benchmark = ViewerBenchmark(folder: folder, home: try AgentHome(in: folder, service), isQuick: request.isQuick)
        return try await benchmark.report(service)
    }

    private init(folder: String, home: AgentHome, isQuick: Bool) {
        self.folder = folder
        self.home = home
        self.isQuick = isQuick
    }

    private func report(_ service: DemoService) async throws -> BenchmarkReport {
        await (try await home.start()).end()
        let cold = try await home.coldStarts(runs: isQuick ? 3 : 11)
        var turns: [(String, TurnTimes)] = []
        var figures: [Figure] = []
        if ChromiumDriver.isInstalled {
            let agent = try await ViewedAgent(home)
            let times = try await agent.browse(place: folder + "/browser") { browser in
                try await browser.open(try agent.invitation())
                return try await TurnTimes(of: agent.pages(), by: browser, isQuick: isQuick)
            }
            turns.append(("decoded by Chromium", times))
            figures += try await PlayedPlan.measure(agent, place: folder + "/player", mostTurns: isQuick ? 5 : 10_000)
            await agent.end()
        }
        let asked = try await ViewedAgent(home)
        let pages = try asked.pages()
        turns.append(("until the last byte", try TurnTimes(of: pages, from: asked, decodes: false, isQuick: isQuick)))
        await asked.end()
        let decoding = try await ViewedAgent(home)
        turns.append(("decoded by libpng", try TurnTimes(of: pages, from: decoding, decodes: true, isQuick: isQuick)))
        figures = (ChromiumDriver.isInstalled ? turns[0] : turns[1]).1.figures + figures
        // A page that is on screen is in memory.
        try decoding.ask(decoding.post("/api/select", pages[0].selection))
        figures += try await rates("cached", of: pages[0], from: decoding)
        await decoding.end()

        try home.configure(service, settings: "cache:\n  memory: 0 MB")
        let filler = pages[pages.count - 1].chart
        let blank = BlankPDF.bytes(size: 100_000, number: 0, pages: Self.pagesWaiting)
        try service.edit(.replaceChart(attachment: filler, bytes: blank))
        let forgetful = try await ViewedAgent(home)
        figures += try await rates("file", of: pages[0], from: forgetful)
        let race = try await SelectionRace(forgetful, try forgetful.pages(), besides: filler, rounds: isQuick ? 3 : 50)
        await forgetful.end()
        let details = DetailTable(
            title: "from the request for a page of the demo's plans", columns: TurnTimes.columns, rows: turns.flatMap { $1.rows($0) })
        return BenchmarkReport(
            missing: (ChromiumDriver.isInstalled ? [] : ["chromedriver"]) + (nginx == nil ? ["nginx"] : []),
            figures: figures + race.figures + cold, notes: Self.notes, details: [details])
    }

    /// One page again and again, in turn with nginx.
    private func rates(_ name: String, of page: ViewedPage, from agent: ViewedAgent) async throws -> [Figure] {
        let port = WebConnection.freePort()
        let peer = try await nginx(at: port, place: "\(folder)/nginx-\(name)")
        let size = try AtomicFile.read(home.folder + "/cache" + page.address, limit: 64 << 20).count
        let theirRequest = Array("GET \(page.address) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: image/png,*/*\r\n\r\n".utf8)
        var figures: [Figure] = []
        for count in [1, 8] {
            let ours = try RequestRate(port: home.port, connections: count, request: agent.get(page.address), size: size)
            let theirs = peer == nil ? nil : try RequestRate(port: port, connections: count, request: theirRequest, size: size)
            var (rates, peers) = ([Double](), [Double]())
            for _ in 0..<(isQuick ? 2 : 7) {
                rates.append(try ours.perSecond(for: isQuick ? 200 : 1000))
                if let theirs { peers.append(try theirs.perSecond(for: isQuick ? 200 : 1000)) }
            }
            figures.append(Figure("\(name)_rps@\(count)", unit: "requests/s", runs: rates))
            guard theirs != nil else { continue }
            figures.append(Figure("\(name)_rps_nginx@\(count)", unit: "requests/s", runs: peers))
            figures.append(
                Figure("\(name)_rps/nginx" + (count == 1 ? "" : "@\(count)"), unit: "ratio", runs: zip(rates, peers).map { $0 / $1 }))
        }
        await peer?.end()
        return figures + [Figure("\(name)_page_kib", unit: "KiB", runs: [Double(size) / 1024])]
    }

    /// nginx with a configuration of its own, serving the cache, once it answers; `nil` if it is not installed.
    private func nginx(at port: UInt16, place: String) async throws -> RunningProgram? {
        guard let nginx else { return nil }
        try Folder.create(place)
        // Otherwise its workers would give up the right to read files that only we may read.
        let user = geteuid() == 0 ? "user root;" : ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
        try AtomicFile.write(
            """
            daemon off; \(user) worker_processes 1; pid \(place)/pid; error_log \(place)/errors;
            events { worker_connections 64; }
            http {
              access_log off; sendfile on; tcp_nopush on; keepalive_timeout 600; keepalive_requests 1000000000;
              default_type image/png; \(temporary.joined(separator: " "))
              server { listen 127.0.0.1:\(port); root \(home.folder)/cache; }
            }

            """, to: place + "/nginx.conf")
        let running = try RunningProgram(
            nginx, ["-c", place + "/nginx.conf", "-p", place, "-e", place + "/errors"], log: place + "/log")
        try await running.wait(for: "an answer", within: .seconds(10)) { _ in (try? WebConnection(port: port)) != nil }
        return running
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
