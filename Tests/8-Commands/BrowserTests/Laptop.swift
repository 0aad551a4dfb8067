import Foundation
import Platform
import TestSupport
import Testing

/// A stroke, as recorded by the test. The stroke begins at a spot of its own, where a tool reaches no other stroke, and then crosses
/// others.
@LoopActor
final class Stroke {
    /// The mark's id, after it was drawn.
    var id = ""
    /// The laptop on which it was drawn.
    let side: Laptop.Side
    let page: Int
    let tool: String
    /// The beginning and the end of the stroke, as fractions of the page.
    private(set) var from: (x: Double, y: Double)
    let to: (x: Double, y: Double)
    private(set) var isPlaceKnown = true
    /// Whether the stroke was moved away from the edge. Other strokes may cover it there, so it is not moved again.
    private(set) var hasMoved = false
    /// Whether the stroke must exist at the end.
    var isThere = true

    /// The number of spots on a page, far enough apart for erasers and fingers.
    static let spots = 50

    /// Places the stroke's spot at the left or right edge of the page. In the middle of the page, most strokes cross strokes from the
    /// other edge.
    init(_ number: Int, of pages: Int, by side: Laptop.Side, with tool: String? = nil, random: inout SeededGenerator) {
        let spot = number / pages
        let y = 0.06 + 0.036 * Double(spot / 2)
        let end = min(max(y + Double.random(in: -0.15...0.15, using: &random), 0.02), 0.98)
        let isLeft = spot.isMultiple(of: 2)
        self.side = side
        page = number % pages
        (from, to) = ((isLeft ? 0.05 : 0.95, y), (isLeft ? 0.6 : 0.4, end))
        // Tools that cover other strokes show whether both laptops draw in the same order.
        self.tool = tool ?? ["Pen", "Highlighter", "White-out", "Line"].randomElement(using: &random) ?? "Pen"
    }

    /// Records a move. The stroke then stays even if the other side erased it at the same time. If both sides moved the stroke, either
    /// place is right.
    func noteMove(by across: Double, isOnly: Bool) {
        (isThere, hasMoved, isPlaceKnown) = (true, true, isPlaceKnown && isOnly)
        from = moved(by: across)
    }

    /// The place of the spot after a move away from the page's edge.
    func moved(by across: Double) -> (x: Double, y: Double) { (from.x + (from.x < 0.5 ? across : -across), from.y) }

    /// The stroke as a failure describes it.
    var words: String { "\(id), \(tool) of the \(side.rawValue)'s on page \(page + 1)" }
}

/// An agent and a browser in which a chart is open and the tools are out. Another laptop shares the folder of marks.
@LoopActor
final class Laptop {
    enum Side: String, CaseIterable {
        case left, right
    }

    let side: Side
    let desk: Desk
    let chart: String
    private var browser: Browser { desk.browser }

    /// The marks, by id, that one movement of the hand added, removed or changed on its page.
    struct Change: Decodable, Equatable {
        var came: [String] = []
        var went: [String] = []
        var changed: [String] = []
    }

    /// Opens a chart of this many pages, the same on all laptops whose stand-in has the same plans.
    init(_ side: Side, _ desk: Desk, pages: Int) async throws {
        (self.side, self.desk) = (side, desk)
        try await desk.browser.resize(1100, 1200)
        chart = try await desk.openToDraw(pages: pages)
    }

    // MARK: A musician's actions

    /// Turns to a page.
    func leaf(to page: Int) async throws {
        while true {
            let now: Int = try await browser.ask("return Number(document.body.dataset.position)")
            if now == page { break }
            try await browser.press(now < page ? .pageDown : .pageUp)
            try await browser.wait(for: "document.body.dataset.position === '\(now < page ? now + 1 : now - 1)' && \(Desk.isReady)")
        }
        try await browser.wait(for: "\(Desk.isReady) && hand.canvas()")
    }

