import Platform

/// PDFs that the user's programs saved over charts. They belong to the user, so they are never changed or removed.
public struct SavedCharts: Hashable, Sendable {
    /// The paths of PDFs that were saved into a chart's own file, and moved aside when the chart was downloaded again.
    public let setAside: [String]
    /// The paths of PDFs that were saved in the music folder, in place of a chart's link.
    public let inPlaceOfLinks: [String]

    /// Makes a list of the files; by default, both parts are empty.
    public init(setAside: [String] = [], inPlaceOfLinks: [String] = []) {
        self.setAside = setAside
        self.inPlaceOfLinks = inPlaceOfLinks
    }

    /// Messages about the files, each with a remedy: one for all that were set aside, and one for each in a link's place.
    public var news: [(found: String, remedy: String)] {
        var news: [(String, String)] = []
        if let first = setAside.first {
            let isOne = setAside.count == 1
            news.append(
                (
                    "\(isOne ? "the file of a chart was" : "the files of \(setAside.count) charts were") changed on the disk; what was "
                        + "there is kept in \(Folder.parent(of: first))",
                    "if \(isOne ? "it is" : "they are") yours, move \(isOne ? "it" : "them") to where you want \(isOne ? "it" : "them"); "
                        + "if not, \(isOne ? "it" : "they") may go"
                ))
        }
        return news
            + inPlaceOfLinks.map {
                (
                    "\($0) is a file of yours where the chart's link was; it is kept, and pages show the chart as the service has it",
                    "rename your file to get the link back"
                )
            }
    }
}
