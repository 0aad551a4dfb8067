import CPoppler
import CScans

/// A PDF in which poppler by itself cannot find all pages, with its page tree rewritten.
struct MendedPages {
    let document: OpaquePointer
    /// What it was opened from.
    let bytes: OpaquePointer
    /// Pages that are there only to keep the others in their places.
    let missing: Set<Int>
    /// How many pages the file claims to have, if that is wrong.
    let otherCount: Int?

    /// `nil` if nothing needs to be mended, or mending would gain nothing.
    init?(_ bytes: OpaquePointer, of document: OpaquePointer) {
        // What poppler reports concerns the whole chart, not the page that happens to be drawn first.
        let (readable, messages) = PopplerMessages.count { Self.look(afterAllPagesOf: document) }
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
        let told = woodshed_pages_told(pages)
        otherCount = told > 0 && told != woodshed_pages_count(pages) ? Int(told) : nil
    }

    /// Has poppler go through all pages and look for more; answers how many it can reach, or 0 if it cannot reach the last one.
    private static func look(afterAllPagesOf document: OpaquePointer) -> Int32 {
        let count = poppler_document_get_n_pages(document)
        guard count > 0, let last = poppler_document_get_page(document, count - 1) else { return 0 }
        defer { g_object_unref(UnsafeMutableRawPointer(last)) }
        woodshed_look_after_page(UnsafeMutableRawPointer(last), UnsafeMutableRawPointer(document), count - 1)
        return count
    }
}
