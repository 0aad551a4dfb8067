import Annotations
public import Catalogue
import ChartFiles
import Glibc
import Library
public import Model
import Platform
public import Watching

/// Where the user's own mark files are, and when they are read.
public struct MarkSettings: Hashable, Sendable {
    public var roots: MarkRoots
    /// How long a file must stay unchanged before it is read.
    public var settle: Duration
    /// How long a file that changes without a pause can delay its reading.
    public var settleMost: Duration
    /// How many former states to keep of each file that loses marks.
    public var history: Int
    /// The home whose own parts are among the files; `nil` where nobody draws.
    public var home: HomeID?
    /// The folder of the home's own parts.
    public var ownFolder: String?

    public init(
        roots: MarkRoots = MarkRoots([]), settle: Duration = .milliseconds(150), settleMost: Duration = .seconds(2),
        history: Int = MarkHistory.states, home: HomeID? = nil, ownFolder: String? = nil
    ) {
        (self.roots, self.settle, self.settleMost, self.history) = (roots, settle, settleMost, history)
        (self.home, self.ownFolder) = (home, ownFolder)
    }
}

/// Where the user's own mark files are searched for, and which names are ignored.
public struct MarkRoots: Hashable, Sendable {
    /// Absolute paths, each once, none within another.
    public let folders: [String]
    /// Folders that need not exist.
    let optional: Set<String>
    /// Folders of charts, of which only those of plans are here.
    private let ofCharts: [String]
    private let ignored: [FilenamePattern]
    /// Folders, or shares in them, that do not respond now: nothing in them is read.
    private let silent: Set<String>

    /// `ignored` are patterns of names in which `*` stands for any characters. Marks are read beside the charts in `charts`, too, whose
    /// keeper says if such a folder is missing. Any other missing folder is reported here, unless it is `optional`.
    public init(
        _ folders: [String], ignoring ignored: [String] = ["*~", ".*", "*.swap"], optional: Set<String> = [], charts: [String] = [],
        silent: Set<String> = []
    ) {
        self.silent = silent
        ofCharts = charts.filter { !folders.contains($0) }
        self.optional = optional.union(ofCharts)
        let sorted = Set(folders + charts).sorted()
        self.folders = sorted.filter { folder in !sorted.contains { folder.hasPrefix($0 + "/") } }
        self.ignored = ignored.map { FilenamePattern($0) }
    }

    // MARK: - Names

