import Glibc
import HTTPClient
import JSON
import Model
package import Platform

/// A Chromium without a window, driven through its WebDriver; `end()` ends both.
@LoopActor
package final class ChromiumDriver {
    nonisolated private static let driver = "/usr/bin/chromedriver"
    /// The shell has the same engine without a browser's windows around it, and takes a little more than half of the time.
    nonisolated private static let program = "/usr/lib/chromium/chromium-headless-shell"
    /// Whether this machine has both programs.
    package nonisolated static var isInstalled: Bool { access(driver, X_OK) == 0 && access(program, X_OK) == 0 }

    /// The address of the driver, and what its commands for this browser begin with.
    package let root: String
    package private(set) var session = ""
    private let child: Child
    private let transport = CurlTransport(userAgent: "woodshed", allowsInsecureLoopback: true)

    /// Starts both. The browser's files go to `place`, a folder that is there; `arguments` are further words of its command line.
    package init(place: String, arguments: [String] = []) async throws {
        (child, root) = try await Self.start(in: place)
        do {
            session = "/session/" + (try await begin(place, arguments).sessionId)
        } catch {
            await end()
            throw error
        }
    }

    /// Starts the driver at a port that is free.
    ///
    /// It takes one number for both families of addresses, and ends where either is taken, even if it chose itself; so it
    /// is given numbers that no outgoing connection has, until one suits it.
    private static func start(in place: String) async throws -> (Child, root: String) {
        let clock = SystemClock()
        let end = clock.now + .seconds(60)
        let log = place + "/driver.log"
        while true {
            let port = Int.random(in: 20_000..<30_000)
            let null = try Descriptor.open("/dev/null", O_RDONLY)
            let output = try Descriptor.open(log, O_WRONLY | O_CREAT | O_TRUNC)
            let child = try Child.startTied(
                driver, arguments: ["--port=\(port)"], environment: ["PATH=/usr/bin:/bin", "HOME=\(place)", "TMPDIR=\(place)"],
                descriptors: [null.number, output.number, output.number])
            var said = ""
            while !said.contains(/started successfully|Exiting/), clock.now < end {
                do {
                    try await clock.sleep(for: .milliseconds(20))
                    said = String(decoding: try AtomicFile.read(log, limit: 1 << 20), as: UTF8.self)
                } catch {
                    child.kill(SIGKILL)
                    throw error
                }
            }
            if said.contains("started successfully") { return (child, "http://127.0.0.1:\(port)") }
            child.kill(SIGKILL)
            _ = await child.exit()
            guard said.contains("port not available") else { throw Trouble("chromedriver did not start:\n\(said)") }
        }
    }

    private func begin(_ place: String, _ arguments: [String]) async throws -> Begun {
        // The pages are our own, and a container's root may not have Chromium's sandbox.
        let usual = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=\(place)/profile"]
        let words = JSONText.texts(usual + arguments).line
        // The driver waits for a first page, and the shell opens none that it is not told to. The driver's thread that starts it has the
        // session for as long as there is one.
        let starter = place + "/browser"
        let tied = Child.tied(Self.program).joined(separator: " ")
        try AtomicFile.write("#!/bin/sh\nexec setpriv \(tied) \"$@\" about:blank\n", to: starter, mode: 0o700)
        let capabilities = """
            {"goog:chromeOptions":{"binary":"\(starter)","args":\(words)},"goog:loggingPrefs":{"browser":"ALL"},\
            "timeouts":{"script":300000}}
            """
        return try await post("/session", #"{"capabilities":{"alwaysMatch":\#(capabilities)}}"#)
    }

    private struct Begun: Decodable {
        var sessionId: String
    }

    /// Ends the browser and its driver.
    package func end() async {
        if (try? await transport.send(HTTPRequest(.get, root + "/shutdown"))) == nil { child.kill(SIGTERM) }
        _ = await child.exit()
        transport.close()
    }

    /// Opens an address.
    package func open(_ address: String) async throws {
        let _: Nothing = try await post(session + "/url", JSONText.object([("url", .text(address))]).line)
    }

    /// Makes the window this large, in CSS pixels of `scale` pixels each.
    package func resize(_ width: Int, _ height: Int, scale: Double) async throws {
        let metrics = #"{"width":\#(width),"height":\#(height),"deviceScaleFactor":\#(scale),"mobile":false}"#
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Emulation.setDeviceMetricsOverride","params":\#(metrics)}"#)
    }

    /// Has pages compute as on a processor that is so many times slower.
    package func slowDown(_ times: Int) async throws {
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Emulation.setCPUThrottlingRate","params":{"rate":\#(times)}}"#)
    }

    /// Counts from now on how long scripts run: the time of their thread, whatever else the machine does.
    package func countScripts() async throws {
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Performance.enable","params":{"timeDomain":"threadTicks"}}"#)
    }

    /// How long scripts have run in the page that is open, since they are counted.
    package func scriptMilliseconds() async throws -> Double {
        let all: Metrics = try await post(session + "/goog/cdp/execute", #"{"cmd":"Performance.getMetrics","params":{}}"#)
        return 1000 * (all.metrics.first { $0.name == "ScriptDuration" }?.value ?? 0)
    }

    private struct Metrics: Decodable {
        struct Metric: Decodable {
            var name: String
            var value: Double
        }
        var metrics: [Metric]
    }

    /// Runs a script and returns its value; waits for a promise, five minutes at most.
    package func ask<Argument: Encodable, Answer: Decodable>(_ script: String, _ arguments: [Argument]) async throws -> Answer {
        let call = try JSONWriter.encode(Call(script: script, args: arguments))
        return try await post(session + "/execute/sync", String(decoding: call, as: UTF8.self), within: .seconds(300))
    }

    private struct Call<Argument: Encodable>: Encodable {
        var script: String
        var args: [Argument]
    }

    /// Any value at all, not looked at.
    package struct Nothing: Decodable {
        package init(from decoder: any Decoder) {}
    }

    private struct Reply<Value: Decodable>: Decodable {
        var value: Value
    }

    /// The answer to a command with this JSON.
    package func post<Value: Decodable>(_ path: String, _ json: String, within limit: Duration = .seconds(120)) async throws -> Value {
        try await send(
            HTTPRequest(
                .post, root + path, headers: [("Content-Type", "application/json")], body: Array(json.utf8), timeout: limit))
    }

    package func send<Value: Decodable>(_ request: HTTPRequest) async throws -> Value {
        let response = try await transport.send(request)
        guard response.status == 200 else { throw Trouble(String(decoding: response.body, as: UTF8.self)) }
        return try JSONReader.decode(Reply<Value>.self, from: response.body).value
    }
}
