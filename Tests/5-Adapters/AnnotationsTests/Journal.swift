import Annotations
import Model

/// Xournal documents for the tests; their pages are 200 by 400 points, so that fractions are easy to compute.
enum Journal {
    static let background = #"<background type="pdf" domain="absolute" filename="/music/Amazing Grace.pdf" pageno="1"/>"#
    /// A red dot of two by two pixels.
    static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="

    /// A whole document with one page, which has `items` in its only layer.
    static func document(_ items: String, background: String = background) -> String {
        document(pages: [page(items, background: background)])
    }

    static func document(pages: [String]) -> String {
        #"<?xml version="1.0" standalone="no"?>"# + "\n<xournal creator=\"Xournal++ 1.1.3\" fileversion=\"4\">\n"
            + "<title>Xournal++ document</title>\n" + pages.joined(separator: "\n") + "\n</xournal>\n"
    }

    static func page(_ items: String, background: String = background) -> String {
        #"<page width="200.00000000" height="400.00000000">"# + "\n\(background)\n<layer>\n\(items)\n</layer>\n</page>"
    }

    static func read(_ text: String, limits: MarkFileLimits = MarkFileLimits()) throws(MarkFileFault) -> MarkFile {
        try XournalReader.read(Array(text.utf8), name: "grace.xopp", limits: limits)
    }

    /// The marks that are read from a document with these `items`.
    static func marks(_ items: String) throws(MarkFileFault) -> [Mark] {
        try read(document(items)).marks
    }

    /// The fault when `bytes` cannot be read; `nil` if they can.
    static func fault(_ bytes: [UInt8], limits: MarkFileLimits = MarkFileLimits()) -> MarkFileFault? {
        do throws(MarkFileFault) {
            _ = try XournalReader.read(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    static func fault(_ text: String, limits: MarkFileLimits = MarkFileLimits()) -> MarkFileFault? {
        fault(Array(text.utf8), limits: limits)
    }
}
