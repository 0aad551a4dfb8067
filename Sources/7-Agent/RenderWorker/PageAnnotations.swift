import CBinding

/// The annotations of a page of a PDF.
final class PageAnnotations {
    private let annotations: OpaquePointer
    /// The PDF that the annotations are part of. It must live as long as they do.
    private let part: PDFPart

    init(_ annotations: OpaquePointer, of part: PDFPart) { (self.annotations, self.part) = (annotations, part) }

    deinit { woodshed_annotations_close(annotations) }

    /// All annotations, in the order in which they are drawn.
    var all: [Entry] { (0..<woodshed_annotations_count(annotations)).map { Entry(page: self, number: $0) } }

    /// One annotation. A path that does not exist, or has a value of another kind, gives `nil`.
    struct Entry {
        fileprivate let page: PageAnnotations
        let number: Int32

        /// How many items a list has.
        func items(at path: String) -> Int? {
            let count = woodshed_annotation_items(page.annotations, number, path)
            return count < 0 ? nil : Int(count)
        }

        /// The numbers of a list, or the only number.
        func numbers(at path: String) -> [Double]? {
            let count = woodshed_annotation_numbers(page.annotations, number, path, nil, 0)
            guard count > 0 else { return count == 0 ? [] : nil }
            var isWhole = false
            let numbers = [Double](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
                isWhole = woodshed_annotation_numbers(page.annotations, number, path, buffer.baseAddress, count) == count
                filled = isWhole ? Int(count) : 0
            }
            return isWhole && numbers.allSatisfy(\.isFinite) ? numbers : nil
        }

        func number(at path: String) -> Double? { numbers(at: path)?.first }

        /// A text, or a name without its slash.
        func text(at path: String) -> String? {
            woodshed_annotation_text(page.annotations, number, path).map { String(cString: $0) }
        }
    }
}
