import Annotations
import CommandLine
import Configuration
import Following
import Host
import Library
import Marks
import Model
import Platform
import Rendering

/// The musician's own marks of a chart, brought to where its music is in another chart.
struct FollowedMarks {
    /// A mark whose place is not certain, as it is on its own chart, and the proposed place, if there is one.
    struct Left {
        let mark: Mark
        let proposed: Following.Moved?
    }

    /// How many marks are new on the other chart.
    let added: Int
    let left: [Left]
    let code: ExitCode

    static let leftForm = JSONForm<Left>([
        .init("page", "the page that the mark is on", \.mark.page), .init("kind", "what it is", \.mark.kind.rawValue),
        .init("text", "what it says", \.mark.text),
        .init("other_page", "the page of the other chart on which --all puts it", \.proposed?.mark.page),
    ])

    /// What marks are, page by page, such as `page 2: 3 strokes, “rit.”`.
    static func words(_ marks: [Mark]) -> [String] {
        Dictionary(grouping: marks, by: \.page).sorted { $0.key < $1.key }.map { page, marks in
            let texts = marks.filter { [.text, .bookmark].contains($0.kind) }.map { "“\(($0.text ?? "").prefix(40))”" }
            let others = Dictionary(marks.filter { ![.text, .bookmark].contains($0.kind) }.map { (noun($0.kind), 1) }, uniquingKeysWith: +)
            return "\(page): " + (others.sorted { $0.key < $1.key }.map { $1.counted($0) } + texts).joined(separator: ", ")
        }
    }

    private static func noun(_ kind: Mark.Kind) -> String {
        switch kind {
        case .pen, .highlighter, .eraser: "stroke"
        case .image: "picture"
        case .landing: "landing of a jump"
        default: kind.rawValue
        }
    }
}

extension LayersCommand {
    /// Brings the marks that the user drew on a chart to the chart called `name`, and prints which were brought.
    func follow(_ chart: ChartFinder.Candidate, to name: String, in library: Library) async throws -> FollowedMarks {
        let other = try ChartFinder(library).find(name)
        guard other.attachment != chart.attachment else {
            throw CommandFailure(.usage, "--follow takes another chart than \(chart.filename)")
        }
        for chart in [chart, other] where try !library.charts.hasBytes(of: chart.hash) {
            throw CommandFailure(.notReady, "\(chart.filename) is not here; run '\(woodshed("sync"))'")
        }
        let (from, to) = (try drawn(chart, in: library), try drawn(other, in: library))
        let older = try library.olderMarks.outdatedMarks(of: chart.attachment).map(\.layer)
        guard !from.parts.contains(where: { older.contains(LocalFile.layerID(ofFile: $0.path)) }) else {
            throw CommandFailure(
                .notReady,
                "you drew on an older version of \(chart.filename); if your marks are right as they are: "
                    + woodshed("accept \(chart.attachment)"))
        }
        let marks = try await inOwnLayers { layers throws(Trouble) in try await layers.marks(of: from) }
        let there = try await inOwnLayers { layers throws(Trouble) in try await layers.marks(of: to) }
        // What came from the other chart is not brought back to it.
        let returning = Set(try LayerCopies.named(there, of: other.attachment).map(\.id))
        let named = try LayerCopies.named(marks.filter { !returning.contains($0.id) }, of: chart.attachment)
        guard !named.isEmpty else {
            context.output.message("You have drawn nothing on \(chart.filename) that could be brought.".printable)
            return FollowedMarks(added: 0, left: [], code: .fine)
        }
        let places = try await places(of: named, on: library.charts.path(of: chart.hash), in: library.charts.path(of: other.hash))
        let isEverything = invocation.has("all")
        var brought = places.compactMap { $0.map { isEverything || $0.isSure ? $0.mark : nil } ?? nil }
        // A jump is nothing without the place that it leads to.
        let ids = Set(brought.map(\.id))
        brought.removeAll { mark in mark.leads.map { !ids.contains($0) } ?? false }
        let kept = Set(brought.map(\.id))
        let left = zip(named, places).filter { mark, place in !kept.contains(mark.id) || place?.isSure != true }
            .map { FollowedMarks.Left(mark: $0, proposed: $1) }
        guard !brought.isEmpty else {
            context.output.message(
                ("Nothing was brought: it is not certain where any of your marks on \(chart.filename) belongs in \(other.filename). "
                    + "Perhaps they are not the same music.").printable)
            return FollowedMarks(added: 0, left: left, code: .failed)
        }
        let copied = try await inOwnLayers { layers throws(Trouble) in
            try await layers.copy(brought, from: nil, to: to, at: context.clock.timestamp, areBrought: true)
        }
        report(copied, left.filter { !kept.contains($0.mark.id) }.map(\.mark), left.filter { kept.contains($0.mark.id) }.map(\.mark))
        return FollowedMarks(added: copied.count, left: left, code: left.allSatisfy { kept.contains($0.mark.id) } ? .fine : .notReady)
    }

    private func places(of marks: [Mark], on chart: String, in other: String) async throws -> [Following.Moved?] {
        do {
            return try await configuration.options.withRenderer(clock: context.clock) { pool in
                try await pool.follow(FollowJob(marks, of: chart, to: other), in: .live)
            }
        } catch let failure as RenderFailure {
            throw CommandFailure(.failed, "nothing was brought: \(PDFImport.reason(failure))")
        }
    }

    /// Prints how many marks were brought, and lists those that were not, and those whose places are guesses.
    private func report(_ copied: OwnLayers.Copied, _ missing: [Mark], _ guessed: [Mark]) {
        func say(_ words: String) { context.output.message(words.printable) }
        say(
            copied.path.map {
                "\(copied.count.counted("mark")) moved with the music; \(copied.count == 1 ? "it is" : "they are") in \($0) now."
            } ?? "All of that is in your layer of that chart already, or was deleted there.")
        if copied.count > 0 { sayWhenItIsRead() }
        if !guessed.isEmpty {
            say("It is not certain that these are where they belong; look at them, and at where they were:")
            for line in FollowedMarks.words(guessed) { say("  " + line) }
        }
        guard !missing.isEmpty else { return }
        let remedy = invocation.has("all") ? "" : "; --all puts them where they probably belong"
        say("\(missing.count.counted("mark")) \(missing.count == 1 ? "is" : "are") not placed\(remedy):")
        for line in FollowedMarks.words(missing) { say("  " + line) }
    }
}
