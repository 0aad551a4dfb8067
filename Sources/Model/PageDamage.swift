/// What a renderer's warnings tell of a page that was drawn all the same.
public enum PageDamage {
    /// Said of a page whose content the file names and does not have.
    public static let contentMissing = "what the page shows is missing from the file"

    /// The first warning by which something that the page is to show is not on it: what it was to be drawn from is not there, or is
    /// rubbish. Of one that only ends too early nearly all is shown, as of many a sound PDF.
    public static func lostContent(by warnings: [String]) -> String? {
        warnings.first { warning in
            warning.contains(contentMissing) || unreadable.contains(where: warning.contains) && !warning.contains("end of file")
        }
    }

    /// poppler's words for compressed data that is none, and for a page's content that is torn in the middle of something.
    private static let unreadable = ["flate stream", "LZW stream", "End of file inside", "Unterminated string"]
}
