import Glibc
package import Model
public import Platform

/// The links that people open, and the folders that contain them, as they are on the disk.
package struct LinkFolders {
    private let recorded: [ChartLink]
    private let chartsFolder: String
    /// Folders whose subfolders are not read, since their disks may not respond.
    private let away: Set<String>
    private var listings: [String: FolderListing] = [:]
    package private(set) var outcome = LinkOutcome()

    /// Reads the folders of `recorded`, which holds every link that was ever made.
    package init(of recorded: [ChartLink], chartsFolder: String, away: Set<String> = []) {
        (self.recorded, self.chartsFolder, self.away) = (recorded, chartsFolder, away)
        list(recorded.map(\.folder))
    }

    /// The folded paths that belong to an attachment because one of the user's files is next to the attachment's link.
    package var reserved: [String: AttachmentID] {
        LinkDecision.reserved(recorded: recorded, listings: listings, chartsFolder: chartsFolder)
    }

    /// Decides which steps lead to exactly the `wanted` links.
    package mutating func decide(_ wanted: [ChartLink]) -> LinkDecision {
        list(wanted.map(\.folder))
        return LinkDecision(wanted: wanted, recorded: recorded, listings: listings, chartsFolder: chartsFolder)
    }

    /// The temporary name of a link that is to replace another. The name never varies, so a link left by a killed process is found later.
    private static var newLinkName: String { AtomicFile.temporaryPrefix + "woodshed-link" }

    private mutating func list(_ folders: [String]) {
        for folder in Set(folders).sorted() where listings[folder] == nil && !away.contains(Folder.parent(of: folder)) {
            let left = folder + "/" + Self.newLinkName
            if FolderListing.target(of: left) != nil { unlink(left) }
            do throws(SystemError) {
                listings[folder] = try FolderListing.of(folder)
            } catch {
                outcome.failures.append(error)
            }
        }
    }

    /// Carries out `decision`, and returns the links that are gone.
    package mutating func carryOut(_ decision: LinkDecision) -> [ChartLink] {
        outcome.kept = decision.kept.map(\.path)
        outcome.inTheWay = decision.inTheWay
        // After one failure in a folder, every other link in the folder would fail too.
        var failed: Set<String> = []
        var waiting = decision.waiting
        func attempt(_ folder: String, _ body: () throws(SystemError) -> Void) -> Bool {
            guard !failed.contains(folder) else { return false }
            do throws(SystemError) {
                try body()
                return true
            } catch {
                failed.insert(folder)
                outcome.failures.append(error)
                return false
            }
        }
        for link in decision.make {
            let isMade = attempt(link.folder) { () throws(SystemError) in
                try Folder.create(link.folder)
                // `symlink` replaces nothing: it fails if something has appeared at the path in the meantime.
                guard symlink(link.target, link.path) == 0 else { throw SystemError("link", path: link.path) }
            }
            guard isMade else { continue }
            outcome.made.append(link.path)
            waiting.remove(link.target)
        }
        for link in decision.retarget {
            var isLink = false
            let isDone = attempt(link.folder) { () throws(SystemError) in
                let new = link.folder + "/" + Self.newLinkName
                guard symlink(link.target, new) == 0 else { throw SystemError("link", path: link.path) }
                // Since the folder was read, an editor may have saved a file of its own in place of the link.
                isLink = try SafeRename.replaceLink(at: link.path, by: new)
            }
            guard isDone else { continue }
            guard isLink else {
                outcome.inTheWay.append(link.path)
                continue
            }
            outcome.retargeted.append(link.path)
            waiting.remove(link.target)
        }
        var gone: [ChartLink] = []
        // The only link to a chart that is wanted elsewhere stays until the other link exists.
        for link in decision.remove where !waiting.contains(link.target) {
            var isLink = false
            let isDone = attempt(link.folder) { () throws(SystemError) in isLink = try SafeRename.removeLink(at: link.path) }
            guard isDone else { continue }
            gone.append(link)
            if isLink { outcome.removed.append(link.path) }
        }
        // `rmdir` fails unless the folder is really empty.
        for folder in decision.removeFolders where rmdir(folder) == 0 { outcome.removed.append(folder) }
        return gone
    }
}

