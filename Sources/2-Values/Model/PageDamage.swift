/// What a renderer's warnings reveal about a page that was drawn all the same.
public enum PageDamage {
    /// The message for a page whose content is named in the file but missing from it.
    public static let contentMissing = "what the page shows is missing from the file"

    /// The message for a file that names more pages than it has.
    public static func pagesMissing(stated: Int, found: Int) -> String { "\(startOfPagesMissing)\(stated) pages, but it has \(found)" }

    /// Whether a message is about pages that a file does not have, rather than about one that it has.
    public static func isOfMissingPages(_ reason: String) -> Bool { reason.hasPrefix(startOfPagesMissing) }

    private static let startOfPagesMissing = "the PDF says that it has "

    /// The first warning that means that something is missing from the page: what it should be drawn from is not there, is garbage,
    /// or ends too early.
    public static func lostContent(by warnings: [String]) -> String? {
        warnings.first { warning in lost.contains(where: warning.contains) }
    }

    /// poppler's words for compressed data or page contents that are garbage or torn, and for things that a page names but are missing.
    private static let lost = [
        contentMissing, "flate stream", "LZW stream", "End of file inside", "Unterminated string", "Weird page contents",
        "XObject '", "No font in ", "Bad image parameters", "Premature end of JPEG", "premature end of data segment", "bad Huffman code",
    ]
}
