import Agent
import DemoService
import FoundationEssentials
import Glibc
import Platform
import WebDriver

/// A home whose agent is started as people start it, and fetches from a stand-in of the service.
@LoopActor
final class AgentHome {
    let folder: String
    let port: UInt16
    /// The program in the same folder as this one.
    let program: String
    private var logs = 0

    /// Makes one below `place`. `settings` are further lines of its configuration.
    init(in place: String, _ service: DemoService, settings: String = "") throws {
        folder = place + "/home"
        port = WebConnection.freePort()
        program = Folder.parent(of: try MeasuredRenderer.program()) + "/woodshed"
        try configure(service, settings: settings)
    }

    func configure(_ service: DemoService, settings: String) throws {
        try Folder.create(folder + "/config")
        try AtomicFile.write(DemoService.token.revealed + "\n", to: folder + "/token")
        try AtomicFile.write(
            """
            account:
              api_url: \(service.apiURL)
              annotations_url: \(service.annotationsURL)
              allow_http_loopback: true
              token_file: \(folder)/token
            viewer:
              port: \(port)
            \(settings)
            """, to: folder + "/config/woodshed.yaml")
    }

    /// Starts the agent, and waits until it has nothing left to do.
    func start(within limit: Duration = .seconds(3600)) async throws -> RunningProgram {
        let agent = try launch()
        try await agent.says("asleep", within: limit)
        return agent
    }

    private func launch() throws -> RunningProgram {
        logs += 1
        return try RunningProgram(program, ["agent", "--home", folder], log: "\(folder).log.\(logs)")
    }

    /// What another command costs while no agent runs.
    func ask(_ words: [String]) async throws -> Cost { try await RunningProgram.cost(program, words + ["--home", folder]) }

