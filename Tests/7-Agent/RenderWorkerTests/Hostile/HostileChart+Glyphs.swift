import TestSupport

extension HostileChart {
    /// Glyphs that show themselves, or are larger than any page; and font files that are not fonts.
    static let glyphs: HostileFamily = {
        var family = HostileFamily("glyphs")
        for start in ["500 0 d0", "500 0 0 0 500 500 d1", ""] {
            family.page("a glyph that shows itself (\(start))", .crashed, text) { pdf in
                let font = pdf.add("")
                pdf.replace(
                    font, type3(pdf.add(HostileFamily.stream("\(start) BT /F 1000 Tf (AA) Tj ET")), names: "/Font << /F \(font) 0 R >>"))
                return "/Font << /F \(font) 0 R >>"
            }
        }
        family.page("two fonts that show each other", .crashed, text) { pdf in
            let (first, second) = (pdf.add(""), pdf.add(""))
            let glyph = pdf.add(HostileFamily.stream("500 0 d0 BT /F 1000 Tf (AAAA) Tj ET"))
            pdf.replace(first, type3(glyph, names: "/Font << /F \(second) 0 R >>"))
            pdf.replace(second, type3(glyph, names: "/Font << /F \(first) 0 R >>"))
            return "/Font << /F \(first) 0 R >>"
        }
        family.page("a glyph that draws a form that shows it", text) { pdf in
            let font = pdf.add("")
            let form = pdf.add(TestPDF.form(text, resources: "/Font << /F \(font) 0 R >>"))
            pdf.replace(font, type3(pdf.add(HostileFamily.stream("500 0 d0 /X Do")), names: "/XObject << /X \(form) 0 R >>"))
            return "/Font << /F \(font) 0 R >>"
        }
        family.page("fonts that show fonts, ten letters each", text) { pdf in
            var names = ""
            for level in 0..<12 {
                let letters = level == 0 ? "0 0 500 500 re f" : "BT /F 1000 Tf (AAAAAAAAAA) Tj ET"
                let font = pdf.add(type3(pdf.add(HostileFamily.stream("500 0 d0 \(letters)")), names: names))
                names = "/Font << /F \(font) 0 R >>"
            }
            return names
        }
        for box in ["[0 0 \(vast) \(vast)]", "[-1000000 -1000000 1000000 1000000]", "[0 0 0 0]", "[500 500 -500 -500]", "null"] {
            family.page("glyphs with a box of \(box)", .warned, text) { pdf in
                let font = pdf.add(
                    type3(
                        pdf.add(HostileFamily.stream("500 0 -1000000 -1000000 1000000 1000000 d1 0 0 500 500 re f")), box: box))
                return "/Font << /F \(font) 0 R >>"
            }
        }
        for matrix in ["[0 0 0 0 0 0]", "[\(vast) 0 0 \(vast) 0 0]", "[/NaN 0 0 1 0 0]", "[1]"] {
            family.page("glyphs with a matrix of \(matrix)", .warned, text) { pdf in
                let font = pdf.add(type3(pdf.add(HostileFamily.stream("500 0 d0 0 0 500 500 re f")), matrix: matrix))
                return "/Font << /F \(font) 0 R >>"
            }
        }
        for glyph in ["null", "7", "999 0 R"] {
            family.page("a glyph that is \(glyph)", .warned, text) { _ in
                "/Font << /F << /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65 "
                    + "/Widths [500] /Encoding << /Differences [65 /A] >> /CharProcs << /A \(glyph) >> >> >>"
            }
        }
        for font in [
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 2147483647 /LastChar -1 /Widths [\(vast)] >>",
            "<< /Type /Font /Subtype /TrueType /BaseFont /X /Encoding << /Differences [999999999 /A -5 /B 65 /C] >> >>",
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [3 0 R] >>",
            "<< /Type /Font /Subtype /Nothing >>",
        ] {
            family.page("a font \(font)", font.contains("/Nothing") ? .warned : .drawn, text) { _ in "/Font << /F \(font) >>" }
        }
        family.page("a font that is eight megabytes of zeros", .warned, text) { pdf in
            let file = pdf.add(HostilePDF.stream(HostilePDF.zeros(megabytes: 8), "/Filter [/ASCIIHexDecode /FlateDecode] /Length1 9"))
            let descriptor = pdf.add("<< /Type /FontDescriptor /FontName /Bomb /Flags 4 /FontFile2 \(file) 0 R >>")
            return "/Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Bomb /FontDescriptor \(descriptor) 0 R >> >>"
        }
        family.page("a table of characters that goes on in itself", .warned, text) { pdf in
            let table = pdf.add("")
            pdf.replace(
                table, HostileFamily.stream("/X usecmap 1 beginbfrange <0000> <ffffffff> <0000> endbfrange", "/UseCMap \(table) 0 R"))
            return "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode \(table) 0 R >> >>"
        }
        return family
    }()

    private static let text = "BT /F 60 Tf 50 400 Td (AAA) Tj ET"

    private static func type3(
        _ glyph: Int, names: String = "", box: String = "[0 0 1000 1000]", matrix: String = "[0.001 0 0 0.001 0 0]"
    ) -> String {
        """
        << /Type /Font /Subtype /Type3 /FontBBox \(box) /FontMatrix \(matrix) /FirstChar 65 /LastChar 65 /Widths [500] \
        /Encoding << /Differences [65 /A] >> /CharProcs << /A \(glyph) 0 R >> /Resources << \(names) >> >>
        """
    }
}
