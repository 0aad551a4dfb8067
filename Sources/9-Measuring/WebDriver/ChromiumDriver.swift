import Glibc
import HTTPClient
import JSON
import Model
package import Platform

/// A Chromium without a window, controlled through chromedriver. `end()` ends both.
@LoopActor
package final class ChromiumDriver {
    nonisolated private static let driver = "/usr/bin/chromedriver"
    /// The headless shell has the same engine without a desktop browser's windows, and takes little more than half the time.
    nonisolated private static let program = "/usr/lib/chromium/chromium-headless-shell"
    /// Whether both programs are installed.
    package nonisolated static var isInstalled: Bool { access(driver, X_OK) == 0 && access(program, X_OK) == 0 }

    /// The address of the driver, with which the addresses of its commands begin.
    package let root: String
    package private(set) var session = ""
    private let child: Child
    private let transport = CurlTransport(userAgent: "woodshed", allowsInsecureLoopback: true)

    /// Starts both programs. The browser's files go to `place`, an existing folder. `arguments` are appended to the browser's command line.
    package init(place: String, arguments: [String] = []) async throws {
        (child, root) = try await Self.start(in: place)
        do {
            session = "/session/" + (try await begin(place, arguments).sessionId)
        } catch {
            await end()
            throw error
        }
    }

    /// Starts the driver at a free port.
    ///
    /// The driver uses one port number for both address families, and exits if either is taken, even for a number that it chose
    /// itself. So it is started with numbers outside the range of outgoing connections until one is free.
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
            var messages = ""
            while !messages.contains(/started successfully|Exiting/), clock.now < end {
                do {
                    try await clock.sleep(for: .milliseconds(20))
                    messages = String(decoding: try AtomicFile.read(log, limit: 1 << 20), as: UTF8.self)
                } catch {
                    child.kill(SIGKILL)
                    throw error
                }
            }
            if messages.contains("started successfully") { return (child, "http://127.0.0.1:\(port)") }
            child.kill(SIGKILL)
            _ = await child.exit()
            guard messages.contains("port not available") else { throw Trouble("chromedriver did not start:\n\(messages)") }
        }
    }

    private func begin(_ place: String, _ arguments: [String]) async throws -> Begun {
        // The pages are our own, and root in a container may not be able to use Chromium's sandbox.
        let usual = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=\(place)/profile"]
        let words = JSONText.texts(usual + arguments).line
        // The driver waits for a first page, and the headless shell opens none by default, so it gets a blank one. The driver's
        // thread that starts the shell lives as long as the session, so the shell can be tied to that thread.
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

    package func end() async {
        if (try? await transport.send(HTTPRequest(.get, root + "/shutdown"))) == nil { child.kill(SIGTERM) }
        _ = await child.exit()
        transport.close()
    }

    package func open(_ address: String) async throws {
        let _: Nothing = try await post(session + "/url", JSONText.object([("url", .text(address))]).line)
    }

    /// Sets the window's size in CSS pixels of `scale` pixels each.
    package func resize(_ width: Int, _ height: Int, scale: Double) async throws {
        let metrics = #"{"width":\#(width),"height":\#(height),"deviceScaleFactor":\#(scale),"mobile":false}"#
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Emulation.setDeviceMetricsOverride","params":\#(metrics)}"#)
    }

    /// Slows pages down as if the processor were this many times slower.
    package func slowDown(_ times: Int) async throws {
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Emulation.setCPUThrottlingRate","params":{"rate":\#(times)}}"#)
    }

    /// Begins to measure how long scripts run, in CPU time of their thread, independent of other activity on the machine.
    package func countScripts() async throws {
        let _: Nothing = try await post(
            session + "/goog/cdp/execute", #"{"cmd":"Performance.enable","params":{"timeDomain":"threadTicks"}}"#)
    }

    /// How long scripts have run in the current page since `countScripts` was called.
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

    /// Runs a script and returns its value. If that is a promise, waits for it, five minutes at most.
    package func ask<Argument: Encodable, Answer: Decodable>(_ script: String, _ arguments: [Argument]) async throws -> Answer {
        let call = try JSONWriter.encode(Call(script: script, args: arguments))
        return try await post(session + "/execute/sync", String(decoding: call, as: UTF8.self), within: .seconds(300))
    }

    private struct Call<Argument: Encodable>: Encodable {
        var script: String
        var args: [Argument]
    }

    /// Accepts any JSON value and ignores it.
    package struct Nothing: Decodable {
        package init(from decoder: any Decoder) {}
    }

    private struct Reply<Value: Decodable>: Decodable {
        var value: Value
    }

    /// Sends a command with this JSON, and returns the response's value.
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
