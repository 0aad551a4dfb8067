import CJPEG
import Glibc

/// Writes pixels as a JPEG, as scanners and phones do.
enum JPEGEncoder {
    /// `pixels` are row by row from the top, each one byte of gray or three of red, green and blue.
    static func image(_ pixels: [UInt8], width: Int, height: Int, isGray: Bool, quality: Int = 85) -> [UInt8] {
        let rowBytes = width * (isGray ? 1 : 3)
        precondition(pixels.count == rowBytes * height && width > 0 && height > 0, "as many pixels as are announced")
        // libjpeg keeps pointers to both; if something is wrong, it prints a message and ends the process.
        let image = UnsafeMutablePointer<jpeg_compress_struct>.allocate(capacity: 1)
        let errors = UnsafeMutablePointer<jpeg_error_mgr>.allocate(capacity: 1)
        defer {
            image.deallocate()
            errors.deallocate()
        }
        image.initialize(to: jpeg_compress_struct())
        image.pointee.err = jpeg_std_error(errors)
        jpeg_CreateCompress(image, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
        defer { jpeg_destroy_compress(image) }
        let made = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>.allocate(capacity: 1)
        let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        made.initialize(to: nil)
        count.initialize(to: 0)
        defer {
            free(made.pointee)
            made.deallocate()
            count.deallocate()
        }
        jpeg_mem_dest(image, made, count)
        image.pointee.image_width = JDIMENSION(width)
        image.pointee.image_height = JDIMENSION(height)
        image.pointee.input_components = isGray ? 1 : 3
        image.pointee.in_color_space = isGray ? JCS_GRAYSCALE : JCS_RGB
        jpeg_set_defaults(image)
        jpeg_set_quality(image, Int32(quality), boolean(1))
        jpeg_start_compress(image, boolean(1))
        var pixels = pixels
        pixels.withUnsafeMutableBufferPointer { pixels in
            for y in 0..<height {
                var row: JSAMPROW? = pixels.baseAddress! + y * rowBytes
                jpeg_write_scanlines(image, &row, 1)
            }
        }
        jpeg_finish_compress(image)
        return Array(UnsafeBufferPointer(start: made.pointee, count: Int(count.pointee)))
    }
}
