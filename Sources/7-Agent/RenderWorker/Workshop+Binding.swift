import CBinding
import Glibc
import JSON
import Model
import PageRaster
import Rendering

/// PDFs made of charts: their pages stay as they are, and marks are laid over them.
extension Workshop {
    /// Writes a chart's PDF with its marks, as a part of a larger PDF. `files` are the PDF and the output, and the marks if there are any.
    func part(_ order: PartOrder, _ files: [Int32]) throws(RenderFailure) -> ReplyMessage.Reply {
        let expected = order.hasMarks ? 3 : 2
        guard files.count == expected else { throw .malformedReply("a part takes \(expected) files, not \(files.count)") }
        let chart = try PDFPart(MappedFile(files[0]))
        let marks = order.hasMarks ? try self.marks(files[2]) : []
        if !marks.isEmpty { try lay(marks, order, on: chart, files[0]) }
        let bytes = try written(to: files[1], from: order.start) { chart.write(to: files[1], &$0) }
        return .bound(pages: chart.pageCount, bytes: bytes)
    }

    /// Joins parts to one PDF. `files` are the file with the parts, the output and the contents.
    func bind(_ files: [Int32]) throws(RenderFailure) -> ReplyMessage.Reply {
        guard files.count == 3 else { throw .malformedReply("binding takes 3 files, not \(files.count)") }
        guard let json = try? MemoryFile.read(files[2], limit: PDFContents.mostBytes),
            let contents = try? JSONReader.decode(PDFContents.self, from: json)
        else { throw .malformedReply("the contents cannot be read") }
        let parts = try MappedFile(files[0])
        var why = woodshed_why()
        guard let binding = woodshed_binding_open(&why) else { throw why.failure }
        defer { woodshed_binding_close(binding) }
        for part in contents.parts {
            guard part.start >= 0, part.count > 0, part.start <= parts.bytes.count, part.count <= parts.bytes.count - part.start else {
                throw .malformedReply("a part is not within its file")
            }
            guard woodshed_binding_read(binding, parts.bytes.baseAddress! + part.start, part.count, &why) >= 0 else { throw why.failure }
        }
        var pages = 0
        for entry in contents.entries {
            func mark(_ level: Int, _ title: String, _ page: Int) throws(RenderFailure) {
                let result = woodshed_binding_mark(binding, Int32(clamping: level), title, Int32(clamping: page), &why)
                guard result == 0 else { throw why.failure }
            }
            try mark(entry.level, entry.title, pages)
            guard let part = entry.part else { continue }
            for place in entry.places {
                // Of a page that is played several times, the first.
                guard let page = entry.pages.map({ $0.firstIndex(of: place.page) }) ?? place.page else { continue }
                try mark(entry.level + 1 + max(place.level, 0), place.title, pages + page)
            }
            let order = entry.pages?.map { Int32(clamping: $0) }
            let added =
                order.map { woodshed_binding_add(binding, Int32(clamping: part), $0, $0.count, &why) }
                ?? woodshed_binding_add(binding, Int32(clamping: part), nil, 0, &why)
            guard added >= 0 else { throw why.failure }
            pages += Int(added)
        }
        let bytes = try written(to: files[1], from: 0) { woodshed_binding_write(binding, contents.title, files[1], &$0) }
        return .bound(pages: pages, bytes: bytes)
    }

    private func lay(_ marks: [Mark], _ order: PartOrder, on part: PDFPart, _ file: Int32) throws(RenderFailure) {
        // Suppress faults of the chart, which are reported with its images.
        let chart = try PopplerMessages.keep { Result { () throws(RenderFailure) in try self.chart(file) } }.get()
        // `chart` and `part` are read by different libraries. If these disagreed about the pages, marks would land on wrong ones.
        guard chart.pageCount == part.pageCount else {
            throw .drawing("it is damaged, and only \(part.pageCount) of its \(chart.pageCount) pages can be copied")
        }
        let pages = Dictionary(grouping: marks) { $0.page.value }.filter { (0..<chart.pageCount).contains($0.key) }.sorted {
            $0.key < $1.key
        }
        guard !pages.isEmpty else { return }
        try translated { () throws(RasterFailure) in
            let sheets = try MarkSheets(longSide: order.longSide)
            var layings: [PDFPart.Laying] = []
            for (page, marks) in pages {
                let geometry = try chart.geometry(of: page)
                let place = SheetPlace(crop: try chart.cropBox(of: page), rotation: part.rotation(of: page))
                if order.form == .painted {
                    for warning in sheets.add(marks, on: geometry) { complain(warning) }
                    layings.append(PDFPart.Laying(page: page, place: place))
                    continue
                }
                for mark in marks {
                    guard let box = sheets.area(of: mark, on: geometry) else { continue }
                    for warning in sheets.add([mark], on: geometry) { complain(warning) }
                    layings.append(
                        PDFPart.Laying(page: page, place: place, annotation: PDFAnnotation(mark, in: box, on: geometry, at: place)))
                }
            }
            if !layings.isEmpty { try part.lay(sheets.finish(), layings) }
        }
    }

