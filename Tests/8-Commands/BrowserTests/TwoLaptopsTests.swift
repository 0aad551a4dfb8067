import Foundation
import Model
import Platform
import TestSupport
import Testing

/// Two laptops share their folder of marks through Syncthing and are separated for a while: no mark drawn on either is lost.
@Suite(
    .onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing),
    .enabled(if: Syncthing.isInstalled, Syncthing.isMissing))
struct TwoLaptopsTests {
    /// The strokes and erasures of both laptops together: by default enough for every case, or WOODSHED_TEST_STROKES.
    private static let strokes = Asked.number("STROKES", everyday: 32)

    enum Course: CaseIterable {
        case apart
        case byTurns
        /// The laptops begin with a layer from the time when all laptops wrote to one file; a person copied it to the other laptop.
        case onAFormerLayer
    }

    @Test(arguments: Course.allCases) @LoopActor func whatTwoLaptopsDrawIsOnBoth(_ course: Course) async throws {
        try await Meeting.use(strokes: Self.strokes, withFormerLayer: course == .onAFormerLayer) { meeting in
            if course == .byTurns { try await meeting.drawByTurns() } else { try await meeting.drawAndMeetTwice() }
        }
    }
}

/// Two laptops, with a record of all strokes on both and of the result that must follow.
@LoopActor
private final class Meeting {
    private enum Act {
        case draw, erase
        case move(Double)
    }

    private typealias Step = (side: Laptop.Side, act: Act, stroke: Stroke)

    private let laptops: [Laptop.Side: Laptop]
    private let folder: SyncedFolder
    /// The number of the chart's pages.
    private let pages: Int
    /// The number of strokes and erasures on each side in each of the test's four parts.
    private let acts: Int
    private var random = SeededGenerator(seed: 5)
    private var strokes: [Stroke]

    /// Runs a test with two laptops whose folders of marks Syncthing keeps equal.
    static func use(
        strokes count: Int, withFormerLayer hasFormer: Bool = false, _ test: @LoopActor (Meeting) async throws -> Void
    ) async throws {
        let acts = max(4, (count + 7) / 8)
        // Each stroke needs a spot of its own. About five of every eight steps on both sides are strokes; room for six leaves a
        // reserve.
        let pages = max(2, (acts * 6 + Stroke.spots - 1) / Stroke.spots)
        let former = hasFormer ? FormerLayer(pages: pages) : nil
        let folders = (left: TemporaryFolder(), right: TemporaryFolder())
        for folder in [folders.left, folders.right] {
            if let former { try AtomicFile.write(former.text, to: folder.path(FormerLayer.name)) }
        }
        try await Desk.use(marks: folders.left.path) { left in
            try await Desk.use(marks: folders.right.path) { right in
                let laptops = [
                    Laptop.Side.left: try await Laptop(.left, left, pages: pages), .right: try await Laptop(.right, right, pages: pages),
                ]
                for (side, laptop) in laptops {
                    let ready = try await laptop.desk.run(["ready"])
                    #expect(ready.exit == .code(0), "before anything is drawn on the \(side.rawValue): \(ready.output)")
                }
                try await SyncedFolder.use(folders.left.path, folders.right.path) { folder in
                    let meeting = Meeting(laptops, folder, pages: pages, acts: acts, strokes: former?.strokes ?? [])
                    if former != nil { try await meeting.settle("meeting for the first time") }
                    try await test(meeting)
                }
            }
        }
    }

    private init(_ laptops: [Laptop.Side: Laptop], _ folder: SyncedFolder, pages: Int, acts: Int, strokes: [Stroke]) {
        (self.laptops, self.folder, self.pages, self.acts, self.strokes) = (laptops, folder, pages, acts, strokes)
    }

