import Annotations
import BandLayout
import LayerJoin
import Library
import Model

/// A shared layer as bytes, in the format of the mark files that Woodshed draws into.
enum BandObject {
    static func write(_ layer: BandStore.OwnLayer, on chart: BandStore.OwnChart) -> [UInt8]? {
        switch layer.content {
        case .drawn(let joined):
            var document = LayerDocument(for: chart.attachment, chart.hash, name: LayerDocument.ownName)
            _ = document.join(joined.marks + joined.also + joined.deleted)
            return document.bytes()
        case .shown(let marks):
            let reference = MarkFile.Reference(attachment: chart.attachment, chart: chart.hash)
            return try? NativeLayerWriter.write(MarkFile(name: layer.name, reference: reference, marks: marks))
        }
    }

    /// The marks in all these objects, the text in which the catalogue stores them, and why an object cannot be read. If any object
    /// cannot be read, there are no marks.
    static func read(_ objects: [[UInt8]]) -> (marks: [Mark], text: String, fault: String?) {
        var limits = MarkFileLimits()
        limits.fileBytes = BandStore.longestObject
        limits.values = 1_000_000
        do throws(MarkFileFault) {
            var (layer, marks, texts) = (JoinedLayer(), [Mark](), [[UInt8]]())
            for bytes in objects { layer.join(try LayerDocument(bytes, limits: limits).layer) }
            for value in layer.marks {
                // Drop the text of values that are not marks, too.
                guard let mark = NativeLayerReader.marks(of: [value]).first, let text = value.mark?.bytes else { continue }
                marks.append(mark)
                texts.append(text)
            }
            let text = texts.joined(separator: [UInt8(ascii: ",")])
            return (marks, "[\(String(decoding: Array(text), as: UTF8.self))]", nil)
        } catch {
            return ([], "[]", "\(error)")
        }
    }
}
