import Annotations
import Catalogue
import LayerJoin
import Library
import Model
import Platform

/// Writes this home's parts again where their files have lost something that is known of them: somebody put an older state back, or
/// another home wrote over it that was once a copy of this one. So everybody else has it again, too, and nobody needs what a sync program
/// put aside.
@LoopActor
final class OwnPartRepair {
    private let parts: MarkParts
    /// How often each file was mended: a program that puts an older state back again and again gets its way.
    private var mended: [String: Int] = [:]
    private static let often = 16

    init(_ parts: MarkParts) { self.parts = parts }

    /// Writes what is known of the file that said `state` when it was read, if it lacks any of that. Returns what was written.
    func mend(
        _ file: MarkFile.Reference, at path: String, saying state: LayerPart, known: LayerPart
    ) async throws(LibraryError) -> MarkReading? {
        guard let home = parts.settings.home, let attachment = file.attachment, let chart = file.chart else { return nil }
        let ids = home.all
        guard let (stem, id) = HomeID.split(path, ids), mended[path, default: 0] < Self.often else { return nil }
        let whole = LayerPart.joined([known])
        let own = "\(stem)\(id).marks.json"
        // Of what was put aside, the part itself should have everything.
        let present = try path == own ? state.layer : parts.library.markFiles.part(at: own)?.part.layer ?? JoinedLayer()
        guard present.joined(with: whole) != present else { return nil }
        mended[path, default: 0] += 1
        let target = "\(stem)\(ids[0]).marks.json"
        let kept = await parts.side.run { () -> LayerFile.Kept? in
            let fresh = LayerDocument(for: attachment, chart, name: LayerDocument.ownName)
            return try? LayerFile.add([], to: target, fresh: fresh, part: known, temporary: ".tmp-\(ids[0])")
        }
        guard let kept, let written = kept.written, let state = kept.state else { return nil }
        parts.log.info("\(target) has what \(path == own ? "was lost from " : "is only in ")\(path)")
        return MarkReading(target, written, kept.document.part, state.stamp)
    }
}
