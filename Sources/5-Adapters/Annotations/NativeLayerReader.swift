import JSON
public import LayerJoin
public import Model

/// Reads native layers, `*.marks.json`.
public enum NativeLayerReader {
    /// Reads a file's bytes.
    public static func read(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) -> MarkFile {
        try file(text(bytes, limits), limits)
    }

    /// Parses a file's bytes as JSON, but not yet as a layer.
    static func text(_ bytes: [UInt8], _ limits: MarkFileLimits) throws(MarkFileFault) -> JSONPart {
        guard bytes.count <= limits.fileBytes else {
            throw MarkFileFault(.tooLarge, "is larger than \(limits.fileBytes >> 20) MiB")
        }
        guard !bytes.isEmpty else { throw MarkFileFault(.unfinished, "is empty") }
        do throws(JSONFault) {
            return try JSONReader.whole(bytes, limits: limits.json)
        } catch {
            throw MarkFileFault(error).of(reference(in: error.before))
        }
    }

    static func file(_ text: JSONPart, _ limits: MarkFileLimits) throws(MarkFileFault) -> MarkFile {
        do throws(MarkFileFault) {
            return try file(decode(NativeLayer.self, from: text), limits)
        } catch {
            throw error.of(reference(in: text))
        }
    }

    /// The marks in these values, as if read from a file. Unreadable marks, and marks with impossible numbers, are left out.
    public static func marks(of values: [LayerValue]) -> [Mark] {
        values.compactMap { value in
            guard let bytes = value.mark?.bytes, let mark = try? JSONReader.decode(Mark.self, from: bytes),
                mark.fieldsBeyondReason.isEmpty
            else { return nil }
            return mark
        }
    }

    /// The chart that an unreadable layer names.
    private static func reference(in text: JSONPart?) -> MarkFile.Reference {
        (try? text?.decoded(as: NativeLayer.Origin.self))?.reference ?? MarkFile.Reference()
    }

    private static func file(_ layer: NativeLayer, _ limits: MarkFileLimits) throws(MarkFileFault) -> MarkFile {
        guard layer.version == 1 else {
            throw MarkFileFault(.malformed, "has version \(layer.version), but only version 1 is known here")
        }
        var notes = MarkFileNotes()
        var marks: [Mark] = []
        var tally = MarkTally(limits: limits)
        var accountedFor = Set(layer.deleted.values.joined().lazy.filter { $0.edits != nil }.map(\.id))
        for (number, entry) in layer.entries.enumerated() {
            var mark: Mark
            switch entry {
            case .mark(let read): mark = read
            case .fault(let fault, _):
                notes.add("marks left out because \(fault)", at: "mark \(number + 1)")
                continue
            }
            if case .object? = mark.unknown[NativeLayer.edits] { accountedFor.insert(mark.id) }
            guard layer.deleted[mark.id]?.contains(where: { $0.isOf(mark) }) != true else { continue }
            mark.unknown[NativeLayer.edits] = nil
            try check(mark, limits)
            try tally.add(mark, on: mark.page)
            guard mark.fieldsBeyondReason.isEmpty else {
                notes.add("marks with an impossible page or impossible numbers left out", at: "mark \(number + 1)")
                continue
            }
            if let reason = mark.reasonsNotToBeSeen.first?.reason {
                notes.add("marks not drawn because \(reason)", at: "mark \(number + 1)\(Self.kind(of: mark))")
            }
            marks.append(mark)
        }
        let reference = layer.origin.reference
        if layer.origin.chart != nil, reference.chart == nil, reference.chartBeginning == nil {
            notes.add("“chart” ignored because it is neither the hash of a PDF nor its first 8 or more digits", at: "the layer")
        }
        var file = MarkFile(
            // People see this name in lists, so keep it short.
            name: layer.name.map { String($0.prefix(200)) }, reference: reference,
            marks: marks,
            notes: notes.sentences)
        file.accountedFor = accountedFor
        return file
    }

    static func decode<Part: Decodable>(_ part: Part.Type, from text: JSONPart) throws(MarkFileFault) -> Part {
        do {
            return try text.decoded(as: part)
        } catch let error as DecodingError {
            let (what, key, context): (String, String?, DecodingError.Context) =
                switch error {
                case .keyNotFound(let key, let context): ("has no “\(key.stringValue)”", key.stringValue, context)
                case .typeMismatch(_, let context), .valueNotFound(_, let context): ("has a value of the wrong type", nil, context)
                case .dataCorrupted(let context): ("has a value that cannot be understood", nil, context)
                @unknown default: ("cannot be understood", nil, DecodingError.Context(codingPath: [], debugDescription: ""))
                }
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
            var fault = MarkFileFault(.malformed, path.isEmpty ? what : "\(what) at “\(path)”")
            fault.field = path.isEmpty ? key : path
            throw fault
        } catch {
            throw MarkFileFault(.malformed, "cannot be understood")
        }
    }

    /// The end of a note about a mark of an unknown kind, with the name of that kind; empty if the kind is known.
    private static func kind(of mark: Mark) -> String {
        guard case .unknown(let name) = mark.kind else { return "" }
        return ", a “\(name.prefix(40))”"
    }

    static func check(_ mark: Mark, _ limits: MarkFileLimits) throws(MarkFileFault) {
        guard mark.points.count <= limits.strokePoints else { throw .tooMany("points in one stroke", limit: limits.strokePoints) }
        guard (mark.text?.utf8.count ?? 0) <= limits.textBytes else { throw .tooMany("bytes in one text", limit: limits.textBytes) }
        guard (mark.image?.utf8.count ?? 0) <= limits.pictureBytes else {
            throw .tooMany("bytes in one picture", limit: limits.pictureBytes)
        }
    }
}

extension MarkFileLimits {
    /// Marks and points are counted during parsing, since decoding a thousand times the limit would already do harm. They are
    /// recognised by position, because the names of fields can be spelled in many ways.
    var json: JSONLimits {
        JSONLimits(
            bytes: fileBytes, depth: depth, values: values,
            counted: [
                .init("marks", in: [.object, .list], most: marks),
                .init("points", in: [.object, .list, .object, .list], onlyLists: true, most: points),
            ], allowsRepeats: false)
    }
}

extension MarkFileFault {
    fileprivate init(_ fault: JSONFault) {
        let reason: Reason =
            switch fault.reason {
            case .unfinished: .unfinished
            case .malformed: .malformed
            case .tooLarge: .tooLarge
            }
        self.init(reason, fault.sentence, at: .line(fault.line, column: fault.column))
        field = fault.name
    }
}
