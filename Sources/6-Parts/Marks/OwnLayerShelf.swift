import Annotations
import ChartFiles
import Glibc
import LayerJoin
import Model
import Platform
import Synchronization

/// The folder with the musician's own layers. It is used on one thread at a time.
final class OwnLayerShelf: Sendable {
    /// What a file was found to be; good for as long as it has that stamp.
    private struct Label {
        let stamp: FileStamp
        let isOwn: Bool
        let reference: MarkFile.Reference
    }

    private let folder: String
    private let isOurs: Bool
    private let roots: MarkRoots
    private let labels: Mutex<[String: Label]> = Mutex([:])
    /// The layer that was used last: somebody draws on it, and it is long.
    private let latest: Mutex<(path: String, state: LayerFile.State)?> = Mutex(nil)

    /// A folder that is ours is made where it is missing. A configured one may be on a disk that is away now.
    init(folder: String, isOurs: Bool, roots: MarkRoots) { (self.folder, self.isOurs, self.roots) = (folder, isOurs, roots) }

    func layer(of chart: OwnLayers.Chart) throws(OwnLayerFault) -> (document: LayerDocument, stamp: FileStamp?) {
        let path = try path(of: chart)
        return try Self.naming(path) { () throws(LayerFileFault) in
            guard let state = try read(path) else { return (fresh(chart), nil) }
            guard state.document.isOwn else { throw .foreign }
            return (state.document, state.stamp)
        }
    }

    func add(_ values: [LayerValue], to chart: OwnLayers.Chart, known tag: String? = nil) throws(OwnLayerFault) -> OwnLayers.Kept {
        let path = try path(of: chart)
        guard roots.admits(path: path) else { throw .nameIgnored(path) }
        // With a new mark it would count as newer than what is shown.
        guard !chart.goneBack.contains(path), !isOlder(path, of: chart) else { throw .older(path) }
        return try Self.naming(path) { () throws(LayerFileFault) in
            let kept = try LayerFile.add(values, to: path, fresh: fresh(chart), known: known(path))
            if let state = kept.state { remember(state, at: path) }
            let isKnown = tag == Self.tag(kept.former)
            let answer = kept.document.answer(
                called: Self.tag(kept.state?.stamp), since: isKnown ? tag : nil, changed: isKnown ? Set(values.map(\.id)) : [])
            guard let file = kept.written, let state = kept.state else { return OwnLayers.Kept(answer: answer, reading: nil) }
            return OwnLayers.Kept(answer: answer, reading: MarkReading(path, file, state.stamp))
        }
    }

    /// What a state of a file is called towards a browser.
    static func tag(_ stamp: FileStamp?) -> String {
        guard let stamp else { return "" }
        return [Int64(bitPattern: stamp.inode), Int64(stamp.size), stamp.modified, stamp.changed].map { String($0, radix: 36) }
            .joined(separator: ".")
    }

    /// Whether the file is older than one that is known. Until the library has seen it, the marks that it lacks are in no history.
    private func isOlder(_ path: String, of chart: OwnLayers.Chart) -> Bool {
        guard let present = FileStamp(ofFile: path), chart.knownFiles[path] != present else { return false }
        let known = [chart.knownFiles[path], latest.withLock { $0?.path == path ? $0?.state.stamp : nil }]
        return known.contains { $0.map { present.modified < $0.modified } ?? false }
    }

    private func known(_ path: String) -> LayerFile.State? { latest.withLock { $0?.path == path ? $0?.state : nil } }

    /// Where times are whole seconds, or a server's answers are remembered for some, a changed file may look the same.
    private func remember(_ state: LayerFile.State, at path: String) {
        guard state.stamp.modified % 1_000_000_000 != 0, !Folder.isOnNetwork(folder) else { return }
        latest.withLock { $0 = (path, state) }
    }

    private func read(_ path: String) throws(LayerFileFault) -> LayerFile.State? {
        let state = try LayerFile.read(path, known: known(path))
        if let state { remember(state, at: path) }
        return state
    }

    private static func naming<Result>(_ path: String, _ body: () throws(LayerFileFault) -> Result) throws(OwnLayerFault) -> Result {
        do throws(LayerFileFault) {
            return try body()
        } catch {
            throw .file(path, error)
        }
    }

    private func fresh(_ chart: OwnLayers.Chart) -> LayerDocument {
        LayerDocument(for: chart.attachment, chart.hash, name: "Drawn in Woodshed")
    }

    /// Where a chart's layer is, or will be.
    func path(of chart: OwnLayers.Chart) throws(OwnLayerFault) -> String {
        if isOurs { try? Folder.create(folder) }
        guard FileIdentity(ofFolder: folder) != nil else { throw .folderMissing(folder) }
        let usual = folder + "/" + Self.name(for: chart)
        // Whatever has this name: if it cannot be read, no other file is begun for it.
        var status = stat()
        let isThere = lstat(usual, &status) == 0
        if isThere {
            guard let label = label(of: usual) else { return usual }
            if label.isOwn, label.reference.attachment == nil || Self.isLayer(label, at: usual, of: chart) { return usual }
        }
        let names = (try? Folder.names(in: folder)) ?? []
        let paths = names.filter { MarkFileName.isNative($0) && roots.admits(file: $0) }.map { "\(folder)/\($0)" }
        let own = paths.filter { path in label(of: path).map { $0.isOwn && Self.isLayer($0, at: path, of: chart) } ?? false }
        labels.withLock { labels in labels = labels.filter { paths.contains($0.key) } }
        // A copy of it has a longer name.
        if let path = own.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) { return path }
        if isThere, label(of: usual)?.isOwn == true { throw .ofAnotherChart(usual) }
        // Its disk may be away, or an older folder in its place: a new layer would take the place of marks that are still shown.
        if let lost = chart.knownFiles.keys.sorted().first(where: { Self.isOurs($0, in: folder, of: chart) && lstat($0, &status) != 0 }) {
            throw .gone(lost)
        }
        return usual
    }

    /// Whether a path is one that a chart's layer had under any title.
    private static func isOurs(_ path: String, in folder: String, of chart: OwnLayers.Chart) -> Bool {
        Folder.parent(of: path) == folder && path.hasSuffix(ending(for: chart))
    }

    private static func isLayer(_ label: Label, at path: String, of chart: OwnLayers.Chart) -> Bool {
        if label.reference.attachment == chart.attachment || chart.knownFiles[path] != nil { return true }
        return label.reference.attachment == nil && label.reference.chart == chart.hash
    }

    /// The chart's title, and what tells it from other charts with that title.
    static func name(for chart: OwnLayers.Chart) -> String {
        FileName.sanitised(chart.title, limit: 160) + ending(for: chart)
    }

    private static func ending(for chart: OwnLayers.Chart) -> String {
        " \(SHA256.digest(of: chart.attachment.text).hex.prefix(8)).marks.json"
    }

    /// What a file is; `nil` if it cannot be read as a layer.
    private func label(of path: String) -> Label? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let stamp = FileStamp(status)
        if let known = labels.withLock({ $0[path] }), known.stamp == stamp { return known }
        guard let state = try? LayerFile.read(path, known: self.known(path)) else { return nil }
        let label = Label(stamp: state.stamp, isOwn: state.document.isOwn, reference: state.document.reference)
        labels.withLock { $0[path] = label }
        return label
    }
}
