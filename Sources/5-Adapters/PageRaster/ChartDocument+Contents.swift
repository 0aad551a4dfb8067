import CPoppler
import Glibc

extension ChartDocument {
    /// The fonts that pages name but the PDF does not contain, in no order.
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

    /// Whether a PDF's bytes name an image anywhere. The part that says that a stream is an image is never compressed.
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
            // In old PDFs, "/ImageB" and the like announce what a page might show.
            guard next < all.count, all[next].isLetter else { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
