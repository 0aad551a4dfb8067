import Foundation
import Glibc
import HTTPClient
import Model
import Platform
import TestSupport
import Testing
import WebDriver

/// WebKit, which is the most like an iPad's browser, or Firefox. The profile is removed at the end.
@LoopActor
final class OtherBrowser {
    enum Make: String, CaseIterable, CustomTestStringConvertible {
        case webKit, privateWebKit, firefox, privateFirefox

        var isPrivate: Bool { self == .privateWebKit || self == .privateFirefox }
        var isFirefox: Bool { self == .firefox || self == .privateFirefox }
        var testDescription: String { rawValue }

        fileprivate var programs: [String] {
            isFirefox ? [OtherBrowser.firefox] : [OtherBrowser.driver, OtherBrowser.window, OtherBrowser.display]
        }
        var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }
    }

    nonisolated fileprivate static let firefox = "/usr/bin/firefox-esr"
    nonisolated fileprivate static let driver = "/usr/bin/WebKitWebDriver"
    nonisolated fileprivate static let window = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
    nonisolated fileprivate static let display = "/usr/bin/Xvfb"

    /// The browsers that are installed.
    nonisolated static let installed = Make.allCases.filter(\.isInstalled)
    nonisolated static let areMissing: Comment =
        "neither WebKit nor Firefox is installed: apt-get install webkit2gtk-driver xvfb firefox-esr"

    private let files = TemporaryFolder()
    private var programs: [Program] = []
    private var line: (any WebDriverLine)!
    /// The script to run in each page once the page is complete.
    private var lateScript: String?

    init(_ make: Make) async throws {
        do {
            line = try await make.isFirefox ? beginFirefox(make) : beginWebKit(make)
        } catch {
            await end()
            throw error
        }
    }

    private func beginWebKit(_ make: Make) async throws -> any WebDriverLine {
        let screen = try start(Self.display, ["-displayfd", "2", "-screen", "0", "1600x1400x24", "-nolisten", "tcp"])
        var number = ""
        try await waitUntil {
            number =
                try screen.messagesSoFar().split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.map(String.init) ?? ""
            return !number.isEmpty && number.allSatisfy(\.isNumber)
        }
        let port = UInt16.random(in: 20_000..<30_000)
        // With a shared folder, this browser would find the processes of another one.
        try Folder.create(files.path("run"), mode: 0o700)
        let environment = ["DISPLAY=:\(number)", "XDG_RUNTIME_DIR=\(files.path("run"))", "GDK_BACKEND=x11"]
        _ = try start(Self.driver, ["--port=\(port)"], environment: environment)
        try await waitUntil { (try? HTTPProbe.send("GET", "http://127.0.0.1:\(port)/status"))?.status == 200 }
        let line = WebKitLine(root: "http://127.0.0.1:\(port)")
        let options: [String: Any] = ["binary": Self.window, "args": ["--automation"] + (make.isPrivate ? ["--private"] : [])]
        try await line.begin(["webkitgtk:browserOptions": options])
        return line
    }

    private func beginFirefox(_ make: Make) async throws -> any WebDriverLine {
        let quiet = """
            user_pref("marionette.port", 0);
            user_pref("app.update.enabled", false);
            user_pref("datareporting.policy.dataSubmissionEnabled", false);
            user_pref("browser.privatebrowsing.autostart", \(make.isPrivate));

            """
        try AtomicFile.write(quiet, to: files.path("user.js"))
        _ = try start(
            Self.firefox, ["--headless", "--marionette", "--no-remote", "--remote-allow-system-access", "--profile", files.path])
        var port: UInt16?
        try await waitUntil {
            port = (try? String(contentsOfFile: self.files.path("MarionetteActivePort"), encoding: .utf8)).flatMap { UInt16($0) }
            return port != nil
        }
        let line = try FirefoxLine(port: try #require(port))
        try await line.begin([:])
        return line
    }

    private func start(_ program: String, _ words: [String], environment: [String] = []) throws -> Program {
        let started = try Program(program, words, environment: environment)
        programs.append(started)
        return started
    }

    /// Ends the browser and all its helper programs.
    func end() async {
        await line?.end()
        for program in programs {
            program.child.kill(SIGKILL)
            _ = try? await program.result()
        }
        programs = []
    }

    // MARK: A musician's actions and the pages' state

    func open(_ address: String) async throws {
        _ = try await line.tell(.navigate, ["url": address])
        try await runLate()
    }

    /// Has a script run in each page that is opened from now on: in Firefox before the page's own scripts, in WebKit once the page is
    /// complete. It can reach values that are private to the page's own scripts.
    func runFirst(_ script: String) async throws {
        if try await !line.runFirst(script) { lateScript = script }
    }

    private func runLate() async throws {
        if let lateScript { _ = try await ask("\(lateScript)\nreturn true", as: Bool.self) }
    }

    /// Reloads the page, and waits until the new one is complete.
    func reload() async throws {
        _ = try await ask("window.isFormer = true; setTimeout(() => location.reload()); return true", as: Bool.self)
        try await waitUntil { (try? await self.holds("window.isFormer !== true && document.readyState === 'complete'")) == true }
        try await runLate()
    }

    func resize(_ width: Int, _ height: Int) async throws {
        _ = try await line.tell(.setRect, ["x": 0, "y": 0, "width": width, "height": height])
    }

    func press(_ key: Key) async throws {
        let strokes = [["type": "keyDown", "value": key.rawValue], ["type": "keyUp", "value": key.rawValue]]
        _ = try await line.tell(.actions, ["actions": [["type": "key", "id": "keyboard", "actions": strokes]]])
    }

    /// Runs a script and returns its result. The script cannot reach values that are private to the page's own scripts.
    func ask<Answer>(_ script: String, _ arguments: [Any] = [], as _: Answer.Type = Answer.self) async throws -> Answer {
        try #require(try await line.tell(.script, ["script": script, "args": arguments]) as? Answer)
    }

    func wait(for condition: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // A request to Firefox blocks the loop, which other tests need, too.
        let script = Browser.waiting(for: condition, atMost: 50)
        try await waitUntil(
            { try await self.line.tell(.script, ["script": script, "args": [Any]()]) as? Bool ?? false },
            for: condition, sourceLocation: sourceLocation)
    }

    /// Whether a condition is true; throws if the page is just being replaced.
    func holds(_ condition: String) async throws -> Bool {
        try await line.tell(.script, ["script": "return Promise.resolve(\(condition)).then(Boolean)", "args": [Any]()]) as? Bool ?? false
    }

    /// Attaches a picture of the window to the test's results if they are saved.
    func screenshot(_ name: String) async throws {
        guard CommandLine.arguments.contains("--attachments-path") else { return }
        let text = try #require(try await line.tell(.screenshot, [:]) as? String)
        Attachment.record(Array(Data(base64Encoded: text) ?? Data()), named: name + ".png")
    }
}

