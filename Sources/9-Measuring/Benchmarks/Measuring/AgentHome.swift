import Agent
import DemoService
import Glibc
import JSON
import Platform
import WebDriver

/// A home for an agent that is started with the real program and fetches from a demo service.
@LoopActor
final class AgentHome {
    let folder: String
    let port: UInt16
    /// The path of the program `woodshed` in the same folder as this program.
    private let program: String
    private var logs = 0

    var host: String { "127.0.0.1:\(port)" }

    /// Makes a home below `place`. `settings` are additional lines of its configuration.
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

    /// Starts the agent, and waits until it has no work left.
    func start(within limit: Duration = .seconds(3600)) async throws -> RunningProgram {
        let agent = try launch()
        try await agent.prints("asleep", within: limit)
        return agent
    }

    private func launch() throws -> RunningProgram {
        logs += 1
        return try RunningProgram(program, ["agent", "--home", folder], log: "\(folder).log.\(logs)")
    }

    func ask(_ words: [String]) async throws -> Cost { try await RunningProgram.cost(program, words + ["--home", folder]) }

    /// Sends a request to the running agent, as other commands do.
    @discardableResult
    func control(_ method: String, _ path: String) throws -> [UInt8] {
        let socket = ControlDesk.socket(in: folder + "/runtime", library: folder + "/data")
        return try WebConnection(unixSocket: socket).ask(WebConnection.request(method, path, host: "localhost"))
    }

    /// How long an agent whose pages are all ready takes from its start until it answers browsers and other commands.
    func coldStarts(runs: Int) async throws -> Measurements {
        var cold = Measurements()
        for _ in 1...runs {
            var (viewer, control) = (0.0, 0.0)
            let start = ProcessFigures.wallMilliseconds
            let agent = try launch()
            while viewer == 0 || control == 0 {
                if viewer == 0, let connection = try? WebConnection(port: port) {
                    try connection.ask(WebConnection.request("GET", "/", host: host), expecting: nil)
                    viewer = ProcessFigures.wallMilliseconds - start
                }
                if control == 0, (try? self.control("GET", "/v1/status")) != nil { control = ProcessFigures.wallMilliseconds - start }
                try require(ProcessFigures.wallMilliseconds - start < 60_000, "the agent does not answer")
                usleep(500)
            }
            try await agent.prints("asleep", within: .seconds(600))
            await agent.end()
            cold.add("cold_start_ms", "ms", max(viewer, control))
            cold.add("cold_start_viewer_ms", "ms", viewer)
            cold.add("cold_start_control_ms", "ms", control)
        }
        return cold
    }
}

/// A running agent, and a browser that is signed in to it over one connection.
@LoopActor
final class ViewedAgent {
    let home: AgentHome
    let running: RunningProgram
    private let connection: WebConnection
    private var cookie = ""
    private var token = ""

    /// Starts the agent on a home and waits until it has no work left. Then acts like `woodshed open` and the browser.
    init(_ home: AgentHome) async throws {
        self.home = home
        running = try await home.start()
        // An agent whose port was taken at its start tries the port again on a request for an invitation, and reports what is wrong.
        let address = try Self.invitation(home)
        connection = try WebConnection(port: home.port)
        let place = try address.firstRange(of: "/open?").required("the agent invites to \(address)").lowerBound
        try connection.ask(get(String(address[place...])), expecting: nil)
        let cookies = try connection.header("set-cookie").required("the agent does not let us in:\n\(connection.head)")
        cookie = String(cookies.prefix { $0 != ";" })
        let page = String(decoding: try fetch("/"), as: UTF8.self)
        token = String(try page.firstMatch(of: /name="woodshed-token" content="([^"]*)/).required("the agent's page has no token").1)
    }

    /// An address that signs one browser in.
    func invitation() throws -> String { try Self.invitation(home) }

    private static func invitation(_ home: AgentHome) throws -> String {
        struct Invitation: Decodable { let address: String }
        return try JSONReader.decode(Invitation.self, from: home.control("POST", "/v1/open")).address
    }

    func report() throws -> AgentReport { try AgentReport(json: home.control("GET", "/v1/status")) }

    /// Starts a browser with its files in `place`, and ends it even if `body` throws.
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

    func get(_ target: String) -> [UInt8] {
        WebConnection.request("GET", target, host: home.host, ["Cookie: \(cookie)", "Accept: image/png,*/*"])
    }

    /// Fetches a resource, which must exist.
    @discardableResult
    func fetch(_ target: String) throws -> [UInt8] { try connection.ask(get(target)) }

    /// Notifies the agent that a page is shown on screen.
    func select(_ selection: String) throws {
        let headers = ["Cookie: \(cookie)", "Origin: http://\(home.host)", "X-Woodshed-Token: \(token)", "Content-Type: application/json"]
        try connection.ask(WebConnection.request("POST", "/api/select", host: home.host, headers, body: selection))
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
        try require(pages.count > 3, "the agent shows \(pages.count) pages")
        return pages
    }

    private func json<Value: Decodable>(_ target: String, as type: Value.Type) throws -> Value {
        try JSONReader.decode(type, from: fetch(target))
    }

    private struct Named: Decodable { let id: String }

    private struct State: Decodable { let plans: [Named] }

    private struct Contents: Decodable {
        struct Item: Decodable {
            let id: String
            let charts: [Named]
        }
        let items: [Item]
    }

    private struct Chart: Decodable {
        struct Image: Decodable {
            let src: String
            let width: Int
            let height: Int
        }
        struct Page: Decodable { let annotated: Image }
        let pages: [Page]
        let order: [Int]
    }
}

/// A page of a plan that is ready, with everything that a browser needs to request it.
struct ViewedPage: Sendable {
    let chart: String
    let page: Int
    /// The address of its annotated image: `/pages/<the chart's hash>/<file>`.
    let address: String
    let longSide: Int
    let isFirst: Bool

    /// The body of the request that notifies the agent that this page is shown.
    var selection: String { #"{"chart":"\#(chart)","page":\#(page),"marked":true}"# }

    /// The address at which the page is drawn on demand, as large as its image in the cache.
    var liveAddress: String {
        "/live/\(chart)/\(page)?of=\(address.split(separator: "/").dropFirst().first ?? "")&marked=1&long=\(longSide)"
    }
}
