/// Small handwritten PDFs for tests about pages.
public struct TestPDF: Sendable {
    /// A box of a page: left, bottom, right, top.
    public typealias Box = (left: Double, bottom: Double, right: Double, top: Double)

    private var objects: [String] = ["", ""]
    /// The entry of each page in the page tree; by default a reference to its object.
    public var kids: [String] = []
    /// The number of pages that the file states; nil for the true number.
    public var count: String?
    /// Whether the file has a cross-reference table. Without one, readers search for the objects.
    public var hasTable = true
    /// The catalog's entries apart from the page tree.
    public var catalog = ""
    private var trailer = ""

    public init() {}

    /// Adds a page that shows `content`, in points from the bottom left. `entries` are further entries of the page's dictionary.
    public mutating func addPage(
        width: Double = 595, height: Double = 842, crop: Box? = nil, rotation: Int = 0, resources: String = "", entries: String = "",
        _ content: String = ""
    ) {
        let stream = add("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
        let cropBox = crop.map { "/CropBox [\($0.left) \($0.bottom) \($0.right) \($0.top)]" } ?? ""
        let page = add(
            """
            << /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] \(cropBox) /Rotate \(rotation) \
            /Resources << \(resources) >> /Contents \(stream) 0 R \(entries) >>
            """)
        kids.append("\(page) 0 R")
    }

    /// Adds an object and returns its number.
    @discardableResult
    public mutating func add(_ object: String) -> Int {
        objects.append(object)
        return objects.count
    }

    /// Replaces an object, which can then refer to later objects and to itself.
    public mutating func replace(_ number: Int, _ object: String) {
        objects[number - 1] = object
    }

    /// Encrypts the PDF with a password that nobody knows.
    public mutating func encrypt() {
        let key = String(repeating: "5a", count: 32)
        let number = add("<< /Filter /Standard /V 1 /R 2 /P -44 /O <\(key)> /U <\(key)> >>")
        trailer = "/Encrypt \(number) 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]"
    }

    /// The contents of the file.
    public var bytes: [UInt8] {
        var objects = objects
        objects[0] = "<< /Type /Catalog /Pages 2 0 R \(catalog) >>"
        objects[1] = "<< /Type /Pages /Kids [\(kids.joined(separator: " "))] /Count \(count ?? "\(kids.count)") >>"
        var text = "%PDF-1.4\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(text.utf8.count)
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let table = text.utf8.count
        guard hasTable else { return Array((text + "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\n%%EOF\n").utf8) }
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset)
            text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        text += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(table)\n%%EOF\n"
        return Array(text.utf8)
    }

    /// One page whose left half is black, on white.
    public static var halfBlack: TestPDF {
        var pdf = TestPDF()
        pdf.addPage("0 g 0 0 297.5 842 re f")
        return pdf
    }

    /// One page that would take years to draw: nested forms, twelve levels deep, each showing the next one ten times.
    public static var endless: TestPDF {
        var pdf = TestPDF()
        var inner = pdf.add(form("0 0 1 1 re f", resources: ""))
        for _ in 0..<12 {
            let content = String(repeating: "/X Do\n", count: 10)
            inner = pdf.add(form(content, resources: "/XObject << /X \(inner) 0 R >>"))
        }
        pdf.addPage(resources: "/XObject << /X \(inner) 0 R >>", "/X Do")
        return pdf
    }

    /// A form that shows `content`, as an object to add.
    public static func form(_ content: String, resources: String = "", entries: String = "") -> String {
        """
        << /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << \(resources) >> \(entries) /Length \(content.utf8.count) >>
        stream
        \(content)
        endstream
        """
    }
}
