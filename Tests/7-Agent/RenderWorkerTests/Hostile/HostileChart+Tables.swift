import Rendering
import TestSupport

extension HostileChart {
    /// Files with wrong statements about the places of their objects.
    static let tables: HostileFamily = {
        var family = HostileFamily("tables")
        let whole = String(decoding: TestPDF.halfBlack.bytes, as: UTF8.self)
        let table = whole.components(after: "startxref\n")
        for start in ["99999999", "-1", "0", "9223372036854775808", "", "1e9"] {
            family.add(
                "a table at '\(start)'", .drawn, bytes: Array(whole.replacing("startxref\n\(table)", with: "startxref\n\(start)").utf8))
        }
        for (name, old, new) in [
            ("a table that begins in itself", "/Size 5", "/Size 5 /Prev \(table)"),
            ("a table before the file", "/Size 5", "/Size 5 /Prev -7"),
            ("a size of none", "/Size 5", "/Size 0"), ("a size of two billion", "/Size 5", "/Size 2147483647"),
            ("two billion entries", "0 5\n", "0 2147483647\n"), ("entries from below none", "0 5\n", "-5 5\n"),
            ("objects beyond the file", "\n00000", "\n99999"), ("objects that are all free", " n \n", " f \n"),
            ("a generation of 65535", "00000 n", "65535 n"), ("no end of objects", "endobj", ""),
            ("no header", "%PDF-1.4", ""), ("a version of 9999999999", "%PDF-1.4", "%PDF-9999999999.9"),
        ] {
            family.add(name, .drawn, bytes: Array(whole.replacing(old, with: new).utf8))
        }
        for (name, old, new, failure) in [
            ("no root", "/Root 1 0 R", "", RenderFailure.unreadable(damaged)),
            ("a root that is a page", "/Root 1 0 R", "/Root 4 0 R", .noPages),
            ("a root that is itself", "<< /Type /Catalog", "1 0 R << /Type /Catalog", .unreadable(rootless)),
        ] {
            family.add(name, unopened: .refused(failure), bytes: Array(whole.replacing(old, with: new).utf8))
        }
        for (length, fate) in [
            ("0", Fate.drawn), ("5", .drawn), ("99999999", .drawn), ("-1", .warned), ("3 0 R", .warned), ("999 0 R", .warned),
            ("2147483648", .drawn),
            ("/Long", .warned),
        ] {
            family.add("a length of \(length)", fate, bytes: Array(whole.replacing("/Length 22", with: "/Length \(length)").utf8))
        }
        for (name, text) in [
            ("nothing", ""), ("only a header", "%PDF-1.7\n"), ("an end without a beginning", "startxref\n0\n%%EOF"),
            ("a thousand headers", String(repeating: "%PDF-1.4\n", count: 1000)),
        ] {
            family.add(name, unopened: .refused(.unreadable(damaged)), bytes: Array(text.utf8))
        }
        for (name, entries) in [
            ("as it should be", "/N 1 /First 4"), ("that goes on in itself", "/N 1 /First 4 /Extends 5 0 R"),
        ] {
            family.add("a stream of objects \(name)", .drawn, bytes: streamed(entries))
        }
        for (name, entries, holder) in [
            ("with a billion objects", "/N 1000000000 /First 4", nil), ("that begins before itself", "/N 1 /First -4", nil),
            ("that begins after itself", "/N 1 /First 99999999", nil), ("with less than none", "/N -1 /First 4", nil),
            ("that is in itself", "/N 1 /First 4", "02000501"),
        ] {
            family.add(
                "a stream of objects \(name)", unopened: .refused(.unreadable(rootless)), bytes: streamed(entries, holder: holder))
        }
        for (name, entries, reason) in [
            ("fields without width", "/W [0 0 0]", rootless), ("fields of nine bytes", "/W [9 9 9]", damaged),
            ("two billion entries", "/W [1 2 1] /Index [0 2147483647]", damaged),
            ("entries below none", "/W [1 2 1] /Index [-9 9]", damaged),
        ] {
            let bytes = streamed("/N 1 /First 4", table: entries)
            family.add("a table in a stream with \(name)", unopened: .refused(.unreadable(reason)), bytes: bytes)
        }
        family.add("a table in a stream with itself before it", .drawn, bytes: streamed("/N 1 /First 4", table: "/W [1 2 1] /Prev 0"))
        var encrypted = TestPDF.halfBlack
        encrypted.encrypt()
        family.add("a password that nobody has", unopened: .refused(.encrypted), bytes: encrypted.bytes)
        // A file whose encryption entry names no method is read as if it were not encrypted.
        for (name, entries) in [
            ("of the sixth kind", "/V 5 /R 6 /P 0 /O <5a> /U <5a> /OE <> /UE <> /Perms <>"),
            ("of no kind", "/V 99 /R 99 /Length 2147483647"), ("without anything", ""),
            ("with filters of its own", "/V 4 /R 4 /CF << /StdCF 1 0 R >>"),
        ] {
            let bytes = whole.replacing("/Root 1 0 R", with: "/Root 1 0 R /Encrypt << /Filter /Standard \(entries) >>")
            family.add("a password \(name)", .drawn, bytes: Array(bytes.utf8))
        }
        return family
    }()

    private static let damaged = "PDF document is damaged"
    private static let rootless = "Failed to read the document catalog"

    /// A page whose catalog is in a stream of objects, and whose table is a stream.
    private static func streamed(_ entries: String, holder: String? = nil, table: String = "/W [1 2 1]") -> [UInt8] {
        var text = "%PDF-1.5\n"
        var rows = ["000000ff", "02000500"]
        func hex(_ value: Int) -> String { String(String(value + 65536, radix: 16).dropFirst()) }
        for (number, object) in [
            (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"), (3, "<< /Type /Page /MediaBox [0 0 300 400] /Contents 4 0 R >>"),
            (4, HostileFamily.stream("0 0 99 99 re f")),
            (5, HostileFamily.stream("1 0 << /Type /Catalog /Pages 2 0 R >>", "/Type /ObjStm \(entries)")),
        ] {
            rows.append("01\(hex(text.utf8.count))00")
            text += "\(number) 0 obj\n\(object)\nendobj\n"
        }
        if let holder { rows[5] = holder }
        let start = text.utf8.count
        rows.append("01\(hex(start))00")
        let entries = "/Type /XRef /Size 7 /Root 1 0 R \(table.replacing("/Prev 0", with: "/Prev \(start)")) /Filter /ASCIIHexDecode"
        text += "6 0 obj\n\(HostileFamily.stream(rows.joined() + ">", entries))\nendobj\nstartxref\n\(start)\n%%EOF\n"
        return Array(text.utf8)
    }
}

extension String {
    /// The rest of the line after `words`.
    fileprivate func components(after words: String) -> String {
        split(separator: words).last.map { String($0.prefix { $0 != "\n" }) } ?? ""
    }
}
