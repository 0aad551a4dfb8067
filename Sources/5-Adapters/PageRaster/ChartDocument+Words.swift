import CPoppler
public import Following
import Model

extension ChartDocument {
    /// The most words that are read of a page.
    private static let mostWords = 2000

    /// The words that are printed on a page, in the order of reading; none on a scan.
    public func words(of page: Int) throws(RasterFailure) -> [PageWord] {
        let size = try geometry(of: page)
        let letters = try reading(page) { page in PopplerMessages.count { Self.letters(page) }.result }
        var words: [PageWord] = []
        var text = ""
        var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        func finish() {
            if !text.isEmpty, [left, top, right, bottom].allSatisfy(\.isFinite) {
                words.append(
                    PageWord(
                        text, from: PagePoint(x: left / size.width, y: top / size.height),
                        to: PagePoint(x: right / size.width, y: bottom / size.height)))
            }
            text = ""
            (left, top, right, bottom) = (.infinity, .infinity, -.infinity, -.infinity)
        }
        for (letter, box) in letters where words.count < Self.mostWords {
            guard !letter.properties.isWhitespace else {
                finish()
                continue
            }
            text.unicodeScalars.append(letter)
            (left, right) = (min(left, box.x1, box.x2), max(right, box.x1, box.x2))
            (top, bottom) = (min(top, box.y1, box.y2), max(bottom, box.y1, box.y2))
        }
        finish()
        return words
    }

    /// Each letter of a page and the box around it, in points from the top left of the page as it is displayed.
    private static func letters(_ page: OpaquePointer) -> [(Unicode.Scalar, PopplerRectangle)] {
        var boxes: UnsafeMutablePointer<PopplerRectangle>?
        var count: guint = 0
        guard let text = poppler_page_get_text(page) else { return [] }
        defer { g_free(text) }
        guard poppler_page_get_text_layout(page, &boxes, &count) != 0, let boxes else { return [] }
        defer { g_free(boxes) }
        return Array(zip(String(cString: text).unicodeScalars, UnsafeBufferPointer(start: boxes, count: Int(count))))
    }
}
