package import Model
import Platform

/// The steps that bring the links up to date, computed from values alone.
///
/// Only links that are recorded as ours and still point to charts are touched. A link keeps its name if one of the user's files,
/// such as marks, is next to it under the same name.
package struct LinkDecision: Hashable {
    /// Links that must be recorded before any other step is taken.
    package private(set) var record: [ChartLink] = []
    package private(set) var make: [ChartLink] = []
    /// Links of ours that point to another chart than the wanted one.
    package private(set) var retarget: [ChartLink] = []
    package private(set) var remove: [ChartLink] = []
    /// Folders that will be empty after the removals.
    package private(set) var removeFolders: [String] = []
    /// Links that are recorded as existing, but are gone from the disk or were replaced with something else.
    package private(set) var forget: [ChartLink] = []
    /// No longer wanted, but kept because one of the user's files is next to them.
    package private(set) var kept: [ChartLink] = []
    /// Paths of wanted links where the user has put something else.
    package private(set) var inTheWay: [String] = []
    /// The wanted charts that no wanted link on the disk points to yet.
    private(set) var waiting: Set<String> = []

    /// `listings` has every folder with a wanted or recorded link. If a folder is not in `listings`, it was not read, and nothing
    /// is changed in it.
    package init(wanted: [ChartLink], recorded: [ChartLink], listings: [String: FolderListing], chartsFolder: String) {
        let disk = Disk(recorded: recorded, listings: listings, chartsFolder: chartsFolder)
        for link in wanted {
            guard let listing = listings[link.folder] else { continue }
            decide(link, listing, disk)
        }
        waiting = Set(wanted.map(\.target)).subtracting(wanted.filter { disk.entry($0)?.linkTarget == $0.target }.map(\.target))
        let wantedPaths = Set(wanted.map(\.path))
        for link in recorded where link.stands && !wantedPaths.contains(link.path) && listings[link.folder] != nil {
            if !disk.isOurs(link) {
                forget.append(link)
            } else if disk.hasUserFile(beside: link) {
                kept.append(link)
            } else {
                remove.append(link)
            }
        }
        let removed = Dictionary(grouping: remove, by: \.folder)
        let used = Set(wanted.map(\.folder))
        for folder in Set(recorded.map(\.folder)).subtracting(used).sorted() {
            guard case .entries(let entries) = listings[folder] else { continue }
            let names = Set((removed[folder] ?? []).map(\.name))
            if entries.allSatisfy({ names.contains($0.name) }) { removeFolders.append(folder) }
        }
    }

    private mutating func decide(_ wanted: ChartLink, _ listing: FolderListing, _ disk: Disk) {
        var link = wanted
        let recorded = disk.recorded(wanted.path)
        // Two spellings of a name in different Unicode forms stand for one link, which keeps its original spelling.
        if let recorded { link.path = recorded.path }
        let entry = disk.entry(link)
        switch entry {
        case _ where listing == .foreign:
            inTheWay.append(link.path)
            return
        case nil: make.append(link)
        case let entry? where disk.isOurs(link):
            if entry.linkTarget != link.target { retarget.append(link) }
        case let entry?:
            // If the user made exactly the wanted link, nothing is wrong, but the link is not ours.
            if entry.linkTarget != link.target { inTheWay.append(link.path) }
            return
        }
        if recorded != link { record.append(link) }
    }

    /// The folded paths that belong to an attachment because one of the user's files is next to the attachment's link.
    package static func reserved(
        recorded: [ChartLink], listings: [String: FolderListing], chartsFolder: String
    ) -> [String: AttachmentID] {
        let disk = Disk(recorded: recorded, listings: listings, chartsFolder: chartsFolder)
        // The user's file still belongs to the chart even if the user removed the link.
        let links = recorded.filter { $0.hasKnownAttachment && (disk.isOurs($0) || disk.entry($0) == nil) && disk.hasUserFile(beside: $0) }
        return Dictionary(links.map { (FileName.folded($0.path), $0.attachment) }) { first, _ in first }
    }
}

extension LinkDecision {
    /// The folders as they were found. Swift treats strings in any Unicode form as equal, just as people do with names.
    private struct Disk {
        private let links: [String: ChartLink]
        private let listings: [String: FolderListing]
        private let chartsFolder: String

        init(recorded: [ChartLink], listings: [String: FolderListing], chartsFolder: String) {
            links = Dictionary(recorded.map { ($0.path, $0) }) { first, second in first.stands ? first : second }
            self.listings = listings
            self.chartsFolder = chartsFolder
        }

        func recorded(_ path: String) -> ChartLink? { links[path] }

        func entry(_ link: ChartLink) -> FolderListing.Entry? {
            let entries = listings[link.folder]?.entries.filter { $0.name == link.name } ?? []
            return entries.first { $0.name.utf8.elementsEqual(link.name.utf8) } ?? entries.first
        }

        func isOurs(_ link: ChartLink) -> Bool {
            entry(link).map { isOurs($0, in: link.folder) } ?? false
        }

        private func isOurs(_ entry: FolderListing.Entry, in folder: String) -> Bool {
            guard let target = entry.linkTarget, let recorded = links[folder + "/" + entry.name] else { return false }
            return target == recorded.target || ChartFileName.isChartPath(target, in: chartsFolder)
        }

        /// Returns whether a file with the link's stem is next to the link, and is not one of our links.
        func hasUserFile(beside link: ChartLink) -> Bool {
            (listings[link.folder]?.entries ?? []).contains { entry in
                FolderListing.isBeside(FileName.folded(entry.name), link.name) && entry.name != link.name
                    && !isOurs(entry, in: link.folder)
            }
        }
    }
}
