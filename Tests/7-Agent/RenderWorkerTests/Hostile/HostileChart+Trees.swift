import Model
import Rendering
import TestSupport

extension HostileChart {
    /// Trees of pages with missing pages, wrong counts, or loops.
    static let trees: HostileFamily = {
        var family = HostileFamily("trees")
        for kid in ["null", "999 0 R", "7", "(page)", "[ ]", "true", "2 0 R", "3 0 R", "<< /Type /Pages /Kids 7 >>"] {
            family.add("\(kid) in the place of a page", .drawn, .bad, .drawn, .drawn, bytes: tree { $0.kids[1] = kid })
        }
        family.add("null first", .bad, .drawn, .drawn, .drawn, bytes: tree { $0.kids[0] = "null" })
        family.add("null last, without a table", .drawn, .drawn, .drawn, .bad, bytes: tree(hasTable: false) { $0.kids[3] = "null" })
        family.add("a page without anything", .drawn, .drawn, .drawn, .drawn, bytes: tree { $0.kids[1] = "<< >>" })
        for count in ["0", "-1", "1", "3", "5", "99999", "2147483647", "-2147483648", "9999999999999999999", "1000000000"] {
            family.add("a count of \(count)", .drawn, .drawn, .drawn, .drawn, bytes: tree { $0.count = count })
        }
        family.add(
            "no page at all", unopened: .refused(.noSuchPage(PageIndex(0))), bytes: tree { $0.kids = ["null", "999 0 R", "2 0 R", "7"] })
        family.add(
            "branches that lead to each other", .drawn, .bad, .drawn, .drawn,
            bytes: tree {
                let first = $0.add("")
                let second = $0.add("<< /Type /Pages /Kids [\(first) 0 R] /Count 1 >>")
                $0.replace(first, "<< /Type /Pages /Kids [\(second) 0 R] /Count 1 >>")
                $0.kids[1] = "\(first) 0 R"
            })
        family.add(
            "the same page four times", .drawn, .drawn, .drawn, .drawn, bytes: tree { $0.kids = Array(repeating: $0.kids[0], count: 4) })
        for levels in [90, 2000] {
            let name = "a page \(levels) branches deep"
            let bytes = tree {
                var inner = $0.kids[1]
                for _ in 0..<levels { inner = "\($0.add("<< /Type /Pages /Kids [\(inner)] /Count 1 >>")) 0 R" }
                $0.kids[1] = inner
            }
            family.add(name, .drawn, .drawn, .drawn, .drawn, bytes: bytes)
        }
        family.add("ten branches a level and no page", unopened: .timedOut, bytes: HostilePDF.barrenTree)
        return family
    }()

    /// Pages of impossible sizes.
    static let boxes: HostileFamily = {
        var family = HostileFamily("boxes")
        for box in [
            "", "/MediaBox [0 0 0 0]", "/MediaBox [1 2 3]", "/MediaBox [0 0 \(vast) \(vast)]", "/MediaBox [0 0 -300 -400]",
            "/MediaBox [0 0 /NaN 400]", "/MediaBox [0 0 null 400]", "/MediaBox 7", "/MediaBox [0 0 9223372036854775807 1]",
            "/MediaBox [0 0 1 100000000]", "/MediaBox [0 0 300 400] /CropBox [1000000000 1000000000 2000000000 2000000000]",
        ] {
            family.add(box.isEmpty ? "no box" : box, .drawn, bytes: page(box))
        }
        for entry in [
            "/MediaBox [0 0 1000000000001 400]", "/UserUnit 0", "/UserUnit -1", "/UserUnit \(vast)", "/Rotate 45", "/Rotate 2147483647",
            "/Rotate \(vast)", "/Rotate /Up",
            "/Contents 999 0 R", "/Contents [3 0 R 3 0 R]", "/Resources 3 0 R", "/Parent 3 0 R",
        ] {
            family.add(entry, entry.hasPrefix("/Contents") ? .warned : .drawn, bytes: page("/MediaBox [0 0 300 400] \(entry)"))
        }
        family.add(
            "one page without bounds among others", .drawn, .drawn, .drawn, .drawn,
            bytes: tree {
                $0.kids[1] = "<< /Type /Page /MediaBox [0 0 \(vast) \(vast)] >>"
            })
        return family
    }()

    /// Four pages, after `change`.
    private static func tree(hasTable: Bool = true, _ change: (inout TestPDF) -> Void) -> [UInt8] {
        var pdf = TestPDF()
        for page in 0..<4 { pdf.addPage(width: 300 + 10 * Double(page), height: 400, "0 0 100 100 re f") }
        pdf.hasTable = hasTable
        change(&pdf)
        return pdf.bytes
    }

    /// A page, object 3, that has only these entries.
    private static func page(_ entries: String) -> [UInt8] {
        var pdf = TestPDF()
        pdf.kids = ["\(pdf.add("<< /Type /Page \(entries) >>")) 0 R"]
        return pdf.bytes
    }
}
