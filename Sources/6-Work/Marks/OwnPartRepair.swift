import Annotations
import Catalogue
import LayerJoin
import Library
import Model
import Platform

/// Writes into this home's part what is known of a part and is in its file no more: somebody put an older state back, maybe together with
/// the home that it is of, or another home wrote over it that was once a copy of that one. So everybody has it again, and nobody needs what
/// a sync program put aside. Of others' parts, only their files are watched over: what a sync program puts beside them is read as it is.
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
        guard let home = parts.settings.home, let attachment = file.attachment, let chart = file.chart,
            mended[path, default: 0] < Self.often, let name = HomeID.split(path, home.all)
        else { return nil }
        let (id, target) = (home.current, "\(name.stem)\(home.current).marks.json")
        let isItsFile = path == "\(name.stem)\(name.id).marks.json"
        guard name.isOurs || isItsFile && Folder.parent(of: path) == parts.settings.ownFolder else { return nil }
        // Of what was put aside, the part itself should have everything.
        let present = try isItsFile ? state.layer : parts.library.markFiles.part(at: "\(name.stem)\(name.id).marks.json")?.part.layer
        let lost = known.missing(from: present ?? JoinedLayer())
        guard !lost.isEmpty else { return nil }
        let own = try parts.library.markFiles.part(at: target)?.part ?? LayerPart()
        let kept = await parts.side.run { () -> LayerFile.Kept? in
            let fresh = LayerDocument(for: attachment, chart, name: LayerDocument.ownName)
            return try? LayerFile.add(lost, to: target, fresh: fresh, part: own, temporary: ".tmp-\(id)")
        }
        guard let kept, let written = kept.written, let state = kept.state else { return nil }
        mended[path, default: 0] += 1
        parts.log.info("\(target) has what \(isItsFile ? "was lost from" : "is only in") \(path)")
        return MarkReading(target, written, kept.document.part, state.stamp)
    }
}
