import Annotations
import Catalogue
import LayerJoin
import Library
import Model
import Platform

/// Writes the marks that a part's file has lost into this home's own part: somebody restored an older state of the file, perhaps
/// with the whole home, or another home that was once a copy overwrote it. Every home then has the marks again, and nobody needs
/// the copies that a sync program put aside. Of other homes' parts, only the files themselves count, not such copies.
@LoopActor
final class OwnPartRepair {
    /// A part as the library knows it, and as its file was read.
    struct Part {
        let file: LocalFile
        var state = LayerPart()
        let known: LayerPart
        /// What somebody did to the file, if it contains no part any more.
        var spoilt: String?
    }

    private let parts: MarkParts
    /// Receives each file that is written here.
    private let receive: @LoopActor (MarkReading) -> Void
    /// When each file was last repaired: if a program keeps restoring an older state, repairs are at least a minute apart.
    private var mended: [String: Moment] = [:]
    /// Files to check again, because their last repair was too recent, or failed.
    private var waiting: Set<String> = []
    private let again: Alarm
    private static let pause: Duration = .seconds(60)

    init(_ parts: MarkParts, receive: @escaping @LoopActor (MarkReading) -> Void) {
        (self.parts, self.receive, again) = (parts, receive, Alarm(parts.time))
    }

    func stop() { again.cancel() }

    /// Writes the marks that these files lack into this home's own parts. A spoilt file is left as it is. If the spoilt file was
    /// this home's, the home takes a new id and a new file.
    func mend(_ parts: [Part]) async throws(LibraryError) {
        for part in parts {
            guard let reason = part.spoilt, part.file.content != nil else { continue }
            if self.parts.settings.home?.renew(because: part.file.path, reason, self.parts.log) == true { try await mend(part) }
        }
        for part in parts where part.spoilt == nil { try await mend(part) }
    }

    /// Writes the known marks that the part's file lacked when it was read into this home's own file of the same layer.
    private func mend(_ part: Part) async throws(LibraryError) {
        let (path, known) = (part.file.path, part.known)
        guard let home = parts.settings.home, let file = part.file.content?.reference, let attachment = file.attachment,
            let chart = file.chart, let name = HomeID.split(path, home.all), !parts.roots.isBesideCharts(path)
        else { return }
        let (id, target) = (home.current, "\(name.stem)\(home.current).marks.json")
        let isItsFile = path == "\(name.stem)\(name.id).marks.json"
        guard name.isOurs || isItsFile && Folder.parent(of: path) == parts.settings.ownFolder else { return }
        // A copy that was put aside needs no repair if the part itself has all of the copy's marks.
        let present = try isItsFile ? part.state.layer : parts.library.parts.part(at: "\(name.stem)\(name.id).marks.json")?.part.layer
        let lost = known.missing(from: present ?? JoinedLayer())
        guard !lost.isEmpty else { return }
        guard mended[path].map({ parts.time.now - $0 >= Self.pause }) ?? true else { return mendLater(path) }
        mended[path] = parts.time.now
        let own = try parts.library.parts.part(at: target)?.part ?? LayerPart()
        let kept = await parts.side.run { () -> LayerFile.Addition? in
            let fresh = LayerDocument(for: attachment, chart, name: LayerDocument.ownName)
            return try? LayerFile.add(lost, to: target, fresh: fresh, part: own, by: home.writer(), temporary: ".tmp-\(id)")
        }
        guard let kept else { return mendLater(path) }
        guard let written = kept.written, let state = kept.state else { return }
        parts.log.info("\(target) has what \(isItsFile ? "was lost from" : "is only in") \(path)")
        receive(MarkReading(target, written, kept.document, state.stamp))
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
            guard let known = try? parts.library.parts.part(at: path)?.part,
                let file = try? parts.library.markFiles.writtenFile(at: path)?.file
            else { continue }
            let content = try? reading.result.get()
            try? await mend(Part(file: file, state: content?.part ?? LayerPart(), known: known))
        }
    }
}
