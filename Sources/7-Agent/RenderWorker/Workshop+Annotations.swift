import Model
import PageRaster
import Rendering

/// Reads the annotations of a PDF, from other programs or from our own export.
extension Workshop {
    /// Reads a PDF's annotations as marks. `files` are the PDF and a file for the marks.
    func annotations(_ files: [Int32]) throws(RenderFailure) -> ReplyMessage.Reply {
        guard files.count == 2 else { throw .malformedReply("annotations take 2 files, not \(files.count)") }
        let part = try PDFPart(MappedFile(files[0]))
        let chart = try chart(files[0])
        // `chart` and `part` are read by different libraries. If these disagreed about the pages, marks would land on wrong ones.
        guard chart.pageCount == part.pageCount else {
            throw .drawing("it is damaged, and only \(part.pageCount) of its \(chart.pageCount) pages can be read")
        }
        var found = AnnotationMarks()
        for page in 0..<chart.pageCount {
            let annotations = try part.annotations(of: page).all
            guard !annotations.isEmpty else { continue }
            guard annotations.count <= Self.mostOnAPage else {
                throw .drawing(
                    "\(PageIndex(page)) has \(annotations.count) annotations, and none with more than \(Self.mostOnAPage) can be read; "
                        + "delete what you do not need there in the program that made them")
            }
            // Place the annotations as the export places them. Positions are fractions of the page, so the unit of its size does
            // not matter.
            let (geometry, crop) = try translated { () throws(RasterFailure) in
                (try chart.geometry(of: page), try chart.cropBox(of: page))
            }
            let place = SheetPlace(crop: crop, rotation: part.rotation(of: page))
            for annotation in annotations { try found.add(annotation, of: PageIndex(page), on: geometry, at: place) }
        }
        try write(MarkCoding.encode(found.marks), to: files[1])
        return .found(leftOut: found.leftOut)
    }

    /// Poppler rejects a page with more annotations.
    private static let mostOnAPage = 10_000
}
