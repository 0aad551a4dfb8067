import Model
import Platform
import TestSupport
import Testing
import Viewer

/// How browsers read and change the musician's own layer.
@Suite(.onLoop)
struct InkTests {
    private static let path = "/api/charts/a1/ink"

    @Test func aPageOfOursReadsAndChangesTheLayer() async throws {
        let scene = try await Scene()
        let read = try await scene.get(Self.path)
        #expect(read.status == 200 && read.text == "{\"revision\":0,\"marks\":[]}")
        #expect(read.headers["cache-control"] == "no-store" && read.headers["content-type"] == "application/json")
        let reply = try await scene.post(Self.path, "{\"marks\":[1]}")
        #expect(reply.status == 200 && reply.text == "{\"revision\":1,\"marks\":[]}")
        #expect(await scene.source.ink == [Array("{\"marks\":[1]}".utf8)], "as it was sent")
        #expect(try await scene.get("/api/charts/a/ink/ink").status == 200, "a chart's id may be anything")
        #expect(try await scene.get("/api/charts/none/ink").status == 404)
        #expect(try await scene.get("/api/charts//ink").status == 404)
        #expect(try await scene.get("/api/charts/a1").status == 404)
    }

    @Test func nobodyElseChangesIt() async throws {
        let scene = try await Scene()
        #expect(try await scene.post(Self.path, "{}", headers: [("Origin", "http://elsewhere.test")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("Origin", "")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("X-Woodshed-Token", "wrong")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("X-Woodshed-Token", "")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("Cookie", "woodshed=0")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("Content-Type", "text/plain")]).status == 415)
        #expect(try await scene.post(Self.path, "{}", headers: [("Host", "elsewhere.test")]).status == 403)
        #expect(try await scene.post(Self.path, "{}", headers: [("Sec-Fetch-Site", "cross-site")]).status == 403)
        #expect(await scene.source.ink.isEmpty)
        #expect(try await Scene.send("GET", await scene.origin + Self.path).status == 403, "nor does a stranger read it")
        #expect(try await scene.get(Self.path, method: "PUT").status == 405)
    }

    @Test func manyMarksFitIntoARequestAndNoMore() async throws {
        let scene = try await Scene()
        func body(_ count: Int) -> String { "{\"x\":\"" + String(repeating: "y", count: count) + "\"}" }
        #expect(try await scene.post(Self.path, body(1_000_000)).status == 200)
        #expect(try await scene.post(Self.path, body(1 << 20)).status == 413)
        #expect(try await scene.post("/api/look", body(70_000)).status == 413, "other changes are short")
        #expect(await scene.source.ink.count == 1)
    }

    @Test(arguments: [
        (Trouble.Kind.senseless(because: "m"), 400), (.senseless(because: nil), 400), (.inTheWay, 409), (.noRoom, 507), (.other, 503),
    ])
    func whatIsNotKeptIsSaid(kind: Trouble.Kind, status: Int) async throws {
        let scene = try await Scene()
        await scene.source.refuse(Trouble(kind, "The disk is full."))
        let reply = try await scene.post(Self.path, "{}")
        #expect(reply.status == status && reply.text.contains("\"error\":\"The disk is full.\""))
        #expect(reply.text.contains("\"mark\":\"m\"") == (kind == .senseless(because: "m")))
    }
}
