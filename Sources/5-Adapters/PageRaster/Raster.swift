import CMusic
import CPango
import CPoppler
import CScans
import Glibc
public import Model
import PagePNG

/// An opaque page in memory: one 32-bit word 0xXXRRGGBB per pixel, the top byte undefined.
///
/// The memory is kept from one page to the next, since getting fresh memory costs as much as drawing on it.
public final class Raster {
    /// Pixels across and down; 0 before the first `prepare`.
    public private(set) var width = 0
    public private(set) var height = 0
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The most pixels that are drawn: 8192 by 8192.
    public static let mostPixels = 64 << 20
    private static let step = 8 << 20
    /// The most pixels on one side, which is the limit of cairo's coordinates.
    static let longestSide = 32767

    public init() {}

    deinit { memory.deallocate() }

    /// Sets the raster's size. Its former content is lost.
    public func prepare(width: Int, height: Int) throws(RasterFailure) {
        guard width > 0, height > 0, max(width, height) <= Self.longestSide, width * height <= Self.mostPixels else {
            throw .tooLarge(width: width, height: height)
        }
        // Allocate in large steps, so that pages that differ by a few pixels can use the same memory.
        let bytes = (width * height * 4 + Self.step - 1) / Self.step * Self.step
        if memory.count < bytes {
            memory.deallocate()
            memory = .allocate(byteCount: bytes, alignment: 64)
        }
        self.width = width
        self.height = height
    }

    /// One pixel as 0xRRGGBB.
    public subscript(x: Int, y: Int) -> UInt32 {
        get {
            precondition(x >= 0 && x < width && y >= 0 && y < height, "outside of the raster")
            return row(y)[x] & 0xff_ffff
        }
        set {
            precondition(x >= 0 && x < width && y >= 0 && y < height, "outside of the raster")
            row(y)[x] = newValue
        }
    }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt32> {
        guard let base = memory.baseAddress else { preconditionFailure("an empty raster has no rows") }
        return (base + y * width * 4).assumingMemoryBound(to: UInt32.self)
    }

    /// Which music the page has: staves, systems, bars, blocks of text, white. Empty if there is not enough memory to find out,
    /// or before the first `prepare`.
    public func music() -> [UInt8] {
        guard width > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(WOODSHED_MOST_MUSIC_BYTES)) { bytes, count in
            count = woodshed_write_music(row(0), width, height, bytes.baseAddress)
        }
    }

    /// A map of the page's music: the findings of `music`, and the contents of each staff. Empty under the same conditions.
    public func musicMap() -> [UInt8] {
        guard width > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(WOODSHED_MOST_MAP_BYTES)) { bytes, count in
            count = woodshed_write_map(row(0), width, height, bytes.baseAddress)
        }
    }

    func fill(_ color: Color) {
        if color == .white {
            // All bytes of white are the same, and filling memory with one byte is fastest.
            memset(row(0), 0xff, width * height * 4)
        } else {
            let word = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
            UnsafeMutableBufferPointer(start: row(0), count: width * height).update(repeating: word)
        }
    }

    /// Lets `body` paint through a cairo context, and returns the context's status.
    func paint(_ body: (_ context: OpaquePointer) -> Void) throws(RasterFailure) -> cairo_status_t {
        // Do not use ARGB32: the page is opaque, and premultiplied colours would have to be divided again.
        try paint(as: CAIRO_FORMAT_RGB24, body)
    }

    /// Lets `body` paint on a transparent page, and then puts paper under the page.
    func paint(on paper: Color, _ body: (_ context: OpaquePointer) -> Void) throws(RasterFailure) -> cairo_status_t {
        memset(row(0), 0, width * height * 4)
        let status = try paint(as: CAIRO_FORMAT_ARGB32, body)
        let laid = try paint(as: CAIRO_FORMAT_ARGB32) { context in
            cairo_set_source_rgb(context, Double(paper.red) / 255, Double(paper.green) / 255, Double(paper.blue) / 255)
            cairo_set_operator(context, CAIRO_OPERATOR_DEST_OVER)
            cairo_paint(context)
        }
        return status == CAIRO_STATUS_SUCCESS ? laid : status
    }

    private func paint(as format: cairo_format_t, _ body: (_ context: OpaquePointer) -> Void) throws(RasterFailure) -> cairo_status_t {
        let pixels = UnsafeMutableRawPointer(row(0)).assumingMemoryBound(to: UInt8.self)
        let surface = cairo_image_surface_create_for_data(pixels, format, Int32(width), Int32(height), Int32(width * 4))
        defer { cairo_surface_destroy(surface) }
        guard let context = cairo_create(surface) else { throw .drawing("out of memory") }
        defer { cairo_destroy(context) }
        body(context)
        cairo_surface_flush(surface)
        let status = cairo_status(context)
        guard status != CAIRO_STATUS_NO_MEMORY else { throw .drawing("out of memory") }
        return status
    }
}

