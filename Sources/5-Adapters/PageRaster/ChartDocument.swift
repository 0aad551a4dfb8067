import CPoppler
import CScans
public import Model

/// An open PDF. It stays on the thread that opened it: poppler is not safe to share between threads.
public final class ChartDocument {
    let document: OpaquePointer
    private let bytes: OpaquePointer
    /// Opened when the first page is drawn, if the PDF may contain a scan.
    private lazy var scans = ScanReader(bytes)
    /// At least 1.
    public let pageCount: Int

    /// How many pages the file claims to have, if it has more or fewer.
    public let otherCount: Int?
    /// Pages that the file claims to have but that are not there.
    private let missing: Set<Int>

    /// Opens the PDF behind a descriptor, which may be closed afterwards. Pages that cannot be read keep their places among the others:
    /// at least one page can be read, unless poppler itself finds none.
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
        // The reader goes first: it uses what poppler-glib has set up.
        scans = nil
        g_object_unref(UnsafeMutableRawPointer(document))
        g_bytes_unref(bytes)
    }

    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> RasterFailure {
        guard let error = error?.pointee else { return .unreadable("unknown error") }
        let isEncrypted = error.domain == poppler_error_quark() && error.code == Int32(POPPLER_ERROR_ENCRYPTED.rawValue)
        return isEncrypted ? .encrypted : .unreadable(String(cString: error.message))
    }

    /// The size of a page as it is displayed: its crop box after its own rotation.
    public func geometry(of page: Int) throws(RasterFailure) -> PageGeometry {
        let page = try self.page(page)
        defer { g_object_unref(UnsafeMutableRawPointer(page)) }
        return Self.geometry(page)
    }

    /// Draws a page on opaque paper, its long side exactly `longSide` pixels; answers what went wrong.
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
            // Each side by its own factor, so that rounding leaves no white seam.
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

    /// Whether a page's colours depend on what it is painted on, so that it must not be painted directly on paper.
    func asksForPaper(page index: Int) throws(RasterFailure) -> Bool {
        let page = try self.page(index)
        defer { g_object_unref(UnsafeMutableRawPointer(page)) }
        return asksForPaper(page, index)
    }

    private func asksForPaper(_ page: OpaquePointer, _ index: Int) -> Bool {
        // What is wrong with the page's content is reported when the page is drawn.
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

    /// In points; a description accepts no longer length.
    private static let longestSide = 1e12

    private static func geometry(_ page: OpaquePointer) -> PageGeometry {
        var width = 0.0
        var height = 0.0
        poppler_page_get_size(page, &width, &height)
        // A page without area, or with impossible lengths, is drawn as a square point, so that it does not make its whole chart fail.
        func side(_ length: Double) -> Double { length >= 1 && length < longestSide ? length : 1 }
        return PageGeometry(width: side(width), height: side(height))
    }
}
