import CPoppler
import CScans
import Model

/// Draws pages that are one image from the image's own rows: ten times faster than by way of cairo, and in no more memory
/// than a few rows of it and the bytes that it is stored in.
final class ScanReader {
    /// Whose decoder an image went through.
    enum Decoder {
        case ours
        /// For whatever is odd about an image: poppler's has its own ways to go on.
        case popplers
    }

    private let scans: OpaquePointer

    /// Opens what poppler-glib has opened already; `nil` where there cannot be a scan. The bytes have to outlive it.
    init?(_ bytes: OpaquePointer) {
        var count: gsize = 0
        guard let data = g_bytes_get_data(bytes, &count), woodshed_scans_possible(data, Int(count)) != 0 else { return nil }
        // What is wrong with the PDF was said when it was opened first.
        guard let scans = PopplerMessages.count(during: { woodshed_scans_open(data, Int(count)) }).result else { return nil }
        self.scans = scans
    }

    deinit {
        woodshed_scans_close(scans)
    }

    /// Fills the raster, if the page is a scan; else (`nil`) it is left for anybody to draw on.
    func draw(page: Int, _ geometry: PageGeometry, into raster: Raster) -> Decoder? {
        let across = Double(raster.width) / geometry.width
        let down = Double(raster.height) / geometry.height
        let (isFound, messages) = PopplerMessages.count {
            woodshed_scans_find(scans, Int32(page), Int32(raster.width), Int32(raster.height), across, down) != 0
        }
        // A page that poppler complains about is drawn and complained about the usual way.
        guard isFound, messages == 0 else { return nil }
        switch woodshed_scans_draw(scans, raster.row(0), raster.width) {
        case WOODSHED_SCAN_BY_OURS: return .ours
        case WOODSHED_SCAN_BY_POPPLER: return .popplers
        default: return nil
        }
    }
}
