import Foundation
import Model
import Platform
import TestSupport
import Testing
import WebDriver

/// A headless Chromium with its WebDriver; `end()` ends both. Tests borrow a browser from `Browsers`.
@LoopActor
final class Browser {
    /// Whether Chromium and its driver are installed.
    nonisolated static let isInstalled = ChromiumDriver.isInstalled
    nonisolated static let isMissing: Comment = "Chromium is not installed: apt-get install chromium-driver chromium-headless-shell"

    /// The host name by which this machine looks like another one: browsers do not trust it as they trust 127.0.0.1.
    nonisolated static let elsewhere = "laptop.test"

    private let files = TemporaryFolder()
    private let driver: ChromiumDriver
    private var root: String { driver.root }
    private var session: String { driver.session }
    /// The origins of all opened pages, which may have stored data.
    private var origins: Set<String> = []

    /// The lines that pages wrote for `Browser+Refusals` so far.
    private var notes: [String] = []

    /// Starts the browser and its driver, with a profile that is removed when they end.
    init() async throws {
        driver = try await ChromiumDriver(
            place: files.path,
            arguments: [
                "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                "--force-prefers-reduced-motion", "--window-size=1280,900", "--host-resolver-rules=MAP \(Self.elsewhere) 127.0.0.2",
            ])
        do {
            try await runFirst(Self.notingRefusals)
        } catch {
            await end()
            throw error
        }
    }

    func end() async { await driver.end() }

    /// Closes all pages, opens one empty window, and removes the data and messages of earlier pages. Returns the last messages.
    @discardableResult
    func forgetAll() async throws -> [String] {
        let former: [String] = try await get(session + "/window/handles")
        // A page may have closed the current tab.
        if let any = former.first { try await turn(to: any) }
        let window: [String: Any] = ["url": "about:blank", "newWindow": true, "width": 1280, "height": 900]
        let fresh: Target = try await ask(session + "/goog/cdp/execute", ["cmd": "Target.createTarget", "params": window])
        try await turn(to: fresh.targetId)
        for tab in former {
            let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Target.closeTarget", "params": ["targetId": tab]])
        }
        // Closed pages run for a while. Without their cookie their requests would be refused, and the refusals would count against the next
        // test, so wait until the pages are gone.
        try await waitUntil { try await (self.get(self.session + "/window/handles") as [String]) == [fresh.targetId] }
        let stored = origins.map { ("Storage.clearDataForOrigin", ["origin": $0, "storageTypes": "all"]) }
        for (command, parameters) in [("Network.clearBrowserCookies", [:]), ("Network.clearBrowserCache", [:])] + stored {
            let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": command, "params": parameters])
        }
        origins = []
        let said = try await log().map(\.message)
        notes = []
        try await runFirst(Self.notingRefusals)
        return said
    }

    private struct Target: Decodable {
        var targetId: String
    }

    // MARK: A musician's actions

    func open(_ address: String) async throws {
        if address.hasPrefix("http") { origins.insert(address.split(separator: "/").prefix(2).joined(separator: "//")) }
        try await driver.open(address)
    }

    /// Resizes the window to this many CSS pixels, each of `scale` pixels of the screen.
    func resize(_ width: Int, _ height: Int, scale: Double = 1) async throws {
        try await driver.resize(width, height, scale: scale)
    }

    /// Slows down the pages' scripts by this factor.
    func slowDown(_ times: Int) async throws { try await driver.slowDown(times) }

    /// Emulates a dark or a light system, a system that chooses all colours, or printing.
    func setDark(_ isDark: Bool, choosesColours: Bool = false, prints: Bool = false) async throws {
        let features = [
            ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
            ["name": "forced-colors", "value": choosesColours ? "active" : "none"],
        ]
        let media: [String: Any] = ["media": prints ? "print" : "", "features": features]
        let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Emulation.setEmulatedMedia", "params": media])
    }

    /// Sets the default letter size (px), for pages that set none; 16 is usual.
    func setLetters(_ size: Int) async throws {
        let sizes = ["fontSizes": ["standard": size, "fixed": size * 13 / 16]]
        let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Page.setFontSizes", "params": sizes])
    }

