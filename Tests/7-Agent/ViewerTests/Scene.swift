import LocalHTTP
import Platform
import TestSupport
import Testing
import Viewer

/// A viewer over a made-up source, on a port of its own, and a browser that is signed in.
@LoopActor
final class Scene {
    let source = FakeSource()
    let clock = SimulatedClock()
    let viewer: Viewer
    private var cookie = ""

    init(network: ViewerSettings.Network? = nil) throws {
        // Here the other addresses of this machine stand for its network.
        viewer = Viewer(
            settings: ViewerSettings(port: 0, nameFolder: nil, network: network), clock: clock, log: .silent, isOwn: { $0 == .loopback })
        try viewer.start()
        viewer.show(source, images: FakeImages())
        cookie = try Self.cookie(of: viewer)
    }

    var port: UInt16 { viewer.port ?? 0 }
    var origin: String { "http://127.0.0.1:\(port)" }

    /// Lets a browser in and returns its cookie.
    static func cookie(of viewer: Viewer) throws -> String {
        let reply = try HTTPProbe.send("GET", viewer.invite() ?? "")
        return String((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })
    }

    /// The token in the shell.
    func token() async throws -> String {
        let text = try await get("/").text
        guard let place = text.firstRange(of: "name=\"woodshed-token\" content=\"") else { return "" }
        return String(text[place.upperBound...].prefix { $0 != "\"" })
    }

    func get(_ path: String, method: String = "GET", headers: [(String, String)] = []) async throws -> HTTPProbe.Reply {
        try await Self.send(method, origin + path, headers: headers + [("Cookie", cookie)])
    }

    /// Posts as the pages do; given headers replace the usual ones.
    func post(_ path: String, _ body: String, headers: [(String, String)] = []) async throws -> HTTPProbe.Reply {
        var all = [
            ("Origin", origin), ("X-Woodshed-Token", try await token()), ("Content-Type", "application/json"), ("Cookie", cookie),
        ]
        all.removeAll { mine in headers.contains { $0.0 == mine.0 } }
        return try await Self.send("POST", origin + path, headers: all + headers.filter { !$0.1.isEmpty }, body: Array(body.utf8))
    }

    /// Sends a request on another thread, while the loop answers; from the requested address itself, unless `source` is given.
    static func send(
        _ method: String, _ url: String, headers: [(String, String)] = [], body: [UInt8] = [], from source: String? = nil
    ) async throws -> HTTPProbe.Reply {
        let asked = url.split(separator: "/").dropFirst().first.map { String($0.prefix { $0 != ":" }) }
        return try await SideThread().run { try HTTPProbe.send(method, url, headers: headers, body: body, from: source ?? asked) }
    }
}

/// A browser on the network that is signed in, with the headers of its requests.
struct Tablet {
    let cookie: (String, String)
    let token: (String, String)
    var headers: [(String, String)] { [cookie, token] }

    /// Reads the answer of the sign-in.
    init(_ reply: HTTPProbe.Reply) throws {
        cookie = ("Cookie", String(try #require(reply.headers["set-cookie"]).prefix { $0 != ";" }))
        let place = try #require(reply.headers["location"])
        token = ("X-Woodshed-Token", String(try #require(place.firstMatch(of: /#token=([0-9a-f]{64})$/)?.1)))
    }
}