extension Raster {
    /// Paints marks over the page, in the order given; returns warnings about everything that could not be drawn.
    public func paint(_ marks: [Mark], paper: Color = .white) throws(RasterFailure) -> [String] {
        try paint(marks, rows: areas(of: marks, paper: paper).map(\.rows), within: [0..<height], paper: paper)
    }

    /// The columns and rows on which each mark can leave ink.
    func areas(of marks: [Mark], paper: Color) throws(RasterFailure) -> [(columns: Range<Int>, rows: Range<Int>)] {
        var areas: [(columns: Range<Int>, rows: Range<Int>)] = []
        let size = (width: Double(width), height: Double(height))
        _ = try paint { context in
            let painter = MarkPainter(context: context, width: size.width, height: size.height, paper: paper)
            areas = marks.map(painter.area)
        }
        return areas
    }

    /// Paints marks over some ranges of rows; the rest of the page is neither read nor written.
    func paint(
        _ marks: [Mark], rows: [Range<Int>], within stretches: [Range<Int>], paper: Color
    ) throws(RasterFailure) -> [String] {
        var warnings: [String] = []
        let size = (width: Double(width), height: Double(height))
        let status = try paint { context in
            for stretch in stretches {
                var painter = MarkPainter(context: context, width: size.width, height: size.height, paper: paper)
                for (mark, rows) in zip(marks, rows) where rows.overlaps(stretch) { painter.paint(mark, rows: rows.clamped(to: stretch)) }
                for warning in painter.warnings where !warnings.contains(warning) { warnings.append(warning) }
            }
        }
        if status != CAIRO_STATUS_SUCCESS {
            warnings.append("some marks may be missing: " + String(cString: cairo_status_to_string(status)))
        }
        return warnings
    }
}

extension RendererTag {
    /// The versions of our raster and of the libraries that affect pixels. Increase the raster's number with every change to it
    /// that affects pixels.
    public static var raster: RendererTag {
        let poppler = poppler_get_version().map { String(cString: $0) } ?? "?"
        let cairo = cairo_version_string().map { String(cString: $0) } ?? "?"
        let pango = pango_version_string().map { String(cString: $0) } ?? "?"
        let limit = woodshed_scans_are_known() != 0 ? "" : glibAlone
        return RendererTag("raster-9 poppler-\(poppler) cairo-\(cairo) pango-\(pango)\(limit)")
    }
}

/// Makes PNG files of rasters, in 8-bit gray if every pixel is exactly gray, otherwise in RGB. The same input always gives the same bytes.
public final class PNGEncoder {
    private let rows = PackedRows()
    private let small = PackedRows()
    private let writer = PNGWriter()
    /// The paper of the packed picture.
    private var paper = Color.white

    public init() {}

    /// The PNG of `raster`, with the key under which it was made.
    public func encode(_ raster: Raster, key: ImageKey, paper: Color = .white) throws(RasterFailure) -> [UInt8] {
        pack(raster, paper: paper)
        return encode(key: key)
    }

    /// Packs a raster's picture, from which several images can be made. Each states where there is ink on `paper`.
    public func pack(_ raster: Raster, paper: Color = .white) {
        self.paper = paper
        rows.pack(raster.row(0), width: raster.width, height: raster.height)
    }

    /// The PNG of the picture that was packed.
    public func encode(key: ImageKey, music: [UInt8] = []) -> [UInt8] { writer.image(of: rows, key: key, paper: paper, music: music) }

    /// Makes a smaller version of the picture that was packed.
    public func shrink(width: Int, height: Int) { small.shrink(rows, width: width, height: height) }

    /// The PNG of the smaller picture.
    public func encodeShrunk(key: ImageKey) -> [UInt8] { writer.image(of: small, key: key, paper: paper) }
}