    /// Draws the stroke on the open page. Returns whether no other mark changed, as `erase` and `move` do.
    func draw(_ stroke: Stroke) async throws -> Bool {
        let (from, to) = (stroke.from, stroke.to)
        let ink = stroke.tool == "White-out" ? "" : "hand.tool('\(stroke.side == .left ? "Green" : "Blue")');"
        let change = try await act("hand.tool('\(stroke.tool)'); \(ink) hand.draw(hand.line([\(from.x), \(from.y)], [\(to.x), \(to.y)]))")
        stroke.id = change.came.first ?? ""
        return change == Change(came: [stroke.id])
    }

    /// Erases the stroke at its spot.
    func erase(_ stroke: Stroke) async throws -> Bool {
        let (x, y) = stroke.from
        return try await act("hand.tool('Erase whole'); hand.draw([[\(x), \(y)], [\(x), \(y)]])") == Change(went: [stroke.id])
    }

    /// Drags the stroke by its spot. The caller records the move, since the other side may not have received it yet.
    func move(_ stroke: Stroke, by across: Double) async throws -> Bool {
        let way = [0, across / 2, across].map { stroke.moved(by: $0) }.map { [$0.x, $0.y] }
        return try await act("hand.tool('Choose'); hand.draw(\(way)); hand.tool('Pen')") == Change(changed: [stroke.id])
    }

    private func act(_ movement: String) async throws -> Change {
        try await browser.ask(
            """
            const layer = modules["ink-layer.js"].layerOf("\(chart)");
            const page = Number(document.body.dataset.position);
            const marks = () => new Map(layer.marksOn(page).map(({ id, points }) => [id, JSON.stringify(points)]));
            const before = marks();
            \(movement);
            const after = marks();
            return {
              came: [...after.keys()].filter((id) => !before.has(id)), went: [...before.keys()].filter((id) => !after.has(id)),
              changed: [...after.keys()].filter((id) => before.has(id) && before.get(id) !== after.get(id)),
            };
            """)
    }

    // MARK: Results

    /// Waits until the agent has saved all marks that were drawn in this browser.
    func waitUntilKept() async throws { try await browser.wait(for: Desk.isKept) }

    /// Waits until the agent has read its folders and drawn all pages, and the page has read the new marks.
    func waitUntilQuiet() async throws {
        try await desk.run(["sync"])
        try await browser.run("return modules['ink-layer.js'].layerOf('\(chart)').read()")
    }

    /// The ids of all marks that can be chosen, on all pages.
    func shown(pages: Int) async throws -> Set<String> {
        var shown: Set<String> = []
        for page in 0..<pages {
            try await leaf(to: page)
            try await browser.run("hand.tool('Choose')")
            shown.formUnion(
                try await browser.ask(
                    "return [...document.querySelectorAll('.ink-list [role=option]')].map((each) => each.dataset.mark)", as: [String].self))
            try await browser.run("hand.tool('Pen')")
        }
        return shown
    }

    /// The images of all pages, with marks or without.
    func images(_ variant: String = "annotated") async throws -> [PNGImage] {
        let all: [String] = try await browser.ask(
            """
            const textOf = async ({ src }) => {
              const bytes = new Uint8Array(await (await fetch(src)).arrayBuffer());
              let text = "";
              for (const byte of bytes) text += String.fromCharCode(byte);
              return btoa(text);
            };
            return fetch("/api/chart/\(chart)").then((reply) => reply.json())
              .then(({ pages }) => Promise.all(pages.map((page) => textOf(page.\(variant)))));
            """)
        return try all.map { try #require(Data(base64Encoded: $0).flatMap { PNGImage(Array($0)) }) }
    }

    /// The agent's messages about files in a folder that it could not read, or not completely.
    func complaints(of folder: String) async throws -> [String] {
        struct Status: Decodable {
            struct Agent: Decodable {
                struct Setback: Decodable {
                    var subject: String
                    var message: String
                }
                var marks: [Setback]
            }
            var agent: Agent
        }
        let told = try await desk.run(["status", "--json"]).output
        let status = try JSONDecoder().decode(Status.self, from: Data(told.utf8))
        return status.agent.marks.filter { $0.subject.contains(folder) }.map { "\($0.subject) \($0.message)" }
    }
}
