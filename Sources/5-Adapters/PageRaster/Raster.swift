import CPoppler
import Glibc
import Model

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
    /// The limit of cairo's coordinates.
    static let longestSide = 32767

    /// Makes an empty raster.
    public init() {}

    deinit {
        memory.deallocate()
    }

    /// Sets its size; its former content is lost.
    public func prepare(width: Int, height: Int) throws(RasterFailure) {
        guard width > 0, height > 0, max(width, height) <= Self.longestSide, width * height <= Self.mostPixels else {
            throw .tooLarge(width: width, height: height)
        }
        // In large steps, so that pages that differ by a few pixels can use the same memory.
        let bytes = (width * height * 4 + Self.step - 1) / Self.step * Self.step
        if memory.count < bytes {
            memory.deallocate()
            memory = .allocate(byteCount: bytes, alignment: 64)
        }
        self.width = width
        self.height = height
    }

    /// Takes over another raster's size and picture.
    public func copy(_ other: Raster) throws(RasterFailure) {
        try prepare(width: other.width, height: other.height)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: other.memory[..<(width * height * 4)]))
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

    /// The words of one row.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt32> {
        guard let base = memory.baseAddress else { preconditionFailure("an empty raster has no rows") }
        return (base + y * width * 4).assumingMemoryBound(to: UInt32.self)
    }

    /// Fills it with one colour.
    func fill(_ color: Color) {
        if color == .white {
            // All bytes of white are the same, and nothing fills memory faster than filling it with one byte.
            memset(row(0), 0xff, width * height * 4)
        } else {
            let word = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
            UnsafeMutableBufferPointer(start: row(0), count: width * height).update(repeating: word)
        }
    }

    /// Lets `body` paint through a cairo context, and answers the status.
    func paint(_ body: (_ context: OpaquePointer) -> Void) throws(RasterFailure) -> cairo_status_t {
        // Not ARGB32: what is drawn on is opaque, and premultiplied colours would have to be divided again.
        try paint(as: CAIRO_FORMAT_RGB24, body)
    }

    /// Lets `body` paint on a transparent page, and puts paper under it afterwards.
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