    /// Asks the agent, as other commands do.
    @discardableResult
    func control(_ method: String, _ path: String) throws -> [UInt8] {
        let socket = ControlDesk.socket(in: folder + "/runtime", library: folder + "/data")
        return try WebConnection(unixSocket: socket).ask(
            Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    /// How long the agent takes, if everything is ready, from its start until it answers browsers and other commands.
    func coldStarts(runs: Int) async throws -> Measurements {
        var cold = Measurements()
        for _ in 1...runs {
            var (viewer, control) = (0.0, 0.0)
            let start = ProcessFigures.wallMilliseconds
            let agent = try launch()
            while viewer == 0 || control == 0 {
                if viewer == 0, let connection = try? WebConnection(port: port) {
                    try connection.ask(WebConnection.request("/", at: port), expecting: nil)
                    viewer = ProcessFigures.wallMilliseconds - start
                }
                if control == 0, (try? self.control("GET", "/v1/status")) != nil { control = ProcessFigures.wallMilliseconds - start }
                guard ProcessFigures.wallMilliseconds - start < 60_000 else { throw BenchmarkFailure("the agent does not answer") }
                usleep(500)
            }
            try await agent.says("asleep", within: .seconds(600))
            await agent.end()
            cold.add("cold_start_ms", "ms", max(viewer, control))
            cold.add("cold_start_viewer_ms", "ms", viewer)
            cold.add("cold_start_control_ms", "ms", control)
        }
        return cold
    }
}

/// The agent as people start it, and a browser that it has let in, with one connection.
@LoopActor
final class ViewedAgent {
    let home: AgentHome
    let running: RunningProgram
    private let connection: WebConnection
    private var cookie = ""
    private var token = ""

    /// Starts it on a home, waits until it has nothing left to do, and has it let us in.
    init(_ home: AgentHome) async throws {
        self.home = home
        running = try await home.start()
        connection = try WebConnection(port: home.port)
        try letIn()
    }

    func end() async { await running.end() }

    /// Does what `woodshed open` and the browser do.
    private func letIn() throws {
        let address = try invitation()
        guard let place = address.firstRange(of: "/open?") else { throw BenchmarkFailure("the agent invites to \(address)") }
        try connection.ask(get(String(address[place.lowerBound...])), expecting: nil)
        guard let cookie = connection.header("set-cookie")?.split(separator: ";").first else {
            throw BenchmarkFailure("the agent does not let us in:\n\(connection.head)")
        }
        self.cookie = String(cookie)
        let page = String(decoding: try connection.ask(get("/")), as: UTF8.self)
        guard let start = page.firstRange(of: #"name="woodshed-token" content=""#) else {
            throw BenchmarkFailure("the agent's page has no token")
        }
        token = String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    /// An address that lets one browser in.
    func invitation() throws -> String {
        struct Invitation: Decodable { var address: String }
        return try JSONDecoder().decode(Invitation.self, from: Data(try home.control("POST", "/v1/open"))).address
    }

    /// The agent's report on what it is doing.
    func report() throws -> AgentReport { try AgentReport(json: home.control("GET", "/v1/status")) }

    /// Starts a browser with its files in `place`, and ends it however that goes.
    func browse<Value: Sendable>(place: String, _ body: @LoopActor (ChromiumDriver) async throws -> Value) async throws -> Value {
        try Folder.create(place)
        let browser = try await ChromiumDriver(place: place)
        do {
            let value = try await body(browser)
            await browser.end()
            return value
        } catch {
            await browser.end()
            throw error
        }
    }

    /// Waits for the answer to a request, which must be a good one.
    @discardableResult
    func ask(_ request: [UInt8]) throws -> [UInt8] { try connection.ask(request) }

    /// A request like a browser's, which has a few more headers.
    func get(_ target: String) -> [UInt8] {
        WebConnection.request(target, at: home.port, ["Cookie: \(cookie)", "Accept: image/png,*/*"])
    }

    func post(_ target: String, _ json: String) -> [UInt8] {
        let headers = ["Cookie: \(cookie)", "Origin: http://127.0.0.1:\(home.port)", "X-Woodshed-Token: \(token)"]
        return WebConnection.request(target, at: home.port, method: "POST", headers + ["Content-Type: application/json"], body: json)
    }

    /// All pages of all plans in playing order, with each chart only once.
    func pages() throws -> [ViewedPage] {
        var pages: [ViewedPage] = []
        var seen: Set<String> = []
        for plan in try json("/api/state", as: State.self).plans {
            let items = try json("/api/plan/\(plan.id)", as: Contents.self).items
            for (item, chart) in items.flatMap({ item in item.charts.map { (item.id, $0.id) } }) where seen.insert(chart).inserted {
                let shown = try json("/api/chart/\(chart)?plan=\(plan.id)&item=\(item)", as: Chart.self)
                pages += shown.order.enumerated().map { place, index in
                    let image = shown.pages[index].annotated
                    return ViewedPage(
                        chart: chart, page: index, address: image.src, longSide: max(image.width, image.height), isFirst: place == 0)
                }
            }
        }
        guard pages.count > 3 else { throw BenchmarkFailure("the agent shows \(pages.count) pages") }
        return pages
    }

    private func json<Value: Decodable>(_ target: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(try ask(get(target))))
    }

    private struct Named: Decodable { var id: String }

    private struct State: Decodable { var plans: [Named] }

    private struct Contents: Decodable {
        struct Item: Decodable {
            var id: String
            var charts: [Named]
        }
        var items: [Item]
    }

    private struct Chart: Decodable {
        struct Image: Decodable {
            var src: String
            var width: Int
            var height: Int
        }
        struct Page: Decodable { var annotated: Image }
        var pages: [Page]
        var order: [Int]
    }
}

/// A page of a plan that is ready, with what a browser asks for.
struct ViewedPage: Sendable {
    let chart: String
    let page: Int
    /// The address of its annotated image.
    let address: String
    let longSide: Int
    /// Whether it is the first page of its chart.
    let isFirst: Bool

    /// The body that tells the agent that this page goes on screen.
    var selection: String { #"{"chart":"\#(chart)","page":\#(page),"marked":true}"# }

    /// The address where it is drawn on demand, as large as its image in the cache.
    var liveAddress: String { "/live/\(chart)/\(page)?of=\(folder)&marked=1&long=\(longSide)" }

    /// The name of the chart's bytes in an image's address: `/pages/<folder>/<file>`.
    private var folder: Substring { address.split(separator: "/").dropFirst().first ?? "" }
}