    /// Writes to a file from `start` on, and cuts off any older content after that. Returns the number of bytes written.
    private func written(to file: Int32, from start: Int, _ write: (inout woodshed_why) -> Int32) throws(RenderFailure) -> Int {
        var why = woodshed_why()
        guard lseek(file, off_t(start), SEEK_SET) == start else { throw .cannotWrite(errno) }
        errno = 0
        guard write(&why) == 0 else { throw errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? .cannotWrite(errno) : why.failure }
        let end = lseek(file, 0, SEEK_CUR)
        guard end > start else { throw .cannotWrite(EIO) }
        guard ftruncate(file, end) == 0 else { throw .cannotWrite(errno) }
        return Int(end) - start
    }

    /// Prints a warning to standard error, as the libraries do; warnings are sent with the answer.
    private func complain(_ warning: String) {
        var line = warning + "\n"
        line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
    }
}

/// A PDF that is being copied, or whose annotations are read.
final class PDFPart {
    private let part: OpaquePointer
    private let file: MappedFile
    /// The sheets over its pages, until it is written.
    private var sheets: UnsafeMutableRawBufferPointer?

    init(_ file: MappedFile) throws(RenderFailure) {
        var why = woodshed_why()
        guard let part = woodshed_part_open(file.bytes.baseAddress, file.bytes.count, &why) else {
            throw why.isLocked != 0 ? .encrypted : .unreadable(why.message)
        }
        (self.part, self.file) = (part, file)
        guard pageCount > 0 else { throw .noPages }
    }

    deinit {
        woodshed_part_close(part)
        sheets?.deallocate()
    }

    /// How one sheet is used.
    struct Laying {
        let page: Int
        let place: SheetPlace
        /// `nil` if the sheet is painted on the page.
        var annotation: PDFAnnotation?
    }

    var pageCount: Int { Int(woodshed_part_pages(part)) }

    func rotation(of page: Int) -> Int { Int(woodshed_part_rotation(part, Int32(page))) }

    func annotations(of page: Int) throws(RenderFailure) -> PageAnnotations {
        var why = woodshed_why()
        guard let annotations = woodshed_annotations_open(part, Int32(page), &why) else { throw why.failure }
        return PageAnnotations(annotations, of: self)
    }

    func lay(_ pdf: [UInt8], _ layings: [Laying]) throws(RasterFailure) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: pdf.count, alignment: 16)
        copy.copyBytes(from: pdf)
        sheets = copy
        var why = woodshed_why()
        guard woodshed_part_take_sheets(part, copy.baseAddress, copy.count, &why) == 0 else { throw .drawing(why.message) }
        for (sheet, laying) in layings.enumerated() {
            let (page, matrix, sheet) = (Int32(laying.page), laying.place.matrix, Int32(sheet))
            let result =
                laying.annotation.map { woodshed_part_annotate(part, page, matrix, sheet, $0.box, $0.entries, &why) }
                ?? woodshed_part_lay(part, page, matrix, sheet, &why)
            guard result == 0 else { throw .drawing(why.message) }
        }
    }

    func write(to file: Int32, _ why: inout woodshed_why) -> Int32 { woodshed_part_write(part, file, &why) }
}

/// A file's bytes; valid while this object lives.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    init(_ descriptor: Int32) throws(RenderFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen("the PDF is not a regular file")
        }
        guard status.st_size > 0 else { throw .unreadable("it is empty") }
        guard let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw .cannotOpen("the PDF cannot be read: \(String(cString: strerror(errno)))")
        }
        bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

extension woodshed_why {
    fileprivate var message: String { withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
    fileprivate var failure: RenderFailure { .drawing(message) }
}