    public func admits(folder name: some StringProtocol) -> Bool {
        var name = String(name)
        return name.withUTF8 { !isIgnored(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether the name is one that mark files can have.
    public func admits(file name: some StringProtocol) -> Bool {
        var name = String(name)
        return name.withUTF8 { admits(file: UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether mark files can have a name with these bytes, which need not be valid text.
    @Sendable
    public func admits(file name: UnsafeRawBufferPointer) -> Bool {
        MarkFileName.isOfMarks(name) && !isIgnored(name)
    }

    private func isIgnored(_ name: UnsafeRawBufferPointer) -> Bool { ignored.contains { $0.matches(name) } }

    /// Returns whether a message about the name may be needed: the name is so similar to a mark file's that the user may expect the
    /// file to be read, or it belongs to a link that may lead to a folder. The link is not followed, since that may take for ever.
    @Sendable
    fileprivate func mayMiss(_ name: UnsafeRawBufferPointer, isLink: Bool) -> Bool {
        let isAlmost = MarkFileName.intendedEnding(name) != nil || isLink && !Self.isFileName(name)
        return isAlmost && !isIgnored(name)
    }

    /// Returns whether a name ends as file names do and folder names hardly ever do: in a few letters or digits, at least one of
    /// them a letter.
    private static func isFileName(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
        let ending = name[(dot + 1)...]
        return (1...5).contains(ending.count) && ending.allSatisfy { isalnum(Int32($0)) != 0 }
            && ending.contains { isalpha(Int32($0)) != 0 }
    }

    // MARK: - Paths

    /// Returns whether a path leads to a possible mark file in one of the folders.
    public func admits(path: String) -> Bool { isFile(path) { admits(file: UnsafeRawBufferPointer($0)) } }

    /// Returns whether there may be a message about `path`, which then has to be checked again after each change.
    func mayMiss(path: String) -> Bool { isFile(path) { mayMiss($0, isLink: true) } }

    private func isFile(_ path: String, _ admits: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let root = root(of: path) else { return false }
        let parts = path.utf8.dropFirst(root.utf8.count + 1).split(separator: UInt8(ascii: "/"))
        guard let file = parts.last, Array(file).withUnsafeBytes(admits) else { return false }
        return parts.dropLast().allSatisfy { self.admits(folder: Substring($0)) }
    }

    /// Returns whether an event in a folder can concern mark files: the folder is a mark folder, lies in one or contains one.
    func concerns(_ folder: String) -> Bool {
        let prefix = folder == "/" ? "/" : folder + "/"
        return folders.contains { $0 == folder || folder.hasPrefix($0 + "/") || $0.hasPrefix(prefix) }
    }

    /// Whether a path lies in a folder or share that does not respond.
    public func isSilent(_ path: String) -> Bool { silent.contains { $0 == path || Self.isPath(path, in: $0) } }

    /// Whether a file without a chart may be beside one that no plan has now, so that nobody misses its marks.
    package func isBesideCharts(_ path: String) -> Bool { ofCharts.contains { Self.isPath(path, in: $0) } }

    /// The folders that respond, as far as is known.
    package var answering: [String] { silent.isEmpty ? folders : folders.filter { !isSilent($0) } }

    /// The mark folder that a path lies in.
    public func root(of path: String) -> String? { folders.first { Self.isPath(path, in: $0) } }

    /// For a path outside all mark folders: its outermost parent folder that contains none of the mark folders.
    func outermostFolder(of path: String) -> String {
        var folder = Folder.parent(of: path)
        while folder != "/", !concerns(Folder.parent(of: folder)) { folder = Folder.parent(of: folder) }
        return folder
    }

    /// Returns whether a folder is a mark folder, or a subfolder that is searched.
    func reaches(folder path: String) -> Bool {
        guard let root = root(of: path + "/") else { return false }
        return path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/")).allSatisfy { admits(folder: Substring($0)) }
    }

    /// Returns whether a path lies in a folder. Compares bytes: in Swift, a slash and a combining accent after it are one character.
    package static func isPath(_ path: String, in folder: String) -> Bool {
        path.utf8.count > folder.utf8.count && path.utf8.starts(with: folder.utf8)
            && path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }

    // MARK: - On disk

    /// The folders that cannot be read, including those inside mark folders.
    package var unread: Set<String> { Set(folders.flatMap { listing(of: $0).unread }) }

    package func listing(of root: String) -> FileListing {
        FileListing(
            below: root, besides: { isSilent($0) }, folder: { admits(folder: $0) }, file: { [self] in admits(file: $0) },
            other: { [self] in mayMiss($0, isLink: $1) })
    }

    /// Messages, by path, about everything in the listings that is not read although the user may expect it.
    func messages(of listings: some Sequence<FileListing>) -> [String: String] {
        var messages = self.messages(ofPassedOver: listings.flatMap(\.passedOver))
        for path in listings.flatMap(\.unusable) { messages[path] = "is not read: its name cannot be read (shown with \\x); rename it" }
        return messages
    }

    /// Messages, by path, about those of `paths` that need one.
    func messages(ofPassedOver paths: some Collection<String>) -> [String: String] {
        guard !paths.isEmpty else { return [:] }
        let trail = LinkFollower(in: answering, endingIn: [])
        return Dictionary(paths.compactMap { path in Self.message(ofPassedOver: path, trail).map { (path, $0) } }) { first, _ in first }
    }

    private static func message(ofPassedOver path: String, _ trail: LinkFollower) -> String? {
        func name(_ path: String) -> [UInt8] { path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? [] }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        if let ending = name(path).withUnsafeBytes(MarkFileName.intendedEnding) {
            return "is not read as a mark file: if it is one, give it a name that ends in \(ending)"
        }
        // A link whose target is in a mark folder needs no message: the target is read there anyway.
        guard let target = FolderListing.target(of: path), trail.end(of: path) == nil, !name(target).withUnsafeBytes(isFileName) else {
            return nil
        }
        return "is a link to \(target) and not followed: if your marks are there, add that folder to annotations.folders"
    }
}

extension WatchedRoot {
    /// A mark folder, to be watched for files written or removed in it.
    public static func marks(_ folder: String, _ roots: MarkRoots) -> WatchedRoot {
        WatchedRoot(
            folder, news: [.removals, .writes],
            admits: { path in path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { roots.admits(folder: Substring($0)) } },
            lists: { roots.admits(file: $0) }, passesOver: { roots.mayMiss($0, isLink: $1) })
    }
}

/// The state of the mark folders on disk: which exist, and which are the same folder under another name.
struct RootsOnDisk: Sendable {
    private var identities: [String: FileIdentity] = [:]
    /// Folders that are, through a link or a mount, the same as another mark folder or lie in one; with their paths there.
    private(set) var duplicates: [String: String] = [:]

    init() {}

    init(of roots: MarkRoots) {
        var found: [(folder: String, real: String)] = []
        for folder in roots.answering {
            guard let identity = FileIdentity(ofFolder: folder), let real = MatchStore.followingLinks(folder) else { continue }
            identities[folder] = identity
            found.append((folder, real))
        }
        // Sort folders that may contain others first; of equal folders, first the one that is not a link.
        found.sort { ($0.real.utf8.count, $0.real == $0.folder ? 0 : 1) < ($1.real.utf8.count, $1.real == $1.folder ? 0 : 1) }
        var kept: [(folder: String, real: String)] = []
        for (folder, real) in found {
            if let same = kept.first(where: { identities[$0.folder] == identities[folder] }) {
                duplicates[folder] = same.folder
            } else if let place = kept.lazy.compactMap({ Self.place(of: real, in: $0, roots) }).first {
                duplicates[folder] = place
            } else {
                kept.append((folder, real))
            }
        }
    }

    private static func place(of real: String, in other: (folder: String, real: String), _ roots: MarkRoots) -> String? {
        guard MarkRoots.isPath(real, in: other.real) else { return nil }
        let place = other.folder + String(Substring(real.utf8.dropFirst(other.real.utf8.count)))
        // If the other folder ignores this folder, this folder is read under its own name.
        return roots.reaches(folder: place) ? place : nil
    }

    func has(_ folder: String) -> Bool { identities[folder] != nil }

    /// The folders among `folders` that are still the same on disk as when this value was made.
    func unchanged(_ folders: Set<String>) -> Set<String> {
        folders.filter { folder in identities[folder].map { $0 == FileIdentity(ofFolder: folder) } ?? false }
    }

    /// Translates a path below any name of a folder to the path below the name that is scanned.
    func path(_ path: String, in roots: MarkRoots) -> String {
        guard !duplicates.isEmpty, let root = roots.root(of: path + "/"), let other = duplicates[root] else { return path }
        return other + String(Substring(path.utf8.dropFirst(root.utf8.count)))
    }
}