// MARK: - The user's files next to links

extension LinkFolders {
    /// The charts that have some of the user's files next to their links.
    package struct UserFiles {
        /// The attachments whose own links have such files next to them.
        package let attachments: Set<AttachmentID>
        /// The charts of all links with such files next to them, in any folder beside the recorded links' folders, since people
        /// rename folders.
        package let charts: Set<ChartHash>
        /// The recorded links that have such a file next to them now.
        package let seen: [ChartLink]
    }

    /// Finds the charts with the user's files next to their links. If a folder cannot be read, all its links count as having such files.
    package mutating func userFiles() -> UserFiles {
        let reserved = reserved
        // A folder that should exist but is missing may be on a disk that is not connected.
        let unseen = recorded.filter { $0.stands && (listings[$0.folder] ?? .missing) == .missing }.map(\.attachment)
        let seen = recorded.filter { reserved[FileName.folded($0.path)] == $0.attachment }

        for root in Set(recorded.map(\.root)).subtracting(away) {
            let names = (try? Folder.names(in: root)) ?? []
            list(names.map { root + "/" + $0 })
        }
        let targets = listings.values.flatMap { listing in
            listing.linksWithUserFiles { $0.linkTarget.map { ChartFileName.isChartPath($0, in: chartsFolder) } ?? false }
                .compactMap(\.linkTarget)
        }
        let charts = targets.compactMap { ChartFileName.chartHash(ofFile: String($0.dropFirst(chartsFolder.count + 1))) }
        return UserFiles(attachments: Set(reserved.values).union(unseen), charts: Set(charts), seen: seen)
    }

    /// All links to charts in the subfolders of `root`, including links that the user made.
    package static func linksToCharts(in root: String, chartsFolder: String) -> [(path: String, target: String)] {
        var found: [(path: String, target: String)] = []
        for name in (try? Folder.names(in: root)) ?? [] {
            let folder = root + "/" + name
            guard let listing = try? FolderListing.of(folder) else { continue }
            for entry in listing.entries {
                guard let target = entry.linkTarget, ChartFileName.isChartPath(target, in: chartsFolder) else { continue }
                found.append((folder + "/" + entry.name, target))
            }
        }
        return found
    }

    /// Links that were moved or copied to `root` together with the library, each with its recorded path: they still point to the
    /// former folder of charts.
    package static func movedAlong(
        _ recorded: [ChartLink], to root: String, chartsFolder: String
    ) -> [(former: String, link: ChartLink)] {
        let known = Set(recorded.map(\.path))
        return recorded.compactMap { link in
            guard !ChartFileName.isChartPath(link.target, in: chartsFolder), Folder.parent(of: link.folder) != root,
                let chart = ChartFileName.chart(ofLinkTo: link.target)
            else { return nil }
            var moved = link
            moved.path = root + link.path.dropFirst(Folder.parent(of: link.folder).count)
            guard !known.contains(moved.path), let target = FolderListing.target(of: moved.path),
                ChartFileName.chart(ofLinkTo: target) == chart
            else { return nil }
            moved.target = target
            return (link.path, moved)
        }
    }

    /// Returns whether any link that was made after `last` contradicts the records: it leads to a chart whose hash is not in
    /// `known`, to a different chart from the link's chart in `recorded`, or to a chart whose recorded link is missing. Only the
    /// folders of recorded links and their neighbours are searched.
    package static func areLater(
        than last: Timestamp, _ recorded: [ChartLink], knowing known: Set<String>, chartsFolder: String
    ) -> Bool {
        let targets = Dictionary(recorded.map { ($0.path, $0.target) }) { first, _ in first }
        // The targets of recorded links that are missing: such a link may have been recreated in another place.
        let missing = Set(recorded.filter { FolderListing.target(of: $0.path) == nil }.map(\.target))
        for folder in foldersOfLinks(recorded) {
            for name in (try? Folder.names(in: folder)) ?? [] {
                let path = folder + "/" + name
                // An unchanged link proves nothing, even if its chart was dropped.
                guard let target = FolderListing.target(of: path), target != targets[path],
                    ChartFileName.isChartPath(target, in: chartsFolder)
                else { continue }
                let isUnknown = !known.contains(String(target.dropFirst(chartsFolder.count + 1).dropLast(4)))
                guard isUnknown || targets[path] != nil || missing.contains(target) else { continue }
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if Timestamp(nanoseconds: FileStamp(status).modified) > last { return true }
            }
        }
        return false
    }