    private func laptop(_ side: Laptop.Side) throws -> Laptop { try #require(laptops[side]) }

    // MARK: Steps

    /// Each side waits for the other's last strokes before it draws.
    func drawByTurns() async throws {
        for _ in 0..<2 {
            for side in Laptop.Side.allCases {
                try await perform(draw(acts - acts / 4, on: side))
                try await settle("drawing on the \(side.rawValue)")
                var free = loose()
                let moved = unmoved(of: &free).map { [(side, Act.move(0.04), $0)] } ?? []
                try await perform(erase(acts / 4, on: side, of: &free) + moved)
                try await settle("erasing on the \(side.rawValue)")
            }
        }
        try await expectAllOnBoth()
    }

    func drawAndMeetTwice() async throws {
        for parting in [SyncedFolder.Parting.distance, .rest] {
            try await drawTogether()
            try await drawApart(by: parting)
        }
        try await expectAllOnBoth()
    }

    /// Both draw at the same time. When each has the other's strokes, both erase some of them.
    private func drawTogether() async throws {
        let erasures = acts / 4
        try await perform(Laptop.Side.allCases.flatMap { draw(acts - erasures, on: $0) })
        try await settle("drawing together")
        var free = loose()
        try await perform(Laptop.Side.allCases.flatMap { erase(erasures, on: $0, of: &free) })
        try await settle("erasing together")
    }

    /// Both draw, erase and move before either receives the other's changes.
    private func drawApart(by parting: SyncedFolder.Parting) async throws {
        try await folder.part(by: parting)
        // The sides exchange roles in the second round.
        let (one, other): (Laptop.Side, Laptop.Side) = parting == .distance ? (.left, .right) : (.right, .left)
        let erasures = acts / 2
        var free = loose()
        var steps = draw(acts - erasures, on: one) + draw(acts - erasures, on: other)
        // A stroke that one side erases and the other moves must stay, because moving a stroke shows that it is still needed.
        let wanted = try #require(unmoved(of: &free))
        steps += [(one, .move(0.04), wanted), (other, .erase, wanted)]
        steps += erase(erasures, on: one, of: &free) + erase(erasures - 1, on: other, of: &free)
        if let both = unmoved(of: &free) { steps += [(one, .move(0.03), both), (other, .move(0.06), both)] }
        if let moved = unmoved(of: &free) { steps.append((other, .move(0.05), moved)) }
        try await perform(steps)
        try await folder.join()
        try await settle("being apart by \(parting)")
    }

    /// The strokes that may be erased or moved, in random order.
    private func loose() -> [Stroke] { strokes.filter { $0.isThere && $0.isPlaceKnown }.shuffled(using: &random) }

    private func unmoved(of free: inout [Stroke]) -> Stroke? {
        free.lastIndex { !$0.hasMoved }.map { free.remove(at: $0) }
    }

    private func draw(_ count: Int, on side: Laptop.Side) -> [Step] {
        (0..<count).map { _ in
            let stroke = Stroke(strokes.count, of: pages, by: side, random: &random)
            strokes.append(stroke)
            return (side, .draw, stroke)
        }
    }

    /// Erases strokes of the other side and of its own in turn, while there are any.
    private func erase(_ count: Int, on side: Laptop.Side, of free: inout [Stroke]) -> [Step] {
        (0..<count).compactMap { number in
            let isOwn = !number.isMultiple(of: 2)
            guard let place = free.lastIndex(where: { ($0.side == side) == isOwn }) ?? free.indices.last else { return nil }
            return (side, .erase, free.remove(at: place))
        }
    }

    /// Performs all steps, page by page and with alternating sides, and records the result that must follow.
    private func perform(_ steps: [Step]) async throws {
        var mishaps: [String] = []
        for page in 0..<pages {
            var queues = Laptop.Side.allCases.map { side in steps.filter { $0.side == side && $0.stroke.page == page }[...] }
            for side in Laptop.Side.allCases { try await laptop(side).leaf(to: page) }
            while queues.contains(where: { !$0.isEmpty }) {
                for step in queues.indices.compactMap({ queues[$0].popFirst() }) where try await !isDone(step) {
                    mishaps.append("\(step.act) on the \(step.side.rawValue): \(step.stroke.words)")
                }
            }
        }
        #expect(mishaps == [], "a mark that is not there cannot be erased or moved")
        for step in steps {
            if case .erase = step.act { step.stroke.isThere = false }
        }
        for step in steps {
            guard case .move(let across) = step.act else { continue }
            let moves = steps.count { if case .move = $0.act { $0.stroke === step.stroke } else { false } }
            step.stroke.noteMove(by: across, isOnly: moves == 1)
        }
        for side in Laptop.Side.allCases { try await laptop(side).waitUntilKept() }
    }

    private func isDone(_ step: Step) async throws -> Bool {
        let laptop = try laptop(step.side)
        switch step.act {
        case .draw: return try await laptop.draw(step.stroke)
        case .erase: return try await laptop.erase(step.stroke)
        case .move(let across): return try await laptop.move(step.stroke, by: across)
        }
    }

    // MARK: Results

    /// Waits until both folders are equal and both agents have read them, and checks the marks on both.
    private func settle(_ what: String) async throws {
        try await folder.settle()
        for side in Laptop.Side.allCases { try await laptop(side).waitUntilQuiet() }
        // An agent may have written a file because of the files that it read.
        try await folder.settle()
        for side in Laptop.Side.allCases { try await laptop(side).waitUntilQuiet() }
        for side in Laptop.Side.allCases {
            let shown = try await laptop(side).shown(pages: pages)
            let lacking = strokes.filter { $0.isThere && !shown.contains($0.id) }
            let excess = strokes.filter { !$0.isThere && shown.contains($0.id) }
            #expect(lacking.map(\.words) == [], "after \(what), the \(side.rawValue) lacks these of \(strokes.count(where: \.isThere))")
            #expect(excess.map(\.words) == [], "after \(what), the \(side.rawValue) shows these though they were erased")
            #expect(shown.subtracting(strokes.map(\.id)) == [], "after \(what), the \(side.rawValue) shows these that nobody drew")
        }
    }

    /// Expects that both laptops draw identical pages, have read every file, and are ready to be played from.
    private func expectAllOnBoth() async throws {
        let (left, right) = (try laptop(.left), try laptop(.right))
        let pictures = (left: try await left.images(), right: try await right.images(), plain: try await left.images("plain"))
        try #require(pictures.left.count == pages && pictures.right.count == pages)
        for page in 0..<pages {
            let isAlike = pictures.left[page] == pictures.right[page]
            #expect(isAlike, "both laptops draw page \(page + 1) alike")
        }
        // Empty pages would be identical, too. White-out on white paper is invisible, so it is left out.
        let visible = strokes.filter { $0.isThere && $0.isPlaceKnown && $0.tool != "White-out" }
        let lost = visible.filter { !pictures.left[$0.page].hasInk(at: $0.from, over: pictures.plain[$0.page]) }
        #expect(lost.map(\.words) == [], "these are in none of the pages' images")
        for (laptop, place) in [(left, folder.left), (right, folder.right)] {
            #expect(try await laptop.complaints(of: place.folder) == [], "on the \(laptop.side.rawValue)")
            let shown = try await laptop.shown(pages: pages)
            let wanted = Set(strokes.filter(\.isThere).map(\.id)).subtracting(shown)
            for (name, bytes) in try place.files().sorted(by: { $0.key < $1.key }) {
                let unseen = try Self.marks(in: bytes).filter(wanted.contains)
                #expect(unseen == [], "marks in \(name) that the \(laptop.side.rawValue) does not show")
            }
            let ready = try await laptop.desk.run(["ready"])
            #expect(ready.exit == .code(0), "on the \(laptop.side.rawValue): \(ready.output)")
            try await laptop.desk.browser.expectNoComplaints()
        }
    }

    /// The ids of all marks in a file.
    private static func marks(in file: [UInt8]) throws -> [String] {
        struct Marks: Decodable {
            struct Mark: Decodable { var id: String }
            var marks: [Mark]?
        }
        return try (JSONDecoder().decode(Marks.self, from: Data(file)).marks ?? []).map(\.id)
    }
}

extension PNGImage {
    /// Whether an image has ink that another image of the same page lacks, around a place given as fractions of the page. The
    /// area is wide, since a highlighter over a printed clef is visible only next to it.
    fileprivate func hasInk(at place: (x: Double, y: Double), over plain: PNGImage) -> Bool {
        let (x, y) = (Int(place.x * Double(width)), Int(place.y * Double(height)))
        let all = (x - 12...x + 12).flatMap { x in (y - 2...y + 2).map { y in (x, y) } }
        return all.contains { self[$0, $1] != plain[$0, $1] }
    }
}

/// A layer of the test's chart, as written when all laptops wrote to one file.
private struct FormerLayer {
    static let name = "Prelude e291be7f.marks.json"
    let strokes: [Stroke]
    let text: String

