import JSON
import Platform
import TestSupport

/// A browser that draws stroke after stroke on an agent's charts.
struct Pen {
    let site: String
    let headers: [(String, String)]
    let charts: [String]

    /// Waits until the agent lets the browser sign in; `nil` if the agent ends first.
    @LoopActor
    init?(_ place: Place, at agent: Program) async throws {
        while try await place.run("open").exit != .code(0) {
            guard agent.isRunning else { return nil }
        }
        let opened = try await place.run("open").output
        guard let address = opened.firstMatch(of: /(http:\/\/[^\/]+:\d+)(\/open\?\S+)/) else { return nil }
        let site = String(address.1)
        self.site = site
        let invited = try await Pen.ask("GET", site + address.2)
        let cookie = ("Cookie", (invited.headers["set-cookie"] ?? "").prefix { $0 != ";" }.description)
        let page = try await Pen.ask("GET", site + "/", [cookie])
        guard let token = page.text.firstMatch(of: /name="woodshed-token" content="([^"]*)/)?.1 else { return nil }
        headers = [cookie, ("Origin", site), ("X-Woodshed-Token", String(token)), ("Content-Type", "application/json")]
        struct State: Decodable { let plans: [Plan] }
        struct Plan: Decodable { let id: String }
        struct Contents: Decodable { let items: [Item] }
        struct Item: Decodable { let charts: [Plan] }
        let plan = try JSONReader.decode(State.self, from: try await Pen.ask("GET", site + "/api/state", [cookie]).body).plans[0].id
        let contents = try JSONReader.decode(Contents.self, from: try await Pen.ask("GET", site + "/api/plan/\(plan)", [cookie]).body)
        charts = contents.items.flatMap { $0.charts.map(\.id) }
    }

    /// Draws a stroke, and returns whether the agent saved it.
    func draw(_ number: Int) async throws -> Bool {
        let chart = charts[number % 3]
        let mark = #"{"id":"m\#(number)","page":0,"kind":"pen","points":[[0.\#(number % 9 + 1),0.5]],"v":{"browser":\#(number)}}"#
        return try await Pen.ask("POST", "\(site)/api/charts/\(chart)/ink", headers, #"{"marks":[\#(mark)]}"#).status == 200
    }

    /// Requests a path that any signed-in browser may read, and measures the time of the answer.
    func look(at path: String = "/api/state") async throws -> (status: Int, took: Duration) {
        let clock = SystemClock()
        let start = await clock.now
        let status = try await Pen.ask("GET", site + path, headers).status
        return (status, await clock.now - start)
    }

    func marks(on chart: String) async throws -> Set<String> {
        struct Answer: Decodable { let marks: [Mark] }
        struct Mark: Decodable { let id: String }
        let reply = try await Pen.ask("GET", "\(site)/api/charts/\(chart)/ink", headers)
        return Set(try JSONReader.decode(Answer.self, from: reply.body).marks.map(\.id))
    }

    private static func ask(
        _ method: String, _ url: String, _ headers: [(String, String)] = [], _ body: String = ""
    ) async throws -> HTTPProbe.Reply {
        try await SideThread().run {
            // Every host name in the addresses stands for this machine.
            let host = String(url.dropFirst("http://".count).prefix { $0 != "/" })
            let port = host.split(separator: ":").last ?? ""
            return try HTTPProbe.send(
                method, "http://127.0.0.1:\(port)" + url.dropFirst("http://".count + host.count), headers: headers + [("Host", host)],
                body: Array(body.utf8))
        }
    }
}
