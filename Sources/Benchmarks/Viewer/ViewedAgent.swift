import Agent
import DemoService
import FoundationEssentials
import Glibc
import Platform
import WebDriver

/// The agent as people start it, with a home of its own, and a browser that it has let in.
@LoopActor
final class ViewedAgent {
    let home: String
    let port: UInt16
    let running: RunningProgram
    private(set) var cookie = ""
    private(set) var token = ""

    /// Writes a configuration for fetching from a service. `more` has further lines for it.
    static func configure(_ home: String, _ service: DemoService, port: UInt16, more: String = "") throws {
        try Folder.create(home + "/config")
        try AtomicFile.write(DemoService.token.revealed + "\n", to: home + "/token")
        try AtomicFile.write(
            """
            account:
              api_url: \(service.apiURL)
              annotations_url: \(service.annotationsURL)
              allow_http_loopback: true
              token_file: \(home)/token
            viewer:
              port: \(port)
            \(more)
            """, to: home + "/config/woodshed.yaml")
    }

    /// The program in the same folder as this one.
    static func program() throws -> String { Folder.parent(of: try MeasuredRenderer.program()) + "/woodshed" }

    /// The control socket of a home's agent.
    static func controlSocket(of home: String) -> String { ControlDesk.socket(in: home + "/runtime", library: home + "/data") }

    /// Starts it on a home whose configuration sets the port, and waits until it has nothing left to do.
    init(home: String, port: UInt16, log: String) async throws {
        self.home = home
        self.port = port
        running = try RunningProgram(Self.program(), ["agent", "--home", home], log: log)
        try await running.says("asleep", within: .seconds(600))
        try letIn()
    }

    func end() async { await running.end() }

    /// Does what `woodshed open` and the browser do.
    private func letIn() throws {
        let address = try control("POST", "/v1/open", as: Invitation.self).address
        guard let place = address.firstRange(of: "/open?") else { throw BenchmarkFailure("the agent invites to \(address)") }
        let connection = try WebConnection(port: port)
        try connection.ask(get(String(address[place.lowerBound...])))
        guard let cookie = connection.header("set-cookie")?.split(separator: ";").first else {
            throw BenchmarkFailure("the agent does not let us in:\n\(connection.head)")
        }
        self.cookie = String(cookie)
        try connection.ask(get("/"))
        let mark = #"name="woodshed-token" content=""#
        let page = String(decoding: connection.body, as: UTF8.self)
        guard let start = page.firstRange(of: mark) else { throw BenchmarkFailure("the agent's page has no token") }
        token = String(page[start.upperBound...].prefix { $0 != "\"" })
    }

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

    /// An address that lets one browser in.
    func invitation() throws -> String { try control("POST", "/v1/open", as: Invitation.self).address }

    private struct Invitation: Decodable {
        var address: String
    }

    /// The agent's report on what it is doing.
    func report() throws -> AgentReport { try AgentReport(json: control("GET", "/v1/status")) }

    func control<Value: Decodable>(_ method: String, _ path: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(try control(method, path)))
    }

    @discardableResult
    func control(_ method: String, _ path: String) throws -> [UInt8] {
        let connection = try WebConnection(unixSocket: Self.controlSocket(of: home))
        try connection.ask(Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".utf8))
        guard connection.status == 200 else {
            throw BenchmarkFailure("\(path): \(connection.status) \(String(decoding: connection.body, as: UTF8.self))")
        }
        return connection.body
    }

    /// A request like a browser's, which has a few more headers.
    func get(_ target: String) -> [UInt8] {
        Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nAccept: image/png,*/*\r\n\r\n".utf8)
    }

    func post(_ target: String, _ json: String) -> [UInt8] {
        let head = """
            POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nOrigin: http://127.0.0.1:\(port)\r
            X-Woodshed-Token: \(token)\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n
            """
        return Array((head + json).utf8)
    }

    /// Asks for something that must be there.
    func json<Value: Decodable>(_ target: String, on connection: WebConnection, as type: Value.Type) throws -> Value {
        try connection.ask(get(target))
        guard connection.status == 200 else { throw BenchmarkFailure("\(target): \(connection.status)") }
        return try JSONDecoder().decode(type, from: Data(connection.body))
    }
}
