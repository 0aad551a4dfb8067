/// PDFs with blank pages, filled up to any size with a comment.
public enum BlankPDF {
    /// A file of `size` bytes, unless that is too small for a PDF; equal numbers give equal files.
    public static func bytes(size: Int, number: Int, pages: Int = 1) -> [UInt8] {
        var text = "%PDF-1.7\n%number \(number)\n"
        var offsets: [Int] = []
        let kids = (0..<pages).map { "\($0 + 3) 0 R" }.joined(separator: " ")
        let sheets = [String](repeating: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>", count: pages)
        for object in ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[\(kids)]/Count \(pages)>>"] + sheets {
            offsets.append(text.utf8.count)
            text += "\(offsets.count) 0 obj\n\(object)\nendobj\n"
        }
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { table += String(repeating: "0", count: 10 - String(offset).count) + "\(offset) 00000 n \n" }
        table += "trailer\n<</Size \(offsets.count + 1)/Root 1 0 R>>\nstartxref\n"
        let end = "\n%%EOF\n"
        // The table's offset has as many digits as the size, since it is near the file's end.
        let digits = String(size).count
        let filler = max(0, size - text.utf8.count - table.utf8.count - digits - end.utf8.count - 2)
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(size)
        bytes.append(UInt8(ascii: "%"))
        bytes += [UInt8](repeating: UInt8(ascii: "."), count: filler)
        bytes.append(UInt8(ascii: "\n"))
        let place = String(bytes.count)
        let padded = String(repeating: "0", count: max(0, digits - place.count)) + place
        bytes.append(contentsOf: (table + padded + end).utf8)
        return bytes
    }
}
