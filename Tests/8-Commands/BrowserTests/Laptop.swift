import Foundation
import Platform
import TestSupport
import Testing

/// A stroke in the test's own books. It begins at a spot of its own, where it can be taken hold of, and crosses others further on.
@LoopActor
final class Stroke {
    /// The mark's id, once it is drawn.
    var id = ""
    /// Who drew it.
    let side: Laptop.Side
    let page: Int
    let tool: String
    /// Where it begins and where it ends, in shares of the page.
    private(set) var from: (x: Double, y: Double)
    let to: (x: Double, y: Double)
    private(set) var isPlaceKnown = true
    /// Whether it was moved: farther from the edge, others might lie over it.
    private(set) var hasMoved = false
    /// Whether it must be there in the end.
    var isThere = true

    /// How many spots a page has, far enough apart for erasers and for fingers.
    static let spots = 50

    /// Spots are down the page's left and right edges; most strokes from either edge cross some of the other's in the middle.
    init(_ number: Int, of pages: Int, by side: Laptop.Side, with tool: String? = nil, random: inout SeededGenerator) {
        let spot = number / pages
        let y = 0.06 + 0.036 * Double(spot / 2)
        let end = min(max(y + Double.random(in: -0.15...0.15, using: &random), 0.02), 0.98)
        let isLeft = spot.isMultiple(of: 2)
        self.side = side
        page = number % pages
        (from, to) = ((isLeft ? 0.05 : 0.95, y), (isLeft ? 0.6 : 0.4, end))
        // A stroke that is painted over others shows in which order they are drawn.
        self.tool = tool ?? ["Pen", "Highlighter", "White-out", "Line"].randomElement(using: &random) ?? "Pen"
    }

    /// Notes that somebody moved it: an erasure by the other side meanwhile does not count. If both moved it, either place is right.
    func noteMove(by across: Double, isOnly: Bool) {
        (isThere, hasMoved, isPlaceKnown) = (true, true, isPlaceKnown && isOnly)
        from = moved(by: across)
    }

    /// The place to which it is moved, away from the page's edge.
    func moved(by across: Double) -> (x: Double, y: Double) { (from.x + (from.x < 0.5 ? across : -across), from.y) }

    /// The stroke in the words of a failure.
    var words: String { "\(id), \(tool) of the \(side.rawValue)'s on page \(page + 1)" }
}

/// An agent and a browser with a chart open, the tools out, and the marks in a folder that another laptop has, too.
@LoopActor
final class Laptop {
    enum Side: String, CaseIterable {
        case left, right
    }

    let side: Side
    let desk: Desk
    let chart: String
    private var browser: Browser { desk.browser }

    /// The effect of a movement of the hand on the marks of its page, by their ids.
    struct Change: Decodable, Equatable {
        var came: [String] = []
        var went: [String] = []
        var changed: [String] = []
    }

    /// Opens a chart of so many pages. Laptops with the same stand-in's plans open the same chart.
    init(_ side: Side, _ desk: Desk, pages: Int) async throws {
        (self.side, self.desk) = (side, desk)
        try await desk.browser.resize(1100, 1200)
        chart = try await desk.openToDraw(pages: pages)
    }

    // MARK: What a musician does

    /// Leafs to a page.
    func leaf(to page: Int) async throws {
        while true {
            let now: Int = try await browser.ask("return Number(document.body.dataset.position)")
            if now == page { break }
            try await browser.press(now < page ? .pageDown : .pageUp)
            try await browser.wait(for: "document.body.dataset.position === '\(now < page ? now + 1 : now - 1)' && \(Desk.isReady)")
        }
        try await browser.wait(for: "\(Desk.isReady) && hand.canvas()")
    }

    /// Draws it on the page that is open. Returns whether that was the only change, as the other movements do.
    func draw(_ stroke: Stroke) async throws -> Bool {
        let (from, to) = (stroke.from, stroke.to)
        let ink = stroke.tool == "White-out" ? "" : "hand.tool('\(stroke.side == .left ? "Green" : "Blue")');"
        let change = try await act("hand.tool('\(stroke.tool)'); \(ink) hand.draw(hand.line([\(from.x), \(from.y)], [\(to.x), \(to.y)]))")
        stroke.id = change.came.first ?? ""
        return change == Change(came: [stroke.id])
    }

    /// Erases it where it begins.
    func erase(_ stroke: Stroke) async throws -> Bool {
        let (x, y) = stroke.from
        return try await act("hand.tool('Erase whole'); hand.draw([[\(x), \(y)], [\(x), \(y)]])") == Change(went: [stroke.id])
    }

    /// Takes hold of it where it begins, and moves it. The books stay as they are: the other side may not know yet.
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

    // MARK: What there is then

    /// Waits until the agent has all marks that were drawn here.
    func waitUntilKept() async throws { try await browser.wait(for: Desk.isKept) }

    /// Waits until the agent has read and drawn its folders, and the page has the news.
    func waitUntilQuiet() async throws {
        try await desk.run(["sync"])
        try await browser.run("return modules['ink-layer.js'].layerOf('\(chart)').read()")
    }

    /// The ids of the marks on each page that can be taken hold of.
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

    /// The pages' own images, with marks or without.
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

    /// The agent's complaints about files in a folder that it does not read, or not as they are.
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
