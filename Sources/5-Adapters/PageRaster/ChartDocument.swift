import CPoppler
import CScans
import Glibc
public import Model

/// An open PDF. It may only be used on the thread that opened it, because poppler is not safe to share between threads.
public final class ChartDocument {
    let document: OpaquePointer
    private let bytes: OpaquePointer
    /// Opened when the first page is drawn, if the PDF may contain a scan.
    private lazy var scans = ScanReader(bytes)
    /// The number of pages, at least 1.
    public let pageCount: Int

    /// The number of pages that the file claims to have, if that was found to be wrong.
    public let otherCount: Int?
    /// Pages that the file claims to have but that do not exist.
    private let missing: Set<Int>

    /// Opens the PDF behind a descriptor, which may be closed afterwards. Pages that cannot be read keep their places among the
    /// others. If the PDF has no page at all, this throws `noPages`.
    public init(descriptor: Int32) throws(RasterFailure) {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let file = g_mapped_file_new_from_fd(descriptor, 0, &error) else { throw Self.failure(error) }
        defer { g_mapped_file_unref(file) }
        guard let bytes = g_mapped_file_get_bytes(file) else { throw .drawing("out of memory") }
        guard let document = poppler_document_new_from_bytes(bytes, nil, &error) else {
            g_bytes_unref(bytes)
            throw Self.failure(error)
        }
        if let mended = MendedPages(bytes, of: document) {
            g_object_unref(UnsafeMutableRawPointer(document))
            g_bytes_unref(bytes)
            (self.document, self.bytes) = (mended.document, mended.bytes)
            (missing, otherCount) = (mended.missing, mended.otherCount)
        } else {
            (self.document, self.bytes) = (document, bytes)
            (missing, otherCount) = ([], nil)
        }
        pageCount = Int(poppler_document_get_n_pages(self.document))
        guard pageCount > 0 else { throw .noPages }
    }

    deinit {
        // Release the reader first, because it uses state that poppler-glib has set up.
        scans = nil
        g_object_unref(UnsafeMutableRawPointer(document))
        g_bytes_unref(bytes)
    }

    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> RasterFailure {
        guard let error = error?.pointee else { return .unreadable("unknown error") }
        let isEncrypted = error.domain == poppler_error_quark() && error.code == Int32(POPPLER_ERROR_ENCRYPTED.rawValue)
        return isEncrypted ? .encrypted : .unreadable(String(cString: error.message))
    }

    /// The size of a page as it is displayed: its crop box after its own rotation. A side without a possible length counts as 1 point.
    public func geometry(of page: Int) throws(RasterFailure) -> PageGeometry {
        try reading(page) { Self.geometry($0) }
    }

    func reading<Result>(_ index: Int, _ read: (OpaquePointer) -> Result) throws(RasterFailure) -> Result {
        let page = try self.page(index)
        defer { g_object_unref(UnsafeMutableRawPointer(page)) }
        return read(page)
    }

    /// Draws a page on opaque paper, its long side exactly `longSide` pixels; returns the faults in the page.
    public func draw(page index: Int, longSide: Int, paper: Color = .white, into raster: Raster) throws(RasterFailure) -> [String] {
        let page = try self.page(index)
        defer { g_object_unref(UnsafeMutableRawPointer(page)) }
        let geometry = Self.geometry(page)
        guard (1...Raster.longestSide).contains(longSide) else { throw .tooLarge(width: longSide, height: longSide) }
        let (width, height) = geometry.pixels(longSide: longSide)
        try raster.prepare(width: width, height: height)
        if paper == .white, let scans, scans.draw(page: index, geometry, into: raster) != nil { return [] }
        woodshed_page_without_text(UnsafeMutableRawPointer(page), UnsafeMutableRawPointer(document), Int32(index))
        func show(_ context: OpaquePointer) {
            // Scale each side by its own factor, so that rounding leaves no white seam.
            cairo_scale(context, Double(width) / geometry.width, Double(height) / geometry.height)
            poppler_page_render(page, context)
        }
        let status: cairo_status_t
        if asksForPaper(page, index) {
            status = try raster.paint(on: paper, show)
        } else {
            raster.fill(paper)
            status = try raster.paint(show)
        }
        guard status != CAIRO_STATUS_SUCCESS else {
            let lacksContent = woodshed_page_lacks_content(UnsafeMutableRawPointer(page), UnsafeMutableRawPointer(document), Int32(index))
            return lacksContent != 0 ? [PageDamage.contentMissing] : []
        }
        return ["part of the page may be missing: " + String(cString: cairo_status_to_string(status))]
    }

