import Annotations
import Catalogue
import LayerJoin
import Library
import Model
import Platform

/// Divides a layer's marks among its parts: a mark's present state depends on all parts, and exactly one of them draws it.
@LoopActor
struct PartShares {
    /// The marks that a part should draw, if they differ from the marks in its file.
    private struct Share {
        var file: WrittenFile
        let part: LayerPart
        let values: [LayerValue]
        let ids: Set<String>

        func written() throws(LibraryError) -> WrittenFile {
            var content = file.file
            content.content = content.content ?? MarkFile(marks: [])
            content.content?.marks = NativeLayerReader.marks(of: values)
            content.content?.accountedFor = ids
            var written = try WrittenFile(content)
            (written.save, written.part) = (file.save, part)
            return written
        }
    }

    let library: Library
    let side: SideThread

    /// Gives the parts among the files in `read` their shares. Adds to `read` the known parts whose shares change because of these
    /// files or of the files that are `gone`, and the known parts on `charts`. `states` are the parts as they were read, by the
    /// bytes of their paths. Returns whether drawn marks change.
    func settle(
        _ read: inout [WrittenFile], _ states: [[UInt8]: LayerPart], gone: [String], on charts: Set<AttachmentID>
    ) async throws -> Bool {
        let places = Dictionary(read.indices.map { (Array(read[$0].file.path.utf8), $0) }) { $1 }
        let away = Set(gone.map { Array($0.utf8) })
        var due: [(place: Int?, share: Share)] = []
        for chart in try self.charts(of: read, gone).union(charts).sorted() {
            let known = try library.parts.all(of: chart)
            var (files, parts): ([(path: String, place: Int?)], [LayerPart]) = ([], [])
            for part in known where !away.contains(Array(part.path.utf8)) {
                let place = places[Array(part.path.utf8)]
                // Parts that were read now are added below. A part that cannot be read now still draws its last marks.
                guard place.map({ read[$0].sums == nil }) ?? true else { continue }
                files.append((part.path, place))
                parts.append(part.part)
            }
            for place in read.indices where read[place].file.attachment == chart {
                guard let part = read[place].part else { continue }
                files.append((read[place].file.path, place))
                parts.append(part)
            }
            let order = files.indices.sorted { files[$0].path.precedesByBytes(files[$1].path) }
            let (joined, shares) = LayerPart.shares(of: order.map { parts[$0] })
            let former = LayerPart.shares(of: known.map(\.part)).shares
            let isSettled = known.allSatisfy(\.isSettled) && !charts.contains(chart)
            let ids = Set(joined.ids.map(\.text))
            for (values, index) in zip(shares, order) {
                let (path, place) = files[index]
                if let place, read[place].part != nil {
                    read[place].accountedFor = ids
                    // A part usually draws exactly the marks in its file; then the file is stored as it was read.
                    if states[Array(path.utf8)]?.layer.marks == values { continue }
                    due.append((place, Share(file: read[place], part: parts[index], values: values, ids: ids)))
                } else if !isSettled || known.firstIndex(where: { $0.path == path }).map({ former[$0] != values }) ?? true,
                    let file = try place.map({ read[$0] }) ?? library.markFiles.writtenFile(at: path)
                {
                    due.append((place, Share(file: file, part: parts[index], values: values, ids: ids)))
                }
            }
        }
        let written = try await side.run { [due] () throws(LibraryError) in
            try due.map { each throws(LibraryError) in try each.share.written() }
        }
        for (file, place) in zip(written, due.map(\.place)) {
            if let place { read[place] = file } else { read.append(file) }
        }
        for file in read where file.version != nil {
            if !file.draws(as: try library.markFiles.writtenFile(at: file.file.path)) { return true }
        }
        return false
    }

    /// The present and former charts of the files among these that are parts of layers.
    private func charts(of read: [WrittenFile], _ gone: [String]) throws(LibraryError) -> Set<AttachmentID> {
        var charts = Set(read.filter { $0.part != nil }.compactMap(\.file.attachment))
        for path in read.map(\.file.path) + gone where try library.parts.part(at: path) != nil {
            if let chart = try library.markFiles.writtenFile(at: path)?.file.attachment { charts.insert(chart) }
        }
        return charts
    }
}
