import Annotations
import Glibc
import JSON
import Library
import Model
import Platform

@testable import PlanningCenter

/// Reads bytes in one way, and stops the program if the result breaks a promise.
typealias Attempt = @Sendable ([UInt8]) -> Void

/// The attempts, by their names.
let attempts: [String: Attempt] = [
    "journal": { bytes in
        attempt(bytes) { bytes, limits throws(MarkFileFault) in try XournalReader.read(bytes, name: "a.xopp", limits: limits) }
    },
    "layer": { bytes in
        attempt(bytes) { bytes, limits throws(MarkFileFault) in try NativeLayerReader.read(bytes, limits: limits) }
        rewrite(bytes)
        _ = LayerCheck.examine(bytes, limits: limits)
        _ = try? LayerEdits.read(bytes, pages: 3)
    },
    "answer": { bytes in ServiceAnswers.take(bytes) },
    "request": { bytes in Requests.take(bytes) },
    "archive": { bytes in Archives.take(bytes) },
    "reply": { bytes in WorkerReplies.take(bytes) },
    "settings": { bytes in Settings.take(bytes) },
    "song": { bytes in SongTexts.take(bytes) },
    "music": { bytes in MusicPages.take(bytes) },
]

/// Stores every answer that can be understood in a library.
private enum ServiceAnswers {
    private static let plan = Plan(id: PlanID("5001"), serviceType: ServiceTypeID("77"), title: "Advent")
    private static let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    /// The library is opened on this thread, which becomes the loop's thread first.
    private static let library: Library = {
        precondition(Loop.shared.run { 0 } == 0)
        var name = Array("/tmp/woodshed-fuzz-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil)
        let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return LoopActor.assumeIsolated { stored { () throws(LibraryError) in try Library(folder: folder) } }
    }()

    /// Decodes an answer as layers and stores these. Also decodes it as resources, assembles a plan from them, compares the plan
    /// with the former plans, and stores it.
    static func take(_ bytes: [UInt8]) {
        let library = library
        LoopActor.assumeIsolated { stored { () throws(LibraryError) in try take(bytes, library) } }
    }

    /// Stops the program if an answer that was understood cannot be stored.
    @LoopActor
    private static func stored<Result>(_ store: () throws(LibraryError) -> Result) -> Result {
        do {
            return try store()
        } catch {
            preconditionFailure("\(error)")
        }
    }

    @LoopActor
    private static func take(_ bytes: [UInt8], _ library: Library) throws(LibraryError) {
        if let layers = try? JSONReader.decode(Document<LayerResource>.self, from: bytes).data.map(\.layer) {
            let drawn = DrawnPages(drawing: SHA256.digest(of: bytes), of: layers)
            precondition(
                DrawnPages(drawing: drawn.drawing, text: drawn.text) == drawn, "what is drawn is read otherwise than it was written")
            try library.layers.update(layers: layers, of: plan.id, at: time)
            for layer in layers { _ = try library.layers.all(of: layer.attachment) }
        }
        guard let answer = try? JSONReader.decode(Document<Resource>.self, from: bytes) else { return }
        let contents = PlanAssembly(
            plan: plan, rules: ChartChoice.Rules(), items: answer.data, included: answer.included + answer.data, attachments: answer.data
        ).contents
        _ = LibraryChange.between(try library.plans.all(), [contents]).map { $0.sentence(in: .utc) }
        for _ in 0..<2 { try library.plans.update([contents], named: [plan.id], at: time) }
        _ = try library.charts.attachmentsToDownload(for: library.plans.all())
    }
}

/// The limits are small, so that cases reach them.
private let limits: MarkFileLimits = {
    var limits = MarkFileLimits()
    limits.marks = 40
    limits.points = 200
    limits.pages = 10
    limits.inflatedBytes = 1 << 20
    return limits
}()

/// Checks that a layer that was read stays the same when it is written and read again.
private func rewrite(_ bytes: [UInt8]) {
    guard let document = try? LayerDocument(bytes, limits: limits) else { return }
    let written = document.bytes()
    // The written form of a layer that is close to a limit may exceed the limit.
    guard let again = try? LayerDocument(written) else { return }
    precondition(again.layer == document.layer && again.bytes() == written)
    precondition((try? JSONReader.read(document.layer.answer(called: "tag"))) != nil)
}

private func attempt(_ bytes: [UInt8], _ read: ([UInt8], MarkFileLimits) throws(MarkFileFault) -> MarkFile) {
    do throws(MarkFileFault) {
        let file = try read(bytes, limits)
        precondition(file.marks.count <= limits.marks)
        precondition(file.marks.reduce(0) { $0 + $1.points.count } <= limits.points)
        for mark in file.marks {
            precondition((0..<100_000).contains(mark.page.value))
            let numbers =
                mark.points.flatMap { [$0.x, $0.y, $0.width ?? 0] } + mark.dash + [mark.width, mark.fill ?? 0, mark.setting.size ?? 0]
            precondition(numbers.allSatisfy { abs($0) <= 1_000_000 })
        }
        _ = PageMarks(drawing: file.marks)
    } catch {
        precondition(!error.description.isEmpty)
    }
}
