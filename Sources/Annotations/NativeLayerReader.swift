import FoundationEssentials
public import Model

/// Reads native layers, `*.marks.json`.
public enum NativeLayerReader {
    /// What a file's bytes say.
    public static func read(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) -> MarkFile {
        guard bytes.count <= limits.fileBytes else {
            throw MarkFileFault(.tooLarge, "is larger than \(limits.fileBytes >> 20) MiB")
        }
        guard !bytes.isEmpty else { throw MarkFileFault(.unfinished, "is empty") }
        try JSONCheck.check(bytes, limits: limits)
        let layer = try decode(bytes)
        guard layer.version == 1 else {
            throw MarkFileFault(.malformed, "is of version \(layer.version), and only version 1 is known here")
        }
        var notes = MarkFileNotes()
        var marks: [Mark] = []
        var tally = MarkTally(limits: limits)
        for (number, entry) in layer.entries.enumerated() {
            guard let mark = entry.mark else {
                notes.add("marks that cannot be understood left out", at: "mark \(number + 1)")
                continue
            }
            guard !layer.deleted.contains(mark.id) else { continue }
            try check(mark, limits)
            try tally.add(mark, on: mark.page)
            guard isWithinReason(mark) else {
                notes.add("marks with a page or numbers that no chart has left out", at: "mark \(number + 1)")
                continue
            }
            marks.append(mark)
        }
        var chart: ChartHash?
        if let text = layer.chart {
            chart = Digest(hex: text).map { ChartHash($0) }
            if chart == nil { notes.add("hashes of a chart that are none passed over", at: "the chart") }
        }
        return MarkFile(
            // A name is for people to read, among others.
            name: layer.name.map { String($0.prefix(200)) }, reference: MarkFile.Reference(attachment: layer.attachment, chart: chart),
            marks: marks,
            notes: notes.sentences)
    }

    private static func decode(_ bytes: [UInt8]) throws(MarkFileFault) -> NativeLayer {
        do {
            return try JSONDecoder().decode(NativeLayer.self, from: Data(bytes))
        } catch let error as DecodingError {
            let (what, context): (String, DecodingError.Context) =
                switch error {
                case .keyNotFound(let key, let context): ("has no “\(key.stringValue)”", context)
                case .typeMismatch(_, let context), .valueNotFound(_, let context): ("has a value of the wrong kind", context)
                case .dataCorrupted(let context): ("has a value that cannot be understood", context)
                @unknown default: ("cannot be understood", DecodingError.Context(codingPath: [], debugDescription: ""))
                }
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
            throw MarkFileFault(.malformed, path.isEmpty ? what : "\(what) at “\(path)”")
        } catch {
            throw MarkFileFault(.malformed, "cannot be understood")
        }
    }

    private static func check(_ mark: Mark, _ limits: MarkFileLimits) throws(MarkFileFault) {
        guard mark.points.count <= limits.strokePoints else { throw .tooMany("points in one stroke", limit: limits.strokePoints) }
        guard (mark.text?.utf8.count ?? 0) <= limits.textBytes else { throw .tooMany("bytes in one text", limit: limits.textBytes) }
        guard (mark.image?.utf8.count ?? 0) <= limits.pictureBytes else {
            throw .tooMany("bytes in one picture", limit: limits.pictureBytes)
        }
    }

    /// Nothing is drawn a thousand pages away.
    private static func isWithinReason(_ mark: Mark) -> Bool {
        func isNear(_ number: Double) -> Bool { abs(number) <= 1000 }
        return (0..<100_000).contains(mark.page.value) && isNear(mark.width) && isNear(mark.fill ?? 0) && isNear(mark.size ?? 0)
            && mark.dash.allSatisfy(isNear) && mark.points.allSatisfy { isNear($0.x) && isNear($0.y) && isNear($0.width ?? 0) }
    }
}