    /// The folders of `links` and their neighbours: a plan that this catalogue does not have may have a folder there.
    private static func foldersOfLinks(_ links: [ChartLink]) -> [String] {
        var folders = Set(links.map(\.folder))
        for root in Set(folders.map(Folder.parent(of:))) {
            for name in (try? Folder.names(in: root)) ?? [] where !name.hasPrefix(".") { folders.insert(root + "/" + name) }
        }
        return folders.sorted()
    }
}

/// The contents of a folder, reduced to the facts that matter for links.
package enum FolderListing: Hashable {
    case missing
    /// The path leads to something other than a folder, such as a link that the user made.
    case foreign
    case entries([Entry])

    /// One name in a folder.
    package struct Entry: Hashable {
        package var name: String
        /// The target if the entry is a symbolic link; `nil` otherwise.
        package var linkTarget: String?
    }

    package var entries: [Entry] { if case .entries(let entries) = self { entries } else { [] } }

    /// The links to charts that have one of the user's files with the same stem next to them: `01 Grace.xopp` next to `01
    /// Grace.pdf`. `isChart` returns whether an entry is a link to a chart.
    func linksWithUserFiles(_ isChart: (Entry) -> Bool) -> [Entry] {
        let links = entries.filter(isChart)
        let others = entries.filter { !isChart($0) }.map { FileName.folded($0.name) }
        guard !others.isEmpty else { return [] }
        return links.filter { link in others.contains { Self.isBeside($0, link.name) } }
    }

    /// Returns whether a file, by its folded name, belongs to the link named `link`. The hidden files of PDF readers belong to it too.
    static func isBeside(_ file: String, _ link: String) -> Bool {
        let stem = FileName.folded(String(link.dropLast(".pdf".count))) + "."
        return file.hasPrefix(stem) || file.hasPrefix("." + stem)
    }

    package static func of(_ path: String) throws(SystemError) -> FolderListing {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemError("access", path: path) }
            return .missing
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .foreign }
        return .entries(try Folder.names(in: path).map { Entry(name: $0, linkTarget: target(of: path + "/" + $0)) })
    }

    /// The target of a link; `nil` if there is no link. The reason is then in `errno`, which is `EINVAL` if something else is there.
    package static func target(of path: String) -> String? { Folder.target(ofLink: path) }
}

/// A link, in the folder that people open, that could not be brought up to date.
public struct LinkLeftBehind: Hashable, Sendable {
    public let path: String
    /// True if a link exists at the path but points to the wrong target.
    public let isThere: Bool
    /// The target of the user's link on the way to `path`, if that target is away with everything in it.
    public let away: String?

    public init(path: String, isThere: Bool, away: String? = nil) { (self.path, self.isThere, self.away) = (path, isThere, away) }
}

/// The changes made to bring the links to the charts up to date.
public struct LinkOutcome: Hashable, Sendable {
    /// Paths of new links.
    public internal(set) var made: [String] = []
    /// Paths of links that now point to another chart.
    public internal(set) var retargeted: [String] = []
    /// Paths of links and folders that were removed.
    public internal(set) var removed: [String] = []
    /// Paths of links that no plan needs, kept because one of the user's files is next to them.
    public internal(set) var kept: [String] = []
    /// Paths where the user has put something else, which is left untouched.
    public internal(set) var inTheWay: [String] = []
    /// The errors of the steps that failed. Further links in the same folder were skipped; all other steps were completed.
    public internal(set) var failures: [SystemError] = []
}