/// The WebDriver commands in use, with their paths and with Firefox's names for them.
private enum WebDriverCommand {
    case navigate, setRect, actions, script, screenshot

    var path: String {
        switch self {
        case .navigate: "/url"
        case .setRect: "/window/rect"
        case .actions: "/actions"
        case .script: "/execute/sync"
        case .screenshot: "/screenshot"
        }
    }

    var name: String {
        switch self {
        case .navigate: "WebDriver:Navigate"
        case .setRect: "WebDriver:SetWindowRect"
        case .actions: "WebDriver:PerformActions"
        case .script: "WebDriver:ExecuteScript"
        case .screenshot: "WebDriver:TakeScreenshot"
        }
    }
}

/// Sends commands to a browser, and returns the values of its answers.
@LoopActor
private protocol WebDriverLine {
    func tell(_ command: WebDriverCommand, _ body: [String: Any]) async throws -> Any
    /// Has a script run in all later pages before their own scripts. Returns whether the browser can do that.
    func runFirst(_ script: String) async throws -> Bool
    func end() async
}

@LoopActor
private final class WebKitLine: WebDriverLine {
    private let root: String
    private var session = ""
    private let transport = CurlTransport(userAgent: "woodshed", allowsInsecureLoopback: true)

    init(root: String) { self.root = root }