    /// Whether a page's colours depend on the backdrop, so that the page must not be painted directly on paper.
    func asksForPaper(page index: Int) throws(RasterFailure) -> Bool {
        try reading(index) { asksForPaper($0, index) }
    }

    private func asksForPaper(_ page: OpaquePointer, _ index: Int) -> Bool {
        // Only count poppler's messages: faults in the page's content are reported when the page is drawn.
        PopplerMessages.count {
            woodshed_page_asks_for_paper(UnsafeMutableRawPointer(page), UnsafeMutableRawPointer(document), Int32(index)) != 0
        }.result
    }

    private func page(_ index: Int) throws(RasterFailure) -> OpaquePointer {
        guard index >= 0, index < pageCount, !missing.contains(index), let page = poppler_document_get_page(document, Int32(index)) else {
            throw .noSuchPage(index)
        }
        return page
    }

    /// The longest possible side of a page, in points. `ChartDescription` accepts no longer one.
    private static let longestSide = 1e12

    private static func geometry(_ page: OpaquePointer) -> PageGeometry {
        var width = 0.0
        var height = 0.0
        poppler_page_get_size(page, &width, &height)
        // Make a side that is shorter than a point, or impossibly long, 1 point long, so that the chart's other pages do not fail with it.
        func side(_ length: Double) -> Double { length >= 1 && length < longestSide ? length : 1 }
        return PageGeometry(width: side(width), height: side(height))
    }

    // MARK: - Fonts and images

    /// The fonts that pages name but the PDF does not contain, in no particular order.
    public func fontsNotEmbedded() -> [String] {
        guard let fonts = poppler_font_info_new(document) else { return [] }
        defer { poppler_font_info_free(fonts) }
        var found: OpaquePointer?
        guard poppler_font_info_scan(fonts, Int32(pageCount), &found) != 0, let found else { return [] }
        defer { poppler_fonts_iter_free(found) }
        var names: [String] = []
        repeat {
            guard poppler_fonts_iter_is_embedded(found) == 0 else { continue }
            names.append(poppler_fonts_iter_get_full_name(found).map { String(cString: $0) } ?? "without a name")
        } while poppler_fonts_iter_next(found) != 0
        return names
    }

    /// Whether a PDF's bytes name an image anywhere. The entry that marks a stream as an image is never compressed.
    public static func mayHoldImages(descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0,
            let bytes = mmap(nil, status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0), bytes != MAP_FAILED
        else { return false }
        defer { munmap(bytes, status.st_size) }
        let all = UnsafeRawBufferPointer(start: bytes, count: status.st_size)
        var place = 0
        while let slash = memchr(bytes + place, Int32(UInt8(ascii: "/")), all.count - place) {
            place = slash - bytes + 1
            guard all[place...].starts(with: "Image".utf8) else { continue }
            let next = place + "Image".utf8.count
            // Skip longer names: in old PDFs, "/ImageB" and the like announce what a page might show.
            guard next < all.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(all[next] | 0x20) else { return true }
        }
        return false
    }
}

/// A PDF with its page tree rewritten, because poppler alone cannot find all of its pages.
private struct MendedPages {
    let document: OpaquePointer
    /// The bytes from which the document was opened.
    let bytes: OpaquePointer
    /// Placeholder pages, which only keep the others in their places.
    let missing: Set<Int>
    /// How many pages the file claims to have, if that is wrong.
    let otherCount: Int?

