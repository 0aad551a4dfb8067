import JSON
import LayerJoin
import Model

/// A fault of a mark or a deletion, both in files that are checked and in a browser's edits.
struct MarkFault: Hashable {
    /// The field at fault, if any.
    let field: String?
    let reason: String
    /// What to write instead.
    let remedy: String
    /// Whether the fault makes readers leave the mark out, or draw nothing for it.
    let leavesOut: Bool
    /// Whether the fault makes a browser's edit fail. An edit that moves a mark off the page succeeds.
    let isRefused: Bool

    init(_ field: String?, _ reason: String, _ remedy: String? = nil, leavesOut: Bool = true, isRefused: Bool = true) {
        (self.field, self.reason, self.leavesOut, self.isRefused) = (field, reason, leavesOut, isRefused)
        self.remedy = remedy ?? Self.remedy(field)
    }

    var sentence: String { "\(reason); \(remedy)" }

    // MARK: - Finding all

    /// All faults of a mark. `pages` is the number of pages in the chart, if known. Later checks skip fields that already have a fault.
    static func all(_ entry: JSONPart, pages: Int? = nil) -> [MarkFault] {
        guard entry.members != nil else { return [MarkFault(nil, "it is not an object")] }
        let (mark, unreadable) = read(entry)
        var faults = unreadable
        func add(_ others: [MarkFault]) { faults += others.filter { other in !faults.contains { $0.field == other.field } } }
        if let mark {
            if let id = entry["id"]?.string { add(of(id: id)) }
            if let pages, !(0..<pages).contains(mark.page.value) {
                let fault = "“page” is \(mark.page.value), but "
                add([
                    pages == 1
                        ? MarkFault("page", fault + "this chart has one page", "write 0")
                        : MarkFault("page", fault + "pages go from 0 to \(pages - 1)", "write one of these")
                ])
            }
            add(mark.fieldsBeyondReason.map { MarkFault($0, "“\($0)” has an impossible number") })
            if !faults.contains(where: { $0.field == "kind" }) { add(unseen(mark)) }
            add(odd(mark, entry))
        }
        return faults + of(edits: entry, "the mark counts as written by hand then")
    }

    /// All faults of a deletion.
    static func all(ofDeletion entry: JSONPart) -> [MarkFault] {
        guard let (id, _) = entry.deletion else { return [MarkFault("id", "“id” is missing, or is no text")] }
        return of(id: id.text) + of(edits: entry, "the mark is left out then, whatever it is")
    }

    /// The fault of a mark or deletion that a browser sends without edits. In a file, both may lack them.
    static let withoutEdits = MarkFault(
        NativeLayer.edits, "“v” is missing", "write which edit of which device it is, as in {\"tablet\": 4}")

    /// Reads the mark, with stand-ins for some of the unreadable fields and without the others. It is `nil` if it still cannot be read.
    private static func read(_ entry: JSONPart) -> (Mark?, [MarkFault]) {
        let standIns = ["id": "\"x\"", "page": "0", "kind": "\"\(Mark.Kind.pen.rawValue)\""]
        var entry = entry
        var faults: [MarkFault] = []
        while true {
            switch try? entry.decoded(as: NativeLayer.Entry.self) {
            case .mark(let mark)?: return (mark, faults)
            case .fault(let reason, let field)?:
                guard !faults.contains(where: { $0.field == field }) else { return (nil, faults) }
                faults.append(MarkFault(field, reason))
                guard let field, let other = replacing(field, of: entry, with: standIns[field]) else { return (nil, faults) }
                entry = other
            case nil: return (nil, faults)
            }
        }
    }

    /// The entry with another value for one field, or without this field.
    private static func replacing(_ field: String, of entry: JSONPart, with other: String?) -> JSONPart? {
        let others = (entry.members ?? []).filter { $0.name != field }.map { JSONText.quoted($0.name) + Array(":".utf8) + $0.value.bytes }
        let members = others + (other.map { [JSONText.quoted(field) + Array(":\($0)".utf8)] } ?? [])
        let text = Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
        return try? JSONReader.whole(text, limits: JSONLimits(values: .max))
    }

    private static func unseen(_ mark: Mark) -> [MarkFault] {
        if case .unknown(let name) = mark.kind { return [MarkFault("kind", "“kind” is “\(name.prefix(40))”, which cannot be drawn")] }
        return mark.reasonsNotToBeSeen
    }

