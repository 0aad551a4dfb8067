package import Model
import Platform

/// The steps that make the links as they should be: decided from values alone.
///
/// It touches only links that are recorded as ours and still point to charts. A link with one of the user's files
/// next to it under the same name, such as marks, keeps its name.
package struct LinkDecision: Hashable {
    /// To be recorded before anything else is done.
    package private(set) var record: [ChartLink] = []
    package private(set) var make: [ChartLink] = []
    /// Ours already, but pointing to another chart.
    package private(set) var retarget: [ChartLink] = []
    package private(set) var remove: [ChartLink] = []
    /// Folders that will then be empty.
    package private(set) var removeFolders: [String] = []
    /// Recorded as being there, but gone.
    package private(set) var forget: [ChartLink] = []
    /// No longer wanted, but kept because of the user's file next to them.
    package private(set) var kept: [ChartLink] = []
    /// Wanted where the user has put something else.
    package private(set) var inTheWay: [String] = []
    /// Charts that are wanted, and to which no wanted link leads yet.
    private(set) var waiting: Set<String> = []

    /// Decides. `listings` has every folder that a wanted or recorded link is in; a folder that is missing could not be read,
    /// and nothing is done there.
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
        // The same name in another Unicode form is the same link: it keeps its original spelling.
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
            // The user made exactly the wanted link: fine, but it is not ours.
            if entry.linkTarget != link.target { inTheWay.append(link.path) }
            return
        }
        if recorded != link { record.append(link) }
    }

    /// The folded paths that belong to an attachment because the user's own file is next to its link.
    package static func reserved(
        recorded: [ChartLink], listings: [String: FolderListing], chartsFolder: String
    ) -> [String: AttachmentID] {
        let disk = Disk(recorded: recorded, listings: listings, chartsFolder: chartsFolder)
        // Even if the user removed the link itself: the file there still belongs to that chart.
        let links = recorded.filter { $0.hasKnownAttachment && (disk.isOurs($0) || disk.entry($0) == nil) && disk.hasUserFile(beside: $0) }
        return Dictionary(links.map { (FileName.folded($0.path), $0.attachment) }) { first, _ in first }
    }
}

extension LinkDecision {
    /// The folders as they were found. Swift compares strings as equal in any Unicode form, just as people do with names.
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

        /// Returns whether there is something with the same stem that is not one of our links.
        func hasUserFile(beside link: ChartLink) -> Bool {
            (listings[link.folder]?.entries ?? []).contains { entry in
                FolderListing.isBeside(FileName.folded(entry.name), link.name) && entry.name != link.name
                    && !isOurs(entry, in: link.folder)
            }
        }
    }
}
