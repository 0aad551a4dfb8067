import Annotations
import Catalogue
import ChartFiles
import Glibc
import JSON
import LayerJoin
import Library
import Model
import Platform
import Synchronization

/// The folder with this home's parts of the musician's own layers. Only one thread at a time may use it.
final class OwnLayerShelf: Sendable {
    private let folder: String
    private let isOurs: Bool
    private let roots: MarkRoots
    private let home: HomeID
    /// The part used last: somebody is drawing on it, and reading it again takes long.
    private let latest: Mutex<(path: String, state: LayerFile.State)?> = Mutex(nil)

    /// `folder` is created if it is missing and `isOurs`, that is, Woodshed's own. A configured folder is not: its disk may be away.
    init(folder: String, isOurs: Bool, roots: MarkRoots, home: HomeID) {
        (self.folder, self.isOurs, self.roots, self.home) = (folder, isOurs, roots, home)
    }

    /// The musician's own layer of a chart, the states of its parts, and a tag for its present state.
    func layer(of chart: OwnLayers.Chart) throws(Trouble) -> (layer: JoinedLayer, states: PartStates, tag: String) {
        let path = try path(of: chart)
        let state = try part(at: path, of: chart)
        let (layer, states) = Self.joined(chart, state?.document.part, at: path)
        return (layer, states, Self.tag(chart, path, state?.stamp))
    }

    private func part(at path: String, of chart: OwnLayers.Chart) throws(Trouble) -> LayerFile.State? {
        guard let state = try read(path) else { return nil }
        guard state.document.isOwn else { throw LayerFile.foreign(path) }
        let said = state.document.reference.attachment
        guard said == nil || said == chart.attachment || chart.parts.contains(where: { $0.path == path }) else {
            throw Trouble(.inTheWay, "\(path) names another chart. Correct its “attachment_id”, or give it another name.")
        }
        return state
    }

    /// Adds edits to this home's part of the layer.
    func add(_ values: [LayerValue], to chart: OwnLayers.Chart, known tag: String? = nil) throws(Trouble) -> OwnLayers.Addition {
        let ids = home.all
        let path = try path(of: chart, ids[0])
        guard roots.admits(path: path) else {
            throw Trouble(.inTheWay, "annotations.ignore leaves out \(path), so they would not be drawn. Change that setting.")
        }
        _ = try part(at: path, of: chart)
        // A new part begins with everything that was written under former ids, since another home may overwrite those parts.
        let known =
            chart.parts.first { $0.path == path }?.part
            ?? LayerPart(
                layer: LayerPart.joined(chart.parts.filter { HomeID.split($0.path, Array(ids.dropFirst()))?.isOurs == true }.map(\.part)))
        let kept = try LayerFile.add(
            values, to: path, fresh: fresh(chart), known: self.known(path), part: known, by: home.writer(), temporary: ".tmp-\(ids[0])")
        if let state = kept.state { remember(state, at: path) }
        let isKnown = tag == Self.tag(chart, path, kept.former)
        let (layer, states) = Self.joined(chart, kept.document.part, at: path)
        let answer = layer.answer(
            called: Self.tag(chart, path, kept.state?.stamp), on: chart.hash, of: states, since: isKnown ? tag : nil,
            changed: isKnown ? Set(values.map(\.id)) : [])
        guard let file = kept.written, let state = kept.state else { return OwnLayers.Addition(answer: answer, reading: nil) }
        return OwnLayers.Addition(answer: answer, reading: MarkReading(path, file, kept.document, state.stamp))
    }

    /// Joins the library's parts of the layer with this home's part as it is on the disk.
    private static func joined(_ chart: OwnLayers.Chart, _ own: LayerPart?, at path: String) -> (JoinedLayer, PartStates) {
        var parts = chart.parts.filter { own == nil || $0.path != path }.map { (path: $0.path, part: $0.part) }
        if let own {
            var part = chart.parts.first { $0.path == path }?.part ?? LayerPart()
            part.join(own)
            parts.append((path, part))
        }
        return (drawn(LayerPart.joined(parts.map(\.part)), of: chart), PartStates(parts.map { ($0.path, $0.part.revision) }))
    }

    /// The layer with its marks as they are drawn on the chart. Where a mark is now is no edit of it: an edit would reach other machines, and
    /// could not be taken back. A mark that is not drawn looks deleted, so a browser that edited the mark knows that the edit is kept.
    private static func drawn(_ layer: JoinedLayer, of chart: OwnLayers.Chart) -> JoinedLayer {
        guard chart.followed != nil else { return layer }
        return JoinedLayer((layer.marks + layer.also).map { placed($0, on: chart) ?? $0 } + layer.deleted)
    }

