import FoundationEssentials
import Glibc
import Platform

/// Chromium without a window, controlled over WebDriver.
@LoopActor
final class Browser {
    nonisolated static let driver = "/usr/bin/chromedriver"

    nonisolated static var isInstalled: Bool { access(driver, X_OK) == 0 }

    /// What is to be timed: an image, and what the agent is told before it is asked for.
    struct Turn: Encodable {
        var address: String
        var selection: String?
    }

    private let running: RunningProgram
    private let port: UInt16
    private let connection: WebConnection
    private var session = ""

    /// Starts one; its files go to `place`.
    init(place: String) async throws {
        try Folder.create(place)
        port = try WebConnection.freePort()
        running = try RunningProgram(
            Self.driver, ["--port=\(port)"], environment: ["HOME=\(place)", "TMPDIR=\(place)"], log: place + "/log")
        do {
            try await running.says("started successfully", within: .seconds(30))
            connection = try WebConnection(port: port)
        } catch {
            await running.end()
            throw error
        }
        do {
            let options = """
                {"args":["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--user-data-dir=\(place)/profile"]}
                """
            let opened = try tell(
                "/session", #"{"capabilities":{"alwaysMatch":{"goog:chromeOptions":\#(options),"timeouts":{"script":300000}}}}"#,
                as: Session.self)
            session = opened.sessionId
        } catch {
            await running.end()
            throw error
        }
    }

    func end() async {
        let request = "DELETE /session/\(session) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 0\r\n\r\n"
        // If a browser does not end as asked, it ends with its driver.
        try? connection.ask(Array(request.utf8))
        await running.end()
    }

    /// Opens an address.
    func open(_ address: String) throws {
        let url = String(decoding: try JSONEncoder().encode(["url": address]), as: UTF8.self)
        try tell("/session/\(session)/url", url)
    }

    /// Makes the window this large, in CSS pixels of `scale` pixels each.
    func resize(_ width: Int, _ height: Int, scale: Double) throws {
        try tell(
            "/session/\(session)/goog/cdp/execute",
            #"{"cmd":"Emulation.setDeviceMetricsOverride","params":{"width":\#(width),"height":\#(height),"deviceScaleFactor":\#(scale),"mobile":false}}"#
        )
    }

    /// What a script says when it is done.
    func ask<Value: Decodable>(_ script: String) throws -> Value {
        let call = try JSONEncoder().encode(Question(script: script, args: []))
        return try tell("/session/\(session)/execute/async", String(decoding: call, as: UTF8.self), as: Value.self)
    }

    /// The milliseconds from asking for each image until it is decoded, one after the other.
    func milliseconds(of turns: [Turn]) throws -> [Double] {
        struct Call: Encodable {
            var script: String
            var args: [[Turn]]
        }
        let call = try JSONEncoder().encode(Call(script: Self.script, args: [turns]))
        return try tell(
            "/session/\(session)/execute/async", String(decoding: call, as: UTF8.self), as: [Double].self)
    }

    private static let script = """
        const [turns, done] = arguments;
        const token = document.querySelector('meta[name=woodshed-token]').content;
        (async () => {
          const times = [];
          for (const turn of turns) {
            if (turn.selection) {
              const headers = {'Content-Type': 'application/json', 'X-Woodshed-Token': token};
              const answer = await fetch('/api/select', {method: 'POST', headers, body: turn.selection});
              if (!answer.ok) throw new Error('a selection is answered ' + answer.status);
              await answer.text();
            }
            const image = new Image();
            const start = performance.now();
            image.src = turn.address;
            await image.decode();
            times.push(performance.now() - start);
          }
          done(times);
        })().catch(error => done(String(error)));
        """

    private struct Question: Encodable {
        var script: String
        var args: [String]
    }

    private struct Session: Decodable {
        var sessionId: String
    }

    private struct Answer<Value: Decodable>: Decodable {
        var value: Value
    }

    private func tell<Value: Decodable>(_ path: String, _ json: String, as type: Value.Type) throws -> Value {
        let bytes = try tell(path, json)
        guard let answer = try? JSONDecoder().decode(Answer<Value>.self, from: Data(bytes)) else {
            throw BenchmarkFailure("the browser answers:\n\(String(decoding: bytes.prefix(1000), as: UTF8.self))")
        }
        return answer.value
    }

    @discardableResult
    private func tell(_ path: String, _ json: String) throws -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n"
        try connection.ask(Array((head + json).utf8))
        guard connection.status == 200 else {
            throw BenchmarkFailure("the browser does not:\n\(String(decoding: connection.body.prefix(1000), as: UTF8.self))")
        }
        return connection.body
    }
}