    /// Makes a few strokes, which are the first in the test's record, and one that was erased.
    @LoopActor
    init(pages: Int) {
        var random = SeededGenerator(seed: 6)
        strokes = (0..<6).map { number in
            let stroke = Stroke(number, of: pages, by: number.isMultiple(of: 3) ? .left : .right, with: "Line", random: &random)
            stroke.id = "former\(number)former\(number)"
            return stroke
        }
        let marks = strokes.enumerated().map { number, stroke in
            """
            {"color":"#c8102e","created_at":"2026-11-20T18:30:0\(number).334Z","id":"\(stroke.id)","kind":"line","page":\(stroke.page),\
            "points":[[\(stroke.from.x),\(stroke.from.y)],[\(stroke.to.x),\(stroke.to.y)]],"width":0.002,"v":{"0w1f0m1d2x1b2j1i6t6u":\(number + 1)}}
            """
        }
        text = """
            {
            "version":1,
            "attachment_id":"79073916",
            "chart":"\(SHA256.digest(of: MusicPages.pdf(pages)).hex)",
            "name":"Drawn in Woodshed",
            "written_by":"woodshed",
            "revision":8,
            "marks":[\(marks.joined(separator: ",\n"))],
            "also":[],
            "deleted":[{"id":"formerly","v":{"0w1f0m1d2x1b2j1i6t6u":8}}],
            "sums":"\(marks.map { SHA256.digest(of: Array($0.utf8)).hex.prefix(12) }.joined(separator: " "))"
            }

            """
    }
}