    /// Presses keys one after the other, with a pause of `pause` milliseconds before each.
    func press(_ keys: [Key], pause: Int = 0) async throws {
        let strokes: [[String: Any]] = keys.flatMap { key -> [[String: Any]] in
            [["type": "pause", "duration": pause], ["type": "keyDown", "value": key.rawValue], ["type": "keyUp", "value": key.rawValue]]
        }
        let keyboard: [String: Any] = ["type": "key", "id": "keyboard", "actions": strokes]
        let _: Nothing = try await ask(session + "/actions", ["actions": [keyboard]])
    }

    func press(_ key: Key) async throws { try await press([key]) }

    /// Types text into the focused element.
    func type(_ text: String) async throws {
        let strokes: [[String: Any]] = text.flatMap { letter -> [[String: Any]] in
            [["type": "keyDown", "value": String(letter)], ["type": "keyUp", "value": String(letter)]]
        }
        let _: Nothing = try await ask(session + "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": strokes]]])
    }

    /// Puts a finger down, moves it by some pixels in this many milliseconds, and lifts it.
    func touch(x: Int, y: Int, by move: (x: Int, y: Int), for milliseconds: Int) async throws {
        let actions: [[String: Any]] = [
            ["type": "pointerMove", "x": x, "y": y, "duration": 0], ["type": "pointerDown", "button": 0],
            ["type": "pointerMove", "x": x + move.x, "y": y + move.y, "duration": milliseconds], ["type": "pointerUp", "button": 0],
        ]
        let finger: [String: Any] = ["type": "pointer", "id": "finger", "parameters": ["pointerType": "touch"], "actions": actions]
        let _: Nothing = try await ask(session + "/actions", ["actions": [finger]])
    }

    /// Opens and shows another tab, and returns the tab's name.
    func openTab() async throws -> String {
        let tab: Tab = try await ask(session + "/window/new", ["type": "tab"])
        try await show(tab.handle)
        try await runFirst(Self.notingRefusals)
        return tab.handle
    }

    /// Opens another window next to the current one, and returns the name of its tab; the other windows stay visible.
    func openWindow() async throws -> String {
        let tab: Tab = try await ask(session + "/window/new", ["type": "window"])
        let _: Nothing = try await ask(session + "/window", ["handle": tab.handle])
        try await runFirst(Self.notingRefusals)
        return tab.handle
    }

    /// Sends the following commands to a tab of another window. The tab is visible already, so nothing is hidden.
    func turn(to tab: String) async throws {
        let _: Nothing = try await ask(session + "/window", ["handle": tab])
    }

    /// Closes the current tab; the test must then turn to another tab.
    func closeTab() async throws {
        let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Page.close", "params": [String: Any]()])
    }

    /// Runs a script in every page that this tab opens from now on, before the page's own scripts.
    func runFirst(_ script: String) async throws {
        let _: Nothing = try await ask(
            session + "/goog/cdp/execute", ["cmd": "Page.addScriptToEvaluateOnNewDocument", "params": ["source": script]])
    }

    func tab() async throws -> String { try await get(session + "/window") }

    /// Shows a tab, and so hides the other tabs of its window.
    func show(_ tab: String) async throws {
        let _: Nothing = try await ask(session + "/window", ["handle": tab])
        let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Page.bringToFront", "params": [String: Any]()])
    }

    private struct Tab: Decodable {
        var handle: String
    }

    /// Empties the browser's cache, and the current page's memory of images.
    func forgetImages() async throws {
        try await run("modules['plan-holder.js'].holder.imageAt = () => null")
        let _: Nothing = try await ask(
            session + "/goog/cdp/execute", ["cmd": "Network.clearBrowserCache", "params": [String: Any]()])
    }

    /// Disconnects the current page from the network, or connects it again.
    func setOffline(_ isOffline: Bool) async throws {
        let conditions: [String: Any] = ["offline": isOffline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1]
        for (command, parameters) in [("Network.enable", [:]), ("Network.emulateNetworkConditions", conditions)] {
            let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": command, "params": parameters])
        }
    }

    /// Has downloads saved to this folder.
    func save(to folder: String) async throws {
        let place = ["behavior": "allow", "downloadPath": folder]
        let _: Nothing = try await ask(session + "/goog/cdp/execute", ["cmd": "Browser.setDownloadBehavior", "params": place])
    }

    // MARK: The pages' state

    /// The PDF that the browser's own "Print" makes of the page.
    func printed() async throws -> [UInt8] {
        struct Printed: Decodable {
            var data: String
        }
        let printed: Printed = try await ask(
            session + "/goog/cdp/execute", ["cmd": "Page.printToPDF", "params": ["printBackground": true]])
        return Array(Data(base64Encoded: printed.data) ?? Data())
    }

    /// Runs a script and returns its result, or the value of the promise that it returns.
    func ask<Answer: Decodable>(_ script: String, _ arguments: [Any] = [], as _: Answer.Type = Answer.self) async throws -> Answer {
        try await ask(session + "/execute/sync", ["script": script, "args": arguments])
    }

    func run(_ script: String) async throws {
        let _: Nothing = try await ask(session + "/execute/sync", ["script": script, "args": [Any]()])
    }

    /// Waits until an expression is true in the page.
    func wait(for condition: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await waitUntil({ try await self.comesToHold(condition) }, for: condition, sourceLocation: sourceLocation)
    }

    /// A script by which the page itself waits, for this many milliseconds at most. Polling from outside every few milliseconds
    /// would load the machine more than the awaited work does.
    nonisolated static func waiting(for condition: String, atMost limit: Int = 500) -> String {
        """
        return (async () => {
          const begin = performance.now();
          while (!(await (\(condition)))) {
            const passed = performance.now() - begin;
            if (passed > \(limit)) return false;
            await new Promise((go) => setTimeout(go, Math.min(Math.max(passed / 10, 5), 50)));
          }
          return true;
        })();
        """
    }

    private func comesToHold(_ condition: String) async throws -> Bool {
        do {
            return try await ask(Self.waiting(for: condition))
        } catch let failure as Trouble
            where failure.description.contains(/document unloaded while waiting|aborted by navigation/)
        {
            // The page is being replaced, and the next one may fulfil the condition.
            return false
        }
    }

    /// Records all cues from now on: texts that the stage shows for a moment.
    func noteCues() async throws {
        try await run(
            """
            window.cues = [];
            new MutationObserver(() => {
              const cue = document.querySelector(".cue:not([hidden])");
              if (cue) window.cues.push(cue.textContent);
            }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"] });
            """)
    }

    /// The last cue since `noteCues`.
    static let lastCue = "(window.cues.at(-1) ?? '')"

    /// Attaches a picture of the window to the test's results, but only if the results are saved, since a large picture takes a second.
    func screenshot(_ name: String) async throws {
        if CommandLine.arguments.contains("--attachments-path") { _ = try await picture(name) }
    }

    /// Takes a picture of the window, and attaches it to the test's results.
    func picture(_ name: String) async throws -> [UInt8] {
        let text: String = try await get(session + "/screenshot")
        guard let bytes = Data(base64Encoded: text) else { throw Trouble("a screenshot that is no base64") }
        Attachment.record(Array(bytes), named: name + ".png")
        return Array(bytes)
    }

    /// Expects no error in the console since the last call, except those that contain `part`: no failed script, and no violation
    /// of the page's policy.
    func expectNoComplaints(besides parts: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let complaints = try await log().filter { $0.level == "SEVERE" }.map(\.message).filter { message in
            !parts.contains { message.contains($0) }
        }
        guard complaints != [] else { return }
        let refusals = try await refusals()
        #expect(complaints == [], "\(refusals.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    /// The lines that pages wrote for `Browser+Refusals` since the browser was last emptied.
    func noted() async throws -> [String] {
        _ = try await log()
        return notes
    }

    /// The new entries in the pages' consoles, without the lines for `Browser+Refusals`.
    private func log() async throws -> [Entry] {
        let entries: [Entry] = try await ask(session + "/se/log", ["type": "browser"])
        notes += entries.map(\.message).filter { $0.contains(Self.note) }
        return entries.filter { !$0.message.contains(Self.note) }
    }

    private struct Entry: Decodable {
        var level: String
        var message: String
    }

    // MARK: WebDriver

    private typealias Nothing = ChromiumDriver.Nothing

    private func ask<Value: Decodable>(_ path: String, _ body: [String: Any]) async throws -> Value {
        try await driver.post(path, String(decoding: JSONSerialization.data(withJSONObject: body), as: UTF8.self))
    }

    private func get<Value: Decodable>(_ path: String) async throws -> Value {
        try await driver.send(HTTPRequest(.get, root + path))
    }
}
