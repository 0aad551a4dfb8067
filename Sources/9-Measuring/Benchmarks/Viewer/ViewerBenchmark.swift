import Agent
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

    private func report(_ service: DemoService) async throws -> BenchmarkReport {
        await (try await home.start()).end()
        let cold = try await home.coldStarts(runs: isQuick ? 3 : 11)
        var measured = Measurements()
        if ChromiumDriver.isInstalled {
            let agent = try await ViewedAgent(home)
            measured += try await agent.browse(place: folder + "/browser") { browser in
                try await browser.open(try agent.invitation())
                return try await Turn.measure(agent.pages(), isQuick: isQuick) { try await browser.milliseconds(of: $0) }
            }
            measured += try await PlayedPlan.measure(agent, place: folder + "/player", mostTurns: isQuick ? 5 : 10_000)
            await agent.end()
        }
        let agent = try await ViewedAgent(home)
        let pages = try agent.pages()
        if !ChromiumDriver.isInstalled { measured += try await Turn.measure(pages, isQuick: isQuick) { try agent.milliseconds(of: $0) } }
        // A page that is on screen is in memory.
        try agent.ask(agent.post("/api/select", pages[0].selection))
        measured += try await rates("cached", of: pages[0], from: agent)
        await agent.end()

        try home.configure(service, settings: "cache:\n  memory: 0 MB")
        let filler = pages[pages.count - 1].chart
        let blank = BlankPDF.bytes(size: 100_000, number: 0, pages: Self.pagesWaiting)
        try service.edit(.replaceChart(attachment: filler, bytes: blank))
        let forgetful = try await ViewedAgent(home)
        measured += try await rates("file", of: pages[0], from: forgetful)
        measured += try await SelectionRace(agent: forgetful).run(forgetful.pages(), besides: filler, rounds: isQuick ? 3 : 50)
        await forgetful.end()
        measured += cold
        return BenchmarkReport(
            missing: (ChromiumDriver.isInstalled ? [] : ["chromedriver"]) + (nginx == nil ? ["nginx"] : []), figures: measured.figures)
    }

    /// One page again and again, in turn with nginx.
    private func rates(_ name: String, of page: ViewedPage, from agent: ViewedAgent) async throws -> Measurements {
        let port = WebConnection.freePort()
        let peer = try await nginx(at: port, place: "\(folder)/nginx-\(name)")
        let size = try AtomicFile.read(home.folder + "/cache" + page.address, limit: 64 << 20).count
        let theirRequest = WebConnection.request(page.address, at: port, ["Accept: image/png,*/*"])
        var measured = Measurements()
        for count in [1, 8] {
            let ours = try RequestRate(port: home.port, connections: count, request: agent.get(page.address), size: size)
            let theirs = peer == nil ? nil : try RequestRate(port: port, connections: count, request: theirRequest, size: size)
            let (our, their) = ("\(name)_rps@\(count)", "\(name)_rps_nginx@\(count)")
            for _ in 0..<(isQuick ? 2 : 7) {
                measured.add(our, "requests/s", try ours.perSecond(for: isQuick ? 200 : 1000))
                if let theirs { measured.add(their, "requests/s", try theirs.perSecond(for: isQuick ? 200 : 1000)) }
            }
            measured.compare("\(name)_rps/nginx" + (count == 1 ? "" : "@\(count)"), our, over: their)
        }
        await peer?.end()
        measured.add("\(name)_page_kib", "KiB", Double(size) / 1024)
        return measured
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
}

/// How long a chart's first page takes if it has to be drawn, alone and while a whole season is waiting to be drawn.
@LoopActor
struct SelectionRace {
    let agent: ViewedAgent

    /// Measures both in turn, chart by chart, except for the `filler`, whose pages only wait.
    ///
    /// The agent keeps nothing in memory, so whatever is not on disk has to be drawn.
    func run(_ pages: [ViewedPage], besides filler: String, rounds: Int) async throws -> Measurements {
        var (busy, alone, waiting): ([Double], [Double], [Int]) = ([], [], [])
        let firsts = pages.filter { $0.isFirst && $0.chart != filler }
        for round in 0..<rounds {
            let page = firsts[round % firsts.count]
            try await empty(pages)
            // If a renderer has to be started, that counts for both measurements or for neither.
            try select(firsts[(round + 1) % firsts.count])
            unlink(agent.home.folder + "/cache" + page.address)
            alone.append(try select(page))
            try await empty(pages)
            waiting.append(try agent.report().rendering.waitingPages)
            try agent.home.control("POST", "/v1/resume")
            // Until some of the waiting pages are being drawn.
            try await until { try !agent.report().rendering.running.isEmpty }
            busy.append(try select(page))
        }
        try agent.home.control("POST", "/v1/resume")
        var measured = Measurements()
        measured.add("select_live_ms", "ms", busy)
        measured.add("render_alone_ms", "ms", alone)
        measured.add("select_live/render_alone", "ratio", busy.median / alone.median)
        // The time over the limit of 1.2 times plus 10 ms; below zero, the limit is kept.
        measured.add("select_live_over_limit_ms", "ms", busy.median - (1.2 * alone.median + 10))
        measured.add("pages_waiting", "pages", Double(waiting.min() ?? 0))
        return measured
    }

    /// The milliseconds from the selection to the last byte of the page.
    @discardableResult
    private func select(_ page: ViewedPage) throws -> Double {
        let (selection, image) = (agent.post("/api/select", page.selection), agent.get(page.address))
        let start = ProcessFigures.wallMilliseconds
        try agent.ask(selection)
        try agent.ask(image)
        return ProcessFigures.wallMilliseconds - start
    }

    /// Pauses the agent, and removes all its images.
    private func empty(_ pages: [ViewedPage]) async throws {
        try agent.home.control("POST", "/v1/pause")
        try await until { try agent.report().rendering.running.isEmpty }
        let folder = agent.home.folder + "/cache/pages"
        for chart in try Folder.names(in: folder) {
            for name in (try? Folder.names(in: "\(folder)/\(chart)")) ?? [] { unlink("\(folder)/\(chart)/\(name)") }
        }
        // The agent must have noticed that all of them are gone.
        try await until { try agent.report().rendering.waitingPages >= pages.count }
    }

    private func until(_ isSo: () throws -> Bool) async throws {
        try await agent.running.wait(for: "readiness for a selection", within: .seconds(60), every: .milliseconds(5)) { _ in try isSo() }
    }
}
