import Annotations
import FoundationEssentials
import Model

@testable import PlanningCenter

/// Reads bytes in one way, and stops the program where a promise about what was read is broken.
typealias Attempt = @Sendable ([UInt8]) -> Void

/// What can be tried, by its name.
let attempts: [String: Attempt] = [
    "journal": { bytes in
        attempt(bytes) { bytes, limits throws(MarkFileFault) in try XournalReader.read(bytes, name: "a.xopp", limits: limits) }
    },
    "layer": { bytes in attempt(bytes) { bytes, limits throws(MarkFileFault) in try NativeLayerReader.read(bytes, limits: limits) } },
    "answer": { bytes in
        let data = Data(bytes)
        if let layers = try? JSONDecoder().decode(Document<LayerResource>.self, from: data) {
            _ = PageMarks.join(layers.data.map(\.layer))
        }
        _ = try? JSONDecoder().decode(Document<Resource>.self, from: data)
    },
]

/// Small, so that they are met.
private let limits: MarkFileLimits = {
    var limits = MarkFileLimits()
    limits.marks = 40
    limits.points = 200
    limits.pages = 10
    limits.inflatedBytes = 1 << 20
    return limits
}()

private func attempt(_ bytes: [UInt8], _ read: ([UInt8], MarkFileLimits) throws(MarkFileFault) -> MarkFile) {
    do throws(MarkFileFault) {
        let file = try read(bytes, limits)
        precondition(file.marks.count <= limits.marks)
        precondition(file.marks.reduce(0) { $0 + $1.points.count } <= limits.points)
        for mark in file.marks {
            precondition((0..<100_000).contains(mark.page.value))
            let numbers = mark.points.flatMap { [$0.x, $0.y, $0.width ?? 0] } + mark.dash + [mark.width, mark.fill ?? 0, mark.size ?? 0]
            precondition(numbers.allSatisfy { abs($0) <= 1_000_000 })
        }
        _ = PageMarks(drawing: file.marks)
    } catch {
        precondition(!error.description.isEmpty)
    }
}