    /// `nil` if nothing needs to be mended, or mending would gain nothing.
    init?(_ bytes: OpaquePointer, of document: OpaquePointer) {
        // Count poppler's messages here, since they concern the whole chart, not the page that happens to be drawn first.
        let (readable, messages) = PopplerMessages.count { Self.search(afterAllPagesOf: document) }
        guard readable == 0 || messages > 0 else { return nil }
        var length: gsize = 0
        guard let data = g_bytes_get_data(bytes, &length),
            let pages = PopplerMessages.count(during: { woodshed_pages_mend(data, Int(length), readable) }).result
        else { return nil }
        defer { woodshed_pages_close(pages) }
        var mendedLength = 0
        let mended = woodshed_pages_bytes(pages, &mendedLength)
        guard let copy = g_bytes_new(mended, gsize(mendedLength)) else { return nil }
        guard let document = poppler_document_new_from_bytes(copy, nil, nil) else {
            g_bytes_unref(copy)
            return nil
        }
        self.document = document
        self.bytes = copy
        missing = Set((0..<woodshed_pages_missing_count(pages)).map { Int(woodshed_pages_missing(pages, $0)) })
        let claimed = woodshed_pages_claimed(pages)
        otherCount = claimed > 0 && claimed != woodshed_pages_count(pages) ? Int(claimed) : nil
    }

    /// Makes poppler visit all pages and search for more; returns how many it can reach, or 0 if it cannot reach the last one.
    private static func search(afterAllPagesOf document: OpaquePointer) -> Int32 {
        let count = poppler_document_get_n_pages(document)
        guard count > 0, let last = poppler_document_get_page(document, count - 1) else { return 0 }
        defer { g_object_unref(UnsafeMutableRawPointer(last)) }
        woodshed_request_page_after(UnsafeMutableRawPointer(last), UnsafeMutableRawPointer(document), count - 1)
        return count
    }
}

/// Why a page could not be drawn.
public enum RasterFailure: Error, Hashable, Sendable {
    /// The PDF requires a password.
    case encrypted
    /// The file is not a PDF, or is too broken to open.
    case unreadable(String)
    /// The PDF opens, but contains no page.
    case noPages
    /// The PDF has no page with this index, or the page cannot be read.
    case noSuchPage(Int)
    /// The page would have more pixels than we draw.
    case tooLarge(width: Int, height: Int)
    /// The file from which another file is to be made has changed since it was written.
    case damaged
    /// A library that draws for us failed.
    case drawing(String)
}

/// Draws a page that is a single image directly from the image's rows: ten times faster than with cairo, and with no more memory
/// than a few rows and the stored bytes.
final class ScanReader {
    /// The decoder that was used for an image.
    enum Decoder {
        case ours
        /// Poppler's decoder, for odd images, because it has its own ways to recover from faults.
        case popplers
    }

    private let scans: OpaquePointer

    /// Opens a PDF that poppler-glib has already opened; `nil` if it cannot contain a scan. The bytes must outlive the reader.
    init?(_ bytes: OpaquePointer) {
        var count: gsize = 0
        guard let data = g_bytes_get_data(bytes, &count), woodshed_scans_possible(data, Int(count)) != 0 else { return nil }
        // Only count poppler's messages: faults in the PDF were reported when it was first opened.
        guard let scans = PopplerMessages.count(during: { woodshed_scans_open(data, Int(count)) }).result else { return nil }
        self.scans = scans
    }

    deinit { woodshed_scans_close(scans) }

    /// Fills the raster if the page is a scan. Otherwise returns `nil`, and the raster's content is undefined.
    func draw(page: Int, _ geometry: PageGeometry, into raster: Raster) -> Decoder? {
        let across = Double(raster.width) / geometry.width
        let down = Double(raster.height) / geometry.height
        let (isFound, messages) = PopplerMessages.count {
            woodshed_scans_find(scans, Int32(page), Int32(raster.width), Int32(raster.height), across, down) != 0
        }
        // If poppler reports a fault, the page is drawn, and the fault reported, in the usual way.
        guard isFound, messages == 0 else { return nil }
        switch woodshed_scans_draw(scans, raster.row(0), raster.width) {
        case WOODSHED_SCAN_BY_OURS: return .ours
        case WOODSHED_SCAN_BY_POPPLER: return .popplers
        default: return nil
        }
    }
}