    func begin(_ capabilities: [String: Any]) async throws {
        let begun = try await send(.post, "/session", ["capabilities": ["alwaysMatch": capabilities]])
        session = "/session/" + (try #require((begun as? [String: Any])?["sessionId"] as? String))
    }

    func tell(_ command: WebDriverCommand, _ body: [String: Any]) async throws -> Any {
        if case .screenshot = command { return try await send(.get, session + command.path, nil) }
        return try await send(.post, session + command.path, body)
    }

    func runFirst(_ script: String) async throws -> Bool { false }

    func end() async {
        transport.close()
        // The window closes with the session.
        if !session.isEmpty { _ = try? HTTPProbe.send("DELETE", root + session) }
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: [String: Any]?) async throws -> Any {
        let bytes = try body.map { Array(try JSONSerialization.data(withJSONObject: $0)) } ?? []
        let response = try await transport.send(
            HTTPRequest(method, root + path, headers: [("Content-Type", "application/json")], body: bytes, timeout: .seconds(120)))
        guard response.status == 200 else { throw Trouble(String(decoding: response.body, as: UTF8.self)) }
        let reply = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        return reply?["value"] ?? NSNull()
    }
}

/// Firefox's own protocol: `length:[0, number, command, body]`, answered with `length:[1, number, error, value]`.
@LoopActor
private final class FirefoxLine: WebDriverLine {
    private let socket: Int32
    private var number = 0

    init(port: UInt16) throws {
        socket = try HTTPProbe.connect(port: port)
        _ = try receive()
    }

    func begin(_ capabilities: [String: Any]) async throws {
        _ = try exchange("WebDriver:NewSession", ["capabilities": ["alwaysMatch": capabilities]])
    }

    func tell(_ command: WebDriverCommand, _ body: [String: Any]) async throws -> Any {
        let reply = try exchange(command.name, body.merging(["sandbox": NSNull()]) { first, _ in first })
        return (reply as? [String: Any])?["value"] ?? NSNull()
    }

    /// The page's policy refuses all scripts but its own, so Firefox's debugger runs this one, in the process of each page.
    func runFirst(_ script: String) async throws -> Bool {
        let words = String(decoding: try JSONSerialization.data(withJSONObject: [script]), as: UTF8.self)
        let preparing = """
            const { addDebuggerToGlobal } = ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs");
            const place = Cu.Sandbox(Services.scriptSecurityManager.getSystemPrincipal(), { freshCompartment: true });
            addDebuggerToGlobal(place);
            const tools = new place.Debugger();
            const [script] = \(words);
            addEventListener("DOMWindowCreated", ({ target }) => {
              tools.makeGlobalObjectReference(target.defaultView).executeInGlobal(script);
            }, true);
            """
        let loading = "Services.mm.loadFrameScript('data:text/javascript;charset=utf-8,' + encodeURIComponent(arguments[0]), true)"
        _ = try exchange("Marionette:SetContext", ["value": "chrome"])
        _ = try exchange("WebDriver:ExecuteScript", ["script": loading, "args": [preparing], "sandbox": "system"])
        _ = try exchange("Marionette:SetContext", ["value": "content"])
        return true
    }

    func end() async {
        _ = try? exchange("Marionette:Quit", ["flags": ["eForceQuit"]])
        close(socket)
    }

    private func exchange(_ name: String, _ body: [String: Any]) throws -> Any {
        number += 1
        let message = try JSONSerialization.data(withJSONObject: [0, number, name, body])
        let bytes = Array("\(message.count):".utf8) + message
        guard bytes.withUnsafeBytes({ send(socket, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }) == bytes.count else {
            throw Trouble("Firefox has gone")
        }
        let reply = try #require(try JSONSerialization.jsonObject(with: receive()) as? [Any])
        guard reply.count == 4, reply[2] is NSNull else { throw Trouble("\(name): \(reply)") }
        return reply[3]
    }

    private func receive() throws -> Data {
        var length = 0
        while let byte = try read(1).first, byte != UInt8(ascii: ":") { length = 10 * length + Int(byte) - 48 }
        return try read(length)
    }

    private func read(_ count: Int) throws -> Data {
        var found = Data()
        var chunk = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while found.count < count {
            let got = recv(socket, &chunk, min(chunk.count, count - found.count), 0)
            guard got > 0 else { throw Trouble("Firefox has gone, or hangs") }
            found += chunk[..<got]
        }
        return found
    }
}
