import CPoppler

/// A PDF that cairo draws.
final class CairoPDF {
    private final class Output {
        var bytes: [UInt8] = []
    }

    private let output: Output
    let surface: OpaquePointer
    let context: OpaquePointer

    /// Makes a PDF whose first page has this size in points.
    init(width: Double, height: Double) throws(RasterFailure) {
        let output = Output()
        let surface = cairo_pdf_surface_create_for_stream(
            { output, bytes, count in
                guard let output, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                let target = Unmanaged<Output>.fromOpaque(output).takeUnretainedValue()
                target.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return CAIRO_STATUS_SUCCESS
            }, Unmanaged.passUnretained(output).toOpaque(), width, height)
        guard let surface, let context = cairo_create(surface) else { throw .drawing("out of memory") }
        (self.output, self.surface, self.context) = (output, surface, context)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Returns the PDF. Nothing can be drawn afterwards. `what` names it in a failure.
    func finish(_ what: String) throws(RasterFailure) -> [UInt8] {
        cairo_surface_finish(surface)
        let status = cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .drawing("\(what) cannot be drawn: " + String(cString: cairo_status_to_string(status)))
        }
        return output.bytes
    }
}
