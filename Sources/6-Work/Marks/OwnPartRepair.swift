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
    /// Takes what was written now.
    private let take: @LoopActor (MarkReading) -> Void
    /// When each file was last mended: a program that puts an older state back again and again is answered only so often.
    private var mended: [String: Moment] = [:]
    /// Files that are to be looked at again because of that.
    private var waiting: Set<String> = []
    private let again: Alarm
    private static let pause: Duration = .seconds(60)

    init(_ parts: MarkParts, take: @escaping @LoopActor (MarkReading) -> Void) {
        (self.parts, self.take, again) = (parts, take, Alarm(parts.time))
    }

    func stop() { again.cancel() }

    /// Writes what is known of the file that said `state` when it was read, if it lacks any of that.
    func mend(_ file: MarkFile.Reference, at path: String, saying state: LayerPart, known: LayerPart) async throws(LibraryError) {
        guard let home = parts.settings.home, let attachment = file.attachment, let chart = file.chart,
            let name = HomeID.split(path, home.all)
        else { return }
        let (id, target) = (home.current, "\(name.stem)\(home.current).marks.json")
        let isItsFile = path == "\(name.stem)\(name.id).marks.json"
        guard name.isOurs || isItsFile && Folder.parent(of: path) == parts.settings.ownFolder else { return }
        // Of what was put aside, the part itself should have everything.
        let present = try isItsFile ? state.layer : parts.library.markFiles.part(at: "\(name.stem)\(name.id).marks.json")?.part.layer
        let lost = known.missing(from: present ?? JoinedLayer())
        guard !lost.isEmpty else { return }
        guard mended[path].map({ parts.time.now - $0 >= Self.pause }) ?? true else { return mendLater(path) }
        mended[path] = parts.time.now
        let own = try parts.library.markFiles.part(at: target)?.part ?? LayerPart()
        let kept = await parts.side.run { () -> LayerFile.Kept? in
            let fresh = LayerDocument(for: attachment, chart, name: LayerDocument.ownName)
            return try? LayerFile.add(lost, to: target, fresh: fresh, part: own, by: home.writer(), temporary: ".tmp-\(id)")
        }
        guard let kept else { return mendLater(path) }
        guard let written = kept.written, let state = kept.state else { return }
        parts.log.info("\(target) has what \(isItsFile ? "was lost from" : "is only in") \(path)")
        take(MarkReading(target, written, kept.document, state.stamp))
    }

    private func mendLater(_ path: String) {
        if waiting.insert(path).inserted {
            parts.log.info("\(path) lacks marks again, or they could not be written; they are written in a minute")
        }
        guard !again.isSet else { return }
        again.set(in: Self.pause) { [weak self] in spawn { await self?.mendWaiting() } }
    }

    private func mendWaiting() async {
        let paths = waiting
        waiting = []
        for path in paths {
            let reading = await parts.side.run { MarkReading(path) }
            if case .failure(let fault) = reading.result, fault.reason == .missing || fault.reason == .unreadable { continue }
            guard let known = try? parts.library.markFiles.part(at: path)?.part,
                let said = try? parts.library.markFiles.writtenFile(at: path)?.file.content?.reference
            else { continue }
            let content = try? reading.result.get()
            try? await mend(said, at: path, saying: content?.part ?? LayerPart(), known: known)
        }
    }
}
