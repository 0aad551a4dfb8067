/// What a renderer's warnings tell of a page that was drawn all the same.
public enum PageDamage {
    /// Said of a page whose content the file names and does not have.
    public static let contentMissing = "what the page shows is missing from the file"

    /// The first warning by which something that the page is to show is not on it: what it was to be drawn from is not there, is rubbish,
    /// or ends too early.
    public static func lostContent(by warnings: [String]) -> String? {
        warnings.first { warning in lost.contains(where: warning.contains) }
    }

    /// poppler's words for compressed data that is none or is torn, for a page's content that is, and for what it names and is not there.
    private static let lost = [
        contentMissing, "flate stream", "LZW stream", "End of file inside", "Unterminated string", "Weird page contents",
        "XObject '", "No font in ", "Bad image parameters", "Premature end of JPEG", "premature end of data segment", "bad Huffman code",
    ]
}
