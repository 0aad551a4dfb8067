import Model

/// Looks at a native layer for whoever writes one by hand, or a program that does: which marks would be left out, where, and what to write.
public enum LayerCheck {
    public struct Finding: Hashable, Sendable {
        /// Counted from 1.
        public let line: Int
        /// Which mark it is, counted from 1; `nil` if the whole file is left out.
        public let mark: Int?
        /// The field that is the reason, if it is one.
        public let field: String?
        /// What is wrong, and what to do about it.
        public let sentence: String
    }

    /// How many marks a file has that would be drawn, and why others would not be. If the file as a whole cannot be read, that is all.
    public static func look(at bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) -> (drawn: Int, findings: [Finding]) {
        let layer: NativeLayer
        do throws(MarkFileFault) {
            _ = try NativeLayerReader.read(bytes, limits: limits)
            guard let read = try? JSONReader.decode(NativeLayer.self, from: bytes) else { return (0, []) }
            layer = read
        } catch {
            return (0, [finding(of: error, bytes)])
        }
        let pieces = JSONPieces(bytes: bytes)
        let lines = Lines(bytes)
        let marks = pieces.members(of: pieces.whole)?.last { $0.name == "marks" }.flatMap { pieces.elements(of: $0.value) } ?? []
        var (drawn, findings): (Int, [Finding]) = (0, [])
        for (index, (entry, range)) in zip(layer.entries, marks).enumerated() {
            guard let reason = reason(of: entry, in: layer) else {
                drawn += 1
                continue
            }
            guard !reason.isEmpty else { continue }
            let field = field(in: reason)
            let place = field.flatMap { name in pieces.members(of: range)?.last { $0.name == name }?.value.lowerBound }
            let line = lines.line(of: place ?? range.lowerBound)
            findings.append(Finding(line: line, mark: index + 1, field: field, sentence: reason + "; " + remedy(field)))
        }
        return (drawn, findings)
    }

    /// Why a mark is left out, empty if somebody deleted it; `nil` if it is drawn.
    private static func reason(of entry: NativeLayer.Entry, in layer: NativeLayer) -> String? {
        switch entry {
        case .fault(let reason): reason
        case .mark(let mark) where layer.deleted[mark.id]?.contains { $0.isOf(mark) } == true: ""
        case .mark(let mark) where !NativeLayerReader.isWithinReason(mark): impossible(mark)
        case .mark(let mark): mark.reasonNotToBeSeen
        }
    }

    /// By the field with the number that nothing on a page can have.
    private static func impossible(_ mark: Mark) -> String {
        func isFar(_ numbers: [Double]) -> Bool { numbers.contains { abs($0) > 1000 } }
        let fields = [
            ("page", !(0..<100_000).contains(mark.page.value)), ("width", isFar([mark.width])), ("fill", isFar([mark.fill ?? 0])),
            ("size", isFar([mark.size ?? 0])), ("dash", isFar(mark.dash)),
        ]
        return "“\(fields.first { $0.1 }?.0 ?? "points")” has an impossible number"
    }

    private static func finding(of fault: MarkFileFault, _ bytes: [UInt8]) -> Finding {
        var line = 1
        // As in `has no “id” at “deleted.[3]”`.
        let field = field(in: fault.sentence.firstRange(of: " at “").map { String(fault.sentence[$0.lowerBound...]) } ?? fault.sentence)
        if case .line(let number, _)? = fault.place {
            line = number
        } else if let field, (try? JSONReader.read(bytes)) != nil {
            let pieces = JSONPieces(bytes: bytes)
            let name = String(field.prefix { $0 != "." })
            let place = pieces.members(of: pieces.whole)?.last { $0.name == name }?.value.lowerBound
            line = Lines(bytes).line(of: place ?? pieces.whole.lowerBound)
        }
        let remedy = fault.reason == .tooLarge ? "spread its marks over several" : "'woodshed help marks' has an example to begin with"
        return Finding(line: line, mark: nil, field: field, sentence: "the file \(fault.sentence); \(remedy)")
    }

    /// The field that a sentence is about: the first that it names.
    private static func field(in sentence: String) -> String? {
        guard let start = sentence.firstIndex(of: "“"), let end = sentence[start...].firstIndex(of: "”") else { return nil }
        return String(sentence[sentence.index(after: start)..<end])
    }

    private static func remedy(_ field: String?) -> String {
        switch field {
        case "id": "give the mark an “id” in quotes that no other mark has"
        case "page": "write the page as a whole number, from 0 for the first one"
        case "kind": "write one of \(Mark.Kind.names.joined(separator: ", "))"
        case "points": "write pairs [x, y] of fractions of the page, from [0, 0] at its top left to [1, 1]"
        case "color": "write it as \"#RRGGBB\", or with transparency as \"#RRGGBBAA\""
        case "width", "size", "wrap", "point": "write a fraction of the page's width as a number: 0.002 is a thin pen, 0.03 a text"
        case "fill": "write a number from 0 to 1"
        case "dash": "write lengths as fractions of the page's width, as in [0.01, 0.005]"
        case "text": "write the text in quotes"
        case "font": "write the name of a font family in quotes"
        case "image": "write a PNG in base64"
        case "created_at": "write the time as in \"2026-11-22T09:30:00Z\""
        default: "'woodshed help marks' lists the fields of a mark"
        }
    }

    /// Finds the lines of places without counting from the start each time.
    private struct Lines {
        private let ends: [Int]
        init(_ bytes: [UInt8]) { ends = bytes.indices.filter { bytes[$0] == 0x0a } }

        func line(of place: Int) -> Int {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < place { low = middle + 1 } else { high = middle }
            }
            return low + 1
        }
    }
}
