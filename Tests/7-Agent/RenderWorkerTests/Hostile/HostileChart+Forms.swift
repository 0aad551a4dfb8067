import TestSupport

extension HostileChart {
    /// Forms and patterns that show themselves, or each other far too often.
    static let forms: HostileFamily = {
        var family = HostileFamily("forms")
        family.page("a form that shows itself", "/X Do") { pdf in
            let form = pdf.add("")
            pdf.replace(form, TestPDF.form("0 0 9 9 re f /X Do /X Do", resources: "/XObject << /X \(form) 0 R >>"))
            return "/XObject << /X \(form) 0 R >>"
        }
        family.page("two forms that show each other", "/X Do") { pdf in
            let (first, second) = (pdf.add(""), pdf.add(""))
            pdf.replace(first, TestPDF.form("/X Do /X Do", resources: "/XObject << /X \(second) 0 R >>"))
            pdf.replace(second, TestPDF.form("/X Do /X Do", resources: "/XObject << /X \(first) 0 R >>"))
            return "/XObject << /X \(first) 0 R >>"
        }
        family.page("a ring of 500 forms", "/X Do") { pdf in
            let forms = (0..<500).map { _ in pdf.add("") }
            for (index, form) in forms.enumerated() {
                pdf.replace(form, TestPDF.form("/X Do", resources: "/XObject << /X \(forms[(index + 1) % 500]) 0 R >>"))
            }
            return "/XObject << /X \(forms[0]) 0 R >>"
        }
        for (depth, width, fate) in [(2, 10, Fate.drawn), (12, 10, .timedOut), (9, 100, .timedOut), (40, 2, .timedOut), (400, 1, .drawn)] {
            family.page("forms \(depth) deep that show \(width) each", fate, "/X Do") { nested(depth, width, in: &$0) }
        }
        for (step, fate) in [
            ("0", Fate.drawn), ("-20", .drawn), ("\(tiny)", .drawn), ("0.01", .timedOut), ("\(vast)", .drawn), ("/NaN", .timedOut),
            ("40", .drawn),
        ] {
            family.page("tiles every \(step)", fate, painting(2)) { pdf in
                tiles(HostilePDF.scribble(step == "0.01" ? 5000 : 5), "/XStep \(step) /YStep \(step) /Resources << >>", in: &pdf)
            }
        }
        family.page("tiles that are painted with themselves", painting(1)) { pdf in
            let pattern = pdf.add("")
            let entries = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 99 99] /XStep 99 /YStep 99 "
            let names = "/Pattern << /P \(pattern) 0 R >>"
            pdf.replace(pattern, HostileFamily.stream(painting(1), entries + "/Resources << \(names) >>"))
            return names
        }
        family.page("tiles of tiles of tiles", .timedOut, painting(1)) { pdf in
            var names = ""
            for _ in 0..<7 {
                names = tiles(names.isEmpty ? "0 0 1 1 re f" : painting(1), "/XStep 0.5 /YStep 0.5 /Resources << \(names) >>", in: &pdf)
            }
            return names
        }
        for (entries, fate) in [
            ("/BBox [9 9 0 0]", Fate.drawn), ("/BBox 7", .warned), ("/BBox [0 0 \(vast) \(vast)] /Matrix [0 0 0 0 0 0]", .warned),
            ("/Matrix [\(vast) 0 0 \(vast) 0 0]", .warned),
        ] {
            family.page("a form with \(entries)", fate, "/X Do") { pdf in
                let form = pdf.add(HostileFamily.stream("0 0 99 99 re f", "/Type /XObject /Subtype /Form \(entries)"))
                return "/XObject << /X \(form) 0 R >>"
            }
        }
        for (name, content, fate) in [
            ("states saved and never taken back", "q ", Fate.drawn), ("states taken back and never saved", "Q ", .warned),
            ("sections begun", "BX /A BMC ", .drawn), ("texts begun", "BT ", .drawn), ("pictures begun", "BI ID ", .warned),
            ("clippings", "0 0 9 9 re W n ", .drawn),
        ] {
            family.page("5,000 \(name)", fate, String(repeating: content, count: 5_000))
        }
        family.page("layers that depend on themselves", "/OC /L BDC 0 0 99 99 re f EMC") { pdf in
            let layer = pdf.add("")
            pdf.replace(layer, "<< /Type /OCMD /OCGs [\(layer) 0 R] /VE [/Not \(layer) 0 R [/And \(layer) 0 R]] >>")
            return "/Properties << /L \(layer) 0 R >>"
        }
        return family
    }()

    static func nested(_ depth: Int, _ width: Int, in pdf: inout TestPDF) -> String {
        var names = ""
        for level in 0...depth {
            let content = level == 0 ? "0 0 1 1 re f" : String(repeating: "/X Do\n", count: width)
            names = "/XObject << /X \(pdf.add(TestPDF.form(content, resources: names))) 0 R >>"
        }
        return names
    }

    private static func painting(_ times: Int) -> String {
        "/Pattern cs /P scn 0 0 595 842 re f " + String(repeating: "0 0 595 842 re f ", count: times - 1)
    }

    @discardableResult
    private static func tiles(_ content: String, _ entries: String, in pdf: inout TestPDF) -> String {
        let kind = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] "
        return "/Pattern << /P \(pdf.add(HostileFamily.stream(content, kind + entries))) 0 R >>"
    }
}
