public import Model
import Platform

/// A snapshot of the library, for finding the chart that a mark file belongs to.
public struct MarkFileIndex: Equatable, Sendable {
    private let attachments: Set<AttachmentID>
    private let links: [String: AttachmentID]
    private let linksByFolder: [String: [ChartLink]]
    /// For each chart, the attachments that have its bytes now, then those that had them before, both ordered by id.
    private let owners: [ChartHash: [AttachmentID]]
    /// The folder of the charts' files, under every name by which links may refer to the folder.
    public let chartsFolders: [String]

    /// `links` are all links that were ever made; `charts` and `formerCharts` are the present and the former charts of attachments.
    package init(
        attachments: Set<AttachmentID>, links: [ChartLink], charts: [(attachment: AttachmentID, hash: ChartHash)],
        formerCharts: [(attachment: AttachmentID, hash: ChartHash)], chartsFolders: [String]
    ) {
        let known = links.filter { attachments.contains($0.attachment) }
        self.attachments = attachments
        self.links = Dictionary(known.map { ($0.path, $0.attachment) }) { first, _ in first }
        linksByFolder = Dictionary(grouping: known, by: \.folder)
        self.chartsFolders = chartsFolders
        let present = Dictionary(grouping: charts, by: \.attachment).mapValues { Set($0.map(\.hash)) }
        let former = formerCharts.filter { present[$0.attachment]?.contains($0.hash) != true && attachments.contains($0.attachment) }
        owners = Dictionary(
            grouping: charts.sorted { $0.attachment < $1.attachment } + former.sorted { $0.attachment < $1.attachment }, by: \.hash
        ).mapValues { $0.map(\.attachment) }
    }

    /// The chart that the file at `path` belongs to, according to the file's reference; `nil` if no chart fits.
    ///
    /// A file that names a known attachment belongs to it. Otherwise, a file that names no PDF belongs to the chart whose hash it
    /// names. A file that names a PDF belongs to the PDF's chart, found by trying in this order:
    /// - the path exactly as written, if a link ever had this path;
    /// - the path relative to the file's folder, if a link ever had this path;
    /// - the path of a chart's file: the relative path itself, or its target when links are followed;
    /// - a link next to the file with the same name;
    /// - the hash that the file names;
    /// - the bytes of the named PDF.
    ///
    /// `follow` returns where a path leads, or `nil` if nowhere. `hash` reads a file; it is called only if everything else fails,
    /// and decides which files it may open.
    public func match(
        _ path: String, _ reference: MarkFile.Reference, follow: (String) async -> String?, hash: (String) async -> ChartHash?
    ) async -> MarkFileMatch? {
        let reference = resolved(reference)
        if let attachment = reference.attachment, attachments.contains(attachment) {
            return MarkFileMatch(attachment, markedOn: reference.chart)
        }
        guard let pdf = reference.pdf, !pdf.isEmpty else { return owner(of: reference.chart, for: path) }
        if let attachment = links[pdf] { return MarkFileMatch(attachment, markedOn: reference.chart) }
        let folder = Folder.parent(of: path)
        let named = Self.joined(folder, pdf)
        if let attachment = links[named] { return MarkFileMatch(attachment, markedOn: reference.chart) }
        let target = await follow(named)
        // The path of a chart's file identifies the chart even if the file is gone.
        if let match = owner(of: chart(at: named), for: path) ?? owner(of: target.flatMap(chart(at:)), for: path) { return match }
        if let match = await match(besideLink: path, follow: follow) {
            return MarkFileMatch(match.attachment, markedOn: reference.chart ?? match.markedOn)
        }
        if let match = owner(of: reference.chart, for: path) { return match }
        return owner(of: await hash(target ?? named), for: path)
    }

    /// The chart whose link has the same name, and a folder of the same name, as the PDF that the file at `path` names. Such a file
    /// comes from another person or machine, where the music folder is elsewhere. If links to several attachments fit, the result
    /// is `nil`. Names are weaker evidence than anything that the other `match` uses, so call this only if the other `match` finds
    /// nothing.
    public func match(byNamesIn reference: MarkFile.Reference, of path: String) -> MarkFileMatch? {
        guard let pdf = reference.pdf, !pdf.isEmpty else { return nil }
        let named = Self.joined(Folder.parent(of: path), pdf)
        let (name, folder) = (Self.name(of: named), Self.name(of: Folder.parent(of: named)))
        guard !folder.isEmpty else { return nil }
        let alike = linksByFolder.filter { Self.name(of: $0.key) == folder }.values.joined().filter { $0.name == name }
        let owners = Set(alike.map(\.attachment))
        return owners.count == 1 ? owners.first.map { MarkFileMatch($0, markedOn: reference.chart) } : nil
    }

    /// Completes a reference that has only the first digits of a chart's hash, if the digits fit only one chart.
    private func resolved(_ reference: MarkFile.Reference) -> MarkFile.Reference {
        guard reference.chart == nil, let beginning = reference.chartBeginning else { return reference }
        let charts = owners.keys.filter { $0.digest.hex.hasPrefix(beginning) }
        var resolved = reference
        resolved.chart = charts.count == 1 ? charts.first : nil
        return resolved
    }

    package func has(_ attachment: AttachmentID) -> Bool { attachments.contains(attachment) }

    /// The most likely charts of a mark file at `path`, judged without reading the file: the charts whose links are next to the
    /// file, or else all charts with links in its folder.
    public func likelyCharts(of path: String) -> [AttachmentID] {
        let beside = recordedLinks(beside: path)
        return (beside.isEmpty ? linksByFolder[Folder.parent(of: path)] ?? [] : beside).map(\.attachment)
    }

    /// The chart of the longest-named recorded link next to the file, or else of a link with the file's name that the user moved there.
    public func match(besideLink path: String, follow: (String) async -> String?) async -> MarkFileMatch? {
        if let link = recordedLinks(beside: path).first { return MarkFileMatch(link.attachment) }
        let name = Self.name(of: path)
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let stem = String(name[..<dot])
        let link = Folder.parent(of: path) + "/" + (stem.lowercased().hasSuffix(".pdf") ? stem : stem + ".pdf")
        return owner(of: await follow(link).flatMap(chart(at:)), for: path)
    }

    private func recordedLinks(beside path: String) -> [ChartLink] {
        let name = FileName.folded(Self.name(of: path))
        return (linksByFolder[Folder.parent(of: path)] ?? []).filter { FolderListing.isBeside(name, $0.name) }
            .sorted { ($1.name.utf8.count, $0.path) < ($0.name.utf8.count, $1.path) }
    }

    /// The attachment with the bytes of `chart`. Of several attachments, the preferred one has a link next to the file, or else a
    /// link in the file's folder, or else these bytes now.
    private func owner(of chart: ChartHash?, for path: String) -> MarkFileMatch? {
        guard let chart, let owners = owners[chart], let first = owners.first else { return nil }
        guard owners.count > 1 else { return MarkFileMatch(first, markedOn: chart) }
        let near = recordedLinks(beside: path) + (linksByFolder[Folder.parent(of: path)] ?? [])
        return MarkFileMatch(near.first { owners.contains($0.attachment) }?.attachment ?? first, markedOn: chart)
    }

    private func chart(at path: String) -> ChartHash? {
        for folder in chartsFolders where path.hasPrefix(folder + "/") {
            if let chart = ChartFileName.chartHash(ofFile: String(path.dropFirst(folder.count + 1))) { return chart }
        }
        return nil
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// `path` as an absolute path, relative to `folder` unless it begins with a slash, with `.` and `..` resolved.
    public static func joined(_ folder: String, _ path: String) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