    /// The value of a mark that is drawn elsewhere than where it was made, there; `nil` for all others.
    private static func placed(_ value: LayerValue, on chart: OwnLayers.Chart) -> LayerValue? {
        guard let followed = chart.followed, let text = value.mark, let mark = NativeLayerReader.marks(of: [value]).first,
            case (var drawn, isWhereItWas: false) = followed.drawn(mark)
        else { return nil }
        drawn?.on = chart.hash.beginning
        let bytes = drawn.flatMap { try? JSONWriter.encode($0) }
        return LayerValue(value.id, value.edits, bytes.map { LayerValue.Text($0, createdAt: text.createdAt) })
    }

    /// Makes the place of a mark on the chart, which a person chose, an edit of the state of the mark that has the place's key; `nil` if
    /// the layer has no such state. An independent state of the mark stays.
    func settle(_ id: MarkID, at place: FollowedMark, on chart: OwnLayers.Chart) throws(Trouble) -> OwnLayers.Addition? {
        let chart = chart.asMade(followed: FollowedPlaces(version: "", marks: [place.sum: place]))
        let layer = try layer(of: chart.asMade()).layer
        for value in layer.marks + layer.also where value.id == id {
            guard let text = Self.placed(value, on: chart)?.mark else { continue }
            return try add([LayerValue(id, value.edits.joined(with: .byHand(text.bytes)), text)], to: chart)
        }
        return nil
    }

    /// The tag that a browser uses to identify a state of the layer.
    private static func tag(_ chart: OwnLayers.Chart, _ path: String, _ stamp: FileStamp?) -> String {
        let own = stamp.map { [Int64(bitPattern: $0.inode), Int64($0.size), $0.modified, $0.changed] } ?? []
        let others = chart.parts.filter { $0.path != path }.map { Int64($0.version) }
        let places = chart.followed.map { [$0.version.split(separator: " ").joined(separator: ".")] } ?? []
        return ((own + others).map { String($0, radix: 36) } + places).joined(separator: ".")
    }

    private func known(_ path: String) -> LayerFile.State? { latest.withLock { $0?.path == path ? $0?.state : nil } }

    /// Keeps a state in memory, except where times are whole seconds or in a network folder: a changed file may have the same stamp there.
    private func remember(_ state: LayerFile.State, at path: String) {
        guard state.stamp.modified % 1_000_000_000 != 0, !Folder.isOnNetwork(folder) else { return }
        latest.withLock { $0 = (path, state) }
    }

    private func read(_ path: String) throws(Trouble) -> LayerFile.State? {
        let state = try LayerFile.read(path, known: known(path))
        if let state { remember(state, at: path) }
        return state
    }

    private func fresh(_ chart: OwnLayers.Chart) -> LayerDocument {
        LayerDocument(for: chart.attachment, chart.hash, name: LayerDocument.ownName)
    }

    // MARK: - Names

    /// The path of this home's part, whether it exists or not.
    func path(of chart: OwnLayers.Chart) throws(Trouble) -> String { try path(of: chart, home.current) }

    private func path(of chart: OwnLayers.Chart, _ id: String) throws(Trouble) -> String {
        if isOurs { try? Folder.create(folder) }
        guard FileIdentity(ofFolder: folder) != nil else {
            throw Trouble(
                .noRoom, "the folder \(folder) is not there. Connect its disk, or set another one in annotations.folders.")
        }
        var status = stat()
        let known = chart.parts.map(\.path).filter { Folder.parent(of: $0) == folder }
        // The disk may be away, or replaced by an older folder: new marks would then be on another disk than the rest. One missing
        // part of another home proves nothing; a missing part of this home, or the loss of all parts, is proof.
        let lost = known.filter { lstat($0, &status) != 0 }
        let own = lost.first { HomeID.split($0, home.all)?.isOurs == true }
        if let lost = own ?? (lost.count == known.count ? lost.first : nil) {
            throw Trouble(
                .noRoom,
                "\(lost), with this chart's marks, is gone. Put it back, or run: \(woodshed("accept --gone \(lost.shellQuoted)"))")
        }
        // Use the existing file, whose name may contain a former title of the chart.
        let ending = " \(SHA256.digest(of: chart.attachment.text).hex.prefix(8)) \(id).marks.json"
        return known.first { $0.hasSuffix(ending) } ?? folder + "/" + FileName.sanitised(chart.title, limit: 150) + ending
    }
}