    /// The faults of marks that are drawn, but hardly in the way that was meant.
    private static func odd(_ mark: Mark, _ entry: JSONPart) -> [MarkFault] {
        let lengths = [
            ("width", [mark.width]), ("dash", mark.dash), ("size", mark.setting.size.map { [$0] }),
            ("wrap", mark.setting.wrap.map { [$0] }),
            ("point", mark.setting.point.map { [$0] }),
        ].filter { $0.1?.contains { !(0...1000).contains($0) } == true }
        var faults = lengths.map { MarkFault($0.0, "“\($0.0)” has a number that no length on a page has", leavesOut: false) }
        if let fill = mark.fill, !(0...1).contains(fill) {
            faults.append(MarkFault("fill", "“fill” is not from 0 to 1", leavesOut: false, isRefused: false))
        }
        func check<Value: Decodable>(_ field: String, _ type: Value.Type, _ remedy: String) {
            guard let value = entry[field], !value.isNull, (try? value.decoded(as: type)) == nil else { return }
            faults.append(MarkFault(field, "“\(field)” is not understood", remedy, leavesOut: false, isRefused: false))
        }
        check("cap", Mark.Cap.self, "write \"round\", \"butt\" or \"square\": now the mark is drawn with round ends")
        check("align", Mark.Alignment.self, "write \"left\", \"center\" or \"right\": now the text is drawn at the left")
        if let key = entry["key"], !key.isNull, key.string.flatMap({ ChordKey($0) }) == nil {
            let remedy = "write a key as in \"Eb\" or \"F#m\": now the mark is shown in every key"
            faults.append(MarkFault("key", "“key” is no key", remedy, leavesOut: false, isRefused: false))
        }
        if let leads = entry["leads"], !leads.isNull, leads.string == nil {
            faults.append(MarkFault("leads", "“leads” is not the id of a mark", leavesOut: false))
        }
        if let pass = entry["pass"], !pass.isNull, !(pass.whole.map { Mark.passes.contains($0) } ?? false) {
            let remedy = "write a whole number from 1 to 9, or leave “pass” out: now the jump is taken every time"
            faults.append(MarkFault("pass", "“pass” is no number of a time through", remedy, leavesOut: false))
        }
        check("justify", Bool.self, "write true or false: now the lines are drawn as they were typed")
        return faults
    }

    // MARK: - Names and edits

    /// The longest name of a mark or device, in bytes. Browsers make shorter names, and long names enlarge the file with every edit.
    private static let most = 200
    /// The most devices in one mark's edits. This is large because every browser window counts as a device.
    private static let mostDevices = 2000

    private static func of(id: String) -> [MarkFault] {
        fault(ofName: id).map { [MarkFault("id", "“id” \($0)", leavesOut: false)] } ?? []
    }

    private static func fault(ofName name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > most { return "has more than \(most) bytes" }
        let isSeen = name.unicodeScalars.allSatisfy {
            ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory) && !$0.properties.isBidiControl
        }
        return isSeen ? nil : "has characters that cannot be seen"
    }

    private static func of(edits entry: JSONPart, _ withoutThem: String) -> [MarkFault] {
        guard let edits = entry[NativeLayer.edits], let reason = reason(against: edits) else { return [] }
        let remedy = "write the number of each device's last edit, as in {\"tablet\": 4}, or leave “v” out: \(withoutThem)"
        return [MarkFault(NativeLayer.edits, reason, remedy, leavesOut: false)]
    }

    private static func reason(against edits: JSONPart) -> String? {
        guard let members = edits.members else { return "“v” is not an object" }
        if members.isEmpty { return "“v” is empty" }
        if members.count > mostDevices { return "“v” has more than \(mostDevices) devices" }
        for (device, number) in members {
            if let fault = fault(ofName: device) { return "“v” has a device whose name \(fault)" }
            guard let number = number.whole, (1...EditCounts.greatest).contains(number) else {
                return "“v” has no whole number from 1 to \(EditCounts.greatest) for “\(device.prefix(40))”"
            }
        }
        return nil
    }

    // MARK: - Words

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
        case "leads": "write the “id” of the landing in the same layer that the jump leads to"
        case "created_at": "write the time as in \"2026-11-22T09:30:00Z\""
        default: "'woodshed help marks' lists the fields of a mark"
        }
    }
}
