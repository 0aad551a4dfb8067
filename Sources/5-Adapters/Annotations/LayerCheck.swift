import JSON
import Model

/// Checks a native layer for the person or program that writes it. Each finding names its line and a remedy. Marks with minor
/// faults are drawn nevertheless.
public enum LayerCheck {
    public struct Finding: Hashable, Sendable {
        /// The line of the file, counted from 1.
        public let line: Int
        /// The number of the mark, counted from 1; `nil` if the finding is not about a mark.
        public let mark: Int?
        /// The field at fault, if any.
        public let field: String?
        /// The fault and its remedy.
        public let sentence: String
    }

    /// Whether this program has the chart that the file belongs to.
    public enum Chart: Hashable, Sendable {
        case notLookedFor
        case missing
        case found(pages: Int?)
    }

    /// Returns how many marks would be drawn, and all findings. If the file cannot be read, its fault is the only finding.
    public static func examine(
        _ bytes: [UInt8], for chart: Chart = .notLookedFor, limits: MarkFileLimits = MarkFileLimits()
    ) -> (drawn: Int, findings: [Finding]) {
        let text: Text
        let layer: NativeLayer
        do throws(MarkFileFault) {
            text = Text(try NativeLayerReader.text(bytes, limits), in: bytes)
        } catch {
            return (0, [finding(of: error, in: nil)])
        }
        do throws(MarkFileFault) {
            _ = try NativeLayerReader.file(text.whole, limits)
            layer = try NativeLayerReader.decode(NativeLayer.self, from: text.whole)
        } catch {
            return (0, [finding(of: error, in: text)])
        }
        let pages = if case .found(let pages) = chart { pages } else { nil as Int? }
        var (drawn, findings) = (0, self.findings(of: layer.origin, chart, text))
        var numbers: [String: Int] = [:]
        for (index, (entry, part)) in zip(layer.entries, text.whole["marks"]?.elements ?? []).enumerated() {
            func add(_ field: String?, _ sentence: String, at name: String?) {
                findings.append(Finding(line: text.line(of: name, in: part), mark: index + 1, field: field, sentence: sentence))
            }
            let faults = MarkFault.all(part, pages: pages)
            for fault in faults { add(fault.field, fault.sentence, at: fault.field) }
            var isDrawn = !faults.contains(where: \.leavesOut)
            if case .mark(let mark) = entry {
                if let other = numbers.updateValue(index + 1, forKey: mark.id) {
                    add(
                        "id", "“id” is that of mark \(other), too; whoever changes one of them may lose the other: give each its own",
                        at: "id")
                }
                if let deletion = layer.deleted[mark.id]?.first(where: { $0.isOf(mark) }) {
                    let reason = deletion.edits == nil ? "“deleted” lists its “id”" : "“deleted” lists it with a “v” that includes its own"
                    add("deleted", "\(reason): it is not drawn; take it out of “deleted” to have it back, or out of “marks”", at: "id")
                    isDrawn = false
                }
            }
            if isDrawn { drawn += 1 }
        }
        for (index, part) in (text.whole["deleted"]?.elements ?? []).enumerated() {
            findings += MarkFault.all(ofDeletion: part).map { fault in
                Finding(
                    line: text.line(of: fault.field, in: part), mark: nil, field: fault.field,
                    sentence: "entry \(index + 1) of “deleted”: \(fault.sentence)")
            }
        }
        return (drawn, findings)
    }

    private static func findings(of origin: NativeLayer.Origin, _ chart: Chart, _ text: Text) -> [Finding] {
        let reference = origin.reference
        let remedy = "'woodshed plans --json' lists the ids of charts, for “attachment_id”"
        func finding(_ field: String, _ reason: String) -> [Finding] {
            [Finding(line: text.line(of: field, in: text.whole), mark: nil, field: field, sentence: "\(reason); \(remedy)")]
        }
        if chart == .missing, let id = reference.attachment?.text ?? origin.chart {
            let field = reference.attachment == nil ? "chart" : "attachment_id"
            return finding(field, "no chart here has the “\(field)” “\(id.prefix(80))”, so nothing of the file is drawn")
        }
        if origin.chart != nil, reference.chart == nil, reference.chartBeginning == nil {
            return finding("chart", "“chart” is ignored: it is neither the hash of a PDF nor its first 8 or more digits")
        }
        guard chart == .missing else { return [] }
        return finding("attachment_id", "the file names no chart and has no chart's name beside it, so nothing of it is drawn")
    }

    private static func finding(of fault: MarkFileFault, in text: Text?) -> Finding {
        var line = 1
        let field = fault.field
        if case .line(let number, _)? = fault.place {
            line = number
        } else if let field, let text {
            line = text.line(of: String(field.prefix { $0 != "." }), in: text.whole)
        }
        let remedy = fault.reason == .tooLarge ? "spread its marks over several" : "'woodshed help marks' has an example to begin with"
        return Finding(line: line, mark: nil, field: field, sentence: "the file \(fault.sentence); \(remedy)")
    }

    /// A file's text, with the ends of its lines, so that no search has to count lines from the start.
    private struct Text {
        let whole: JSONPart
        private let ends: [Int]

        init(_ whole: JSONPart, in bytes: [UInt8]) { (self.whole, ends) = (whole, bytes.indices.filter { bytes[$0] == 0x0a }) }

        /// The line of a field in `object`; if the field is missing, the line of `object` itself.
        func line(of field: String?, in object: JSONPart) -> Int {
            let place = (field.flatMap { object[$0] } ?? object).start
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < place { low = middle + 1 } else { high = middle }
            }
            return low + 1
        }
    }
}
