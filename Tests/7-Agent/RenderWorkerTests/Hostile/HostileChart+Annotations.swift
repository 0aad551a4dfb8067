import Model
import Rendering
import TestSupport

extension HostileChart {
    /// Notes, links and form fields whose appearances lead nowhere, or back to themselves.
    static let annotations: HostileFamily = {
        var family = HostileFamily("annotations")
        let page = "0 0 99 99 re f"
        for list in ["null", "[null 7 999 0 R]", "[3 0 R]", "[[[[]]]]"] { family.annotated("annotations that are \(list)", list) }
        // Poppler does not accept a page that has a number or a dictionary in place of the list of annotations, and the file has no
        // other page.
        for list in ["7", "<< >>"] { family.annotated("annotations that are \(list)", nil, list) }
        family.annotated("3,000 times the same one", "[\(String(repeating: "5 0 R ", count: 3_000))]") { pdf in
            pdf.add("<< /Type /Annot /Subtype /Square /Rect [9 9 99 99] /C [1 0 0] >>")
        }
        for (name, entries, fate) in [
            ("looks that show themselves", "/AP << /N 6 0 R >>", Fate.drawn),
            ("looks that are looks", "/AP << /N << /On 5 0 R /Off 5 0 R >> >> /AS /On", .drawn),
            ("no look for its state", "/AP << /N << /On 6 0 R >> >> /AS /Nothing", .drawn), ("looks that are none", "/AP 7", .drawn),
        ] {
            family.annotated("\(name)", fate, "[5 0 R]") { pdf in
                pdf.add("<< /Type /Annot /Subtype /Stamp /Rect [9 9 99 99] \(entries) >>")
                pdf.add(TestPDF.form(page + " /X Do /X Do", resources: "/XObject << /X 6 0 R >>"))
            }
        }
        family.annotated("looks that take years", .timedOut, "[5 0 R]") { pdf in
            pdf.add("")
            let names = nested(12, 10, in: &pdf)
            pdf.replace(
                5,
                "<< /Type /Annot /Subtype /Stamp /Rect [9 9 99 99] /AP << /N \(pdf.add(TestPDF.form("/X Do", resources: names))) 0 R >> >>")
        }
        for (box, fate) in [("[\(vast) 0 -\(vast) 9]", Fate.warned), ("[0 0 0 0]", .drawn), ("7", .warned), ("[/NaN 0 9 9]", .drawn)] {
            family.annotated("a stamp at \(box)", fate, "[5 0 R]") { pdf in
                pdf.add("<< /Type /Annot /Subtype /Stamp /Rect \(box) /AP << /N 6 0 R >> >>")
                pdf.add(TestPDF.form(page))
            }
        }
        for (kind, entries) in [
            ("Line", "/L [\(vast)]"), ("Line", "/L [0 0 \(vast) \(vast)] /LE [/OpenArrow /Nothing]"), ("Highlight", "/QuadPoints [1 2 3]"),
            ("Ink", "/InkList [[\(vast) -\(vast) 0 0] 7 [[]] null]"), ("Polygon", "/Vertices [/A 1 2]"),
            ("FreeText", "/DA (/ \(vast) Tf) /Contents (x)"),
            ("Popup", "/Parent 5 0 R"), ("Link", "/Dest [3 0 R /XYZ \(vast) \(vast) \(vast)] /A << /S /GoTo /D (x) /Next 5 0 R >>"),
            ("Circle", "/BS << /W \(vast) /S /D /D [0 0 0] >> /C [1 0 0]"), ("Text", "/Popup 5 0 R /IRT 5 0 R /Name /Nothing"),
            ("Movie", "/Movie 5 0 R"),
        ] {
            let isWarned = entries.hasPrefix("/L [0") || ["FreeText", "Circle", "Ink", "Polygon", "Movie"].contains(kind)
            family.annotated("\(kind) \(entries)", isWarned ? .warned : .drawn, "[5 0 R]") { pdf in
                pdf.add("<< /Type /Annot /Subtype /\(kind) /Rect [9 9 99 99] \(entries) >>")
            }
        }
        for (name, field, form) in [
            ("fields below themselves", "/Kids [5 0 R]", "/Fields [5 0 R]"),
            ("fields above themselves", "/Parent 5 0 R", "/Fields [5 0 R 5 0 R]"),
            (
                "fields that are to be laid out", "/FT /Tx /V (xxx) /DA (/Helv \(vast) Tf 7 0 0 0 0 0 Tm)",
                "/Fields [5 0 R] /NeedAppearances true"
            ),
            ("no resources", "/FT /Tx /V (xxx) /DA ()", "/Fields [5 0 R] /DR 5 0 R /NeedAppearances true"),
            ("a choice of nothing", "/FT /Ch /Opt [null [7] [[]]] /TI -5 /I [99999]", "/Fields [5 0 R] /NeedAppearances true"),
            ("an order of reckoning without end", "/FT /Btn /Ff 4294967295", "/Fields 5 0 R /CO [5 0 R 5 0 R] /XFA [5 0 R]"),
        ] {
            family.annotated("a form of \(name)", .warned, form: form, "[5 0 R]") { pdf in
                pdf.add("<< /Type /Annot /Subtype /Widget /T (x) /Rect [9 9 99 99] \(field) >>")
            }
        }
        return family
    }()
}

extension HostileFamily {
    /// Adds a chart of one page, object 4, with annotations. Without a `fate`, the page must be unreadable. Annotations that are
    /// separate objects have the numbers from 5 on.
    fileprivate mutating func annotated(
        _ name: String, _ fate: HostileChart.Fate?, form: String? = nil, _ list: String,
        _ objects: (inout TestPDF) -> Void = { _ in }
    ) {
        var pdf = TestPDF()
        let content = pdf.add(Self.stream("0 0 99 99 re f"))
        let page = pdf.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents \(content) 0 R /Annots \(list) >>")
        pdf.kids = ["\(page) 0 R"]
        pdf.catalog = form.map { "/AcroForm << \($0) >>" } ?? ""
        objects(&pdf)
        if let fate {
            add(name, fate, bytes: pdf.bytes)
        } else {
            add(name, unopened: .refused(.noSuchPage(PageIndex(0))), bytes: pdf.bytes)
        }
    }
    fileprivate mutating func annotated(
        _ name: String, form: String? = nil, _ list: String, _ objects: (inout TestPDF) -> Void = { _ in }
    ) {
        annotated(name, .drawn, form: form, list, objects)
    }
}
