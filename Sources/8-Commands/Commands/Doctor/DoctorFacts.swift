import Agent
import Catalogue
import CommandLine
import Configuration
import Exporting
import Glibc
import Library
import Model
import Platform

/// The doctor's facts, gathered before anything is judged.
struct DoctorFacts: Sendable {
    /// What is known on this machine about the access token.
    enum Token: Hashable, Sendable {
        case notConfigured
        /// No account is configured, and none is needed: all plans come from the musician's own folders.
        case ofFolders
        /// The home of a demo, whose stand-in has its own token.
        case ofDemo
        /// `file` is the file that the token is in, if it is in one.
        case unreadable(Trouble, file: String? = nil)
        case readable
        /// The user signed in with a browser, instead of using a personal token.
        case signedIn
        case signedOut(String)
        /// Only the agent's systemd service can read the token, which is the credential of this name. The polls are those that a
        /// running agent reports.
        case ofService(String, AgentReport.Polls?)
    }

    /// The service's answer to the request for the token's account.
    enum Service: Hashable, Sendable {
        case notAsked
        case unreachable(String)
        /// The answer came from elsewhere, or does not prove that the service sent it.
        case notTheService(String)
        /// `ahead` is how far our clock is ahead of the service's, if the service gave its time.
        case answered(status: Int, ahead: Duration?)
    }

    /// One of our folders. If it does not exist, the facts are those of `nearest`.
    struct FolderState: Hashable, Sendable {
        var name: String
        var path: String
        /// The nearest folder above `path` that exists; equal to `path` if that exists.
        var nearest: String
        var isOwn: Bool
        var isWritable: Bool
        /// Whether nobody can write there, since the disk is read-only.
        var isOnReadOnlyDisk = false
        /// Whether `nearest` is something else than a folder.
        var isFile = false
        /// A link on the way to `path`, or directly in it, whose target is missing, as when its disk is away.
        var link: String?
        var target = ""
        /// The permission bits.
        var mode: UInt32
        /// Subfolders that we may not list, enter or write. If we may not use the folder itself, only that folder is listed, or the
        /// folder above it that denies access.
        var closed: [ClosedFolder] = []

        var isThere: Bool { nearest == path }
    }

    /// An existing folder that we may not use.
    struct ClosedFolder: Hashable, Sendable {
        var path: String
        var isOwn: Bool
        /// Whether the permission bits let the owner use the folder, so that something else must be preventing it.
        var isOpenToOwner = false

        /// How to make the folder usable for its owner.
        var remedy: String {
            isOpenToOwner
                ? "sudo chattr -i \(path.shellQuoted); if that does not help, check how its disk is mounted: findmnt -T \(path.shellQuoted)"
                : isOwn ? "chmod u+rwx \(path.shellQuoted)" : "sudo chown -R $USER \(path.shellQuoted)"
        }
    }

    /// The file system that a folder is on.
    struct Disk: Hashable, Sendable {
        var name: String
        var path: String
        var free: ByteCount
        /// The size of the whole disk.
        var total: ByteCount?
        /// How much the configuration wants to stay free there; `nil` if it says nothing of this folder.
        var leastFree: ByteCount?
        /// Whether the home folder is on the same disk, so that most of what fills it is there.
        var isOfHome = true
    }

    /// Traces of a program that syncs the data folder with another machine.
    struct SyncTools: Sendable {
        /// Copies of the catalogue that the program made, because two machines had written the catalogue.
        var copies: [String] = []
        /// The folder that the program synchronises, and the name of the entry in it that shows this.
        var folder: (path: String, mark: String)?
    }

    enum Renderer: Hashable, Sendable {
        /// `gaps` are the shortcomings of the renderer's sandbox.
        case works(tag: RendererTag, gaps: [SandboxGap])
        case fails(String)
    }

    /// Which process is using the library, if any.
    enum Lock: Hashable, Sendable {
        case free
        case held(by: Int32?)
    }

    /// The mistakes in the configuration, and the path of the musician's own file of it.
    var faults: [ConfigurationFault] = []
    var ownFile = ""
    var token = Token.notConfigured
    var service = Service.notAsked
    /// The proxy through which the service is reached, in words.
    var proxy: String?
    /// The address at which, according to a running agent, the service has no marks of others.
    var noMarksAt: String?
    var folders: [FolderState] = []
    /// Folders of the musician's own files, or subfolders of these, that cannot be read.
    var unreadMusic: [ClosedFolder] = []
    /// Folders that do not answer.
    var silent: [String] = []
    /// The folder with the links to the charts; `nil` if it does not answer.
    var music: FolderState?
    /// The folder with the links to the charts, if no links can be made there.
    var closedMusic: ClosedFolder?
    /// The musician's own folders of sets that answer at all; `nil` if they take too long to be read.
    var sets: [SetsHere]? = []
    var syncTools = SyncTools()
    /// The folder in which plans are to be kept as PDFs, with the reason if that is impossible. `nil` if no folder is configured,
    /// or if the folder does not answer.
    var pdfFolder: (path: String, trouble: PDFShelf.Trouble?)?
    /// `nil` if the musician is in no band.
    var band: Finding?
    var disks: [Disk] = []
    /// Why browsers are not shown the pages, according to a running agent.
    var noPages: String?
    /// Each with the name of its program or library.
    var versions: [(name: String, version: String)] = []
    var renderer = Renderer.fails("not checked")
    var (hasBaseFonts, hasAsianFonts, hasPopplerData) = (false, false, false)
    /// The kernel's limits on watching, by their names in /proc/sys/fs/inotify; unreadable ones are left out.
    var inotify: [String: Int] = [:]
    /// Whether the kernel reports that memory is short.
    var memoryPressure = MemoryPressure.State.off(reason: "not checked")
    var lock = Lock.free
    /// Why the running agent does not answer, and what puts another in its place; `nil` if it answers or there is none.
    var hang: (because: String, mend: String)?
    /// What `woodshed ready` says of the next plan, or why it says nothing; `nil` where nothing was ever fetched.
    var readiness: Result<ReadinessVerdict, CommandFailure>?
    /// Folders of the musician's own files that are not there.
    var missingMusic: [String] = []
    /// What a running agent reports about watching folders; `nil` without a report.
    var watching: AgentReport.Watching?
    /// Files that the user's programs saved over charts.
    var saved = SavedCharts()
    /// The catalogue, or why it cannot be checked.
    var catalogue: Result<CatalogueState, LibraryError> = .success(CatalogueState(condition: .missing))
}

/// Facts about this machine, found out without the network and without changing anything.
extension DoctorFacts {
    static func folder(_ name: String, _ path: String) -> FolderState {
        var nearest = path
        var link: (path: String, target: String)?
        var status = stat()
        while stat(nearest, &status) != 0, nearest != "/" {
            if let target = Folder.target(ofLink: nearest) { link = (nearest, target) }
            nearest = Folder.parent(of: nearest)
        }
        let kind = status.st_mode & S_IFMT
        return FolderState(
            name: name, path: path, nearest: nearest,
            // If `isOwn` is true, the user is advised to move a file out of the way. That must not happen to a device file, whoever
            // owns it.
            isOwn: status.st_uid == geteuid() && [S_IFDIR, S_IFREG].contains(kind), isWritable: access(nearest, W_OK | X_OK) == 0,
            isOnReadOnlyDisk: Folder.isOnReadOnlyDisk(path), isFile: kind != S_IFDIR, link: link?.path, target: link?.target ?? "",
            mode: status.st_mode & 0o7777)
    }

    /// Like `folder`, but checks the subfolders at every depth as well, for a folder in which everything should be ours. Links
    /// directly in the folder are followed.
    static func wholeFolder(_ name: String, _ path: String) -> FolderState {
        var state = folder(name, path)
        guard state.isThere else { return state }
        let names = (try? Folder.names(in: path)) ?? []
        if let link = names.lazy.compactMap({ Folder.deadLink(onWayTo: path + "/" + $0) }).first {
            (state.link, state.target) = (link.path, link.target)
        }
        state.closed = closed(path).map { [$0] } ?? folders(in: path, followingLinks: true).flatMap(closedFolders)
        return state
    }

    /// Only the folder itself if it is closed to us, otherwise the closed subfolders at every depth. Links in it are not followed,
    /// since they may lead anywhere.
    private static func closedFolders(_ folder: String) -> [ClosedFolder] {
        closed(folder).map { [$0] } ?? folders(in: folder, followingLinks: false).flatMap(closedFolders)
    }

    /// The subfolders, except lost+found, which the system creates at the top of a disk.
    private static func folders(in folder: String, followingLinks: Bool) -> [String] {
        ((try? Folder.names(in: folder)) ?? []).sorted().filter { $0 != "lost+found" }.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            return (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// The folder, if it does not allow every access in `needs`. If a folder above prevents even reading the status, the folder
    /// above is returned. `nil` if the folder is usable, no longer exists or is not a folder.
    static func closed(_ folder: String, needing needs: Int32 = R_OK | W_OK | X_OK) -> ClosedFolder? {
        guard access(folder, needs) != 0, [EACCES, EPERM, EROFS].contains(errno) else { return nil }
        var status = stat()
        // If even the status cannot be read, a folder above is closed.
        guard stat(folder, &status) == 0 else { return folder == "/" ? nil : closed(Folder.parent(of: folder), needing: X_OK) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let isOwn = status.st_uid == geteuid()
        return ClosedFolder(path: folder, isOwn: isOwn, isOpenToOwner: isOwn && status.st_mode & 0o700 == 0o700)
    }

    /// Traces of Syncthing, Nextcloud, ownCloud and Dropbox: copies of the catalogue in the data folder, and the folder that such a
    /// program synchronises, which is the data folder or the nearest one above it.
    static func syncTools(at data: String) -> SyncTools {
        let copies = ((try? Folder.names(in: data)) ?? []).filter { name in
            name.hasPrefix("catalogue") && ["sync-conflict", "conflicted copy", "(conflict"].contains { name.contains($0) }
        }
        var found = SyncTools(copies: copies.map { data + "/" + $0 })
        var folder = MatchStore.followingLinks(data) ?? data
        while found.folder == nil {
            found.folder = ((try? Folder.names(in: folder)) ?? []).first { isOfSyncTool($0, in: folder) }.map { (folder, $0) }
            guard folder != "/" else { break }
            folder = Folder.parent(of: folder)
        }
        return found
    }

    private static func isOfSyncTool(_ name: String, in folder: String) -> Bool {
        switch name {
        case ".stfolder", ".stversions", ".nextcloudsync.log", ".owncloudsync.log", ".dropbox.cache": return true
        case ".dropbox":
            // Only a file counts: a folder of this name in the user's home holds Dropbox's settings.
            var status = stat()
            return stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        default: return (name.hasPrefix("._sync_") || name.hasPrefix(".sync_")) && name.hasSuffix(".db")
        }
    }

    /// `nil` if the file system does not report its free space.
    static func disk(_ name: String, _ path: String, leastFree: DiskAmount? = nil, home: String) -> Disk? {
        guard let space = try? Folder.space(of: path) else { return nil }
        let (total, free) = (ByteCount(space.total), ByteCount(space.free))
        return Disk(
            name: name, path: path, free: free, total: total, leastFree: leastFree?.bytes(of: DiskSpace(total: total, free: free)),
            isOfHome: device(of: path) == device(of: home))
    }

    /// The number of the disk that a path is on, or would be.
    private static func device(of path: String) -> UInt64? {
        var (path, status) = (path, stat())
        while stat(path, &status) != 0 {
            guard path != "/" else { return nil }
            path = Folder.parent(of: path)
        }
        return UInt64(status.st_dev)
    }

    static var kernelVersion: String {
        line("/proc/sys/kernel/osrelease") ?? "unknown"
    }

    static var inotifyLimits: [String: Int] {
        let folder = "/proc/sys/fs/inotify"
        return ((try? Folder.names(in: folder)) ?? []).reduce(into: [:]) { limits, name in
            limits[name] = line(folder + "/" + name).flatMap { Int($0) }
        }
    }

    static func hasOne(of folders: [String]) -> Bool {
        folders.contains { !((try? Folder.names(in: $0)) ?? []).isEmpty }
    }

    static let baseFontFolders = [
        "/usr/share/fonts/opentype/urw-base35", "/usr/share/fonts/type1/urw-base35", "/usr/share/fonts/type1/gsfonts",
    ]
    static let asianFontFolders =
        ["opentype/noto", "opentype/ipafont-gothic", "truetype/wqy", "truetype/arphic", "truetype/nanum", "truetype/unifont"]
        .map { "/usr/share/fonts/" + $0 }
    static let popplerDataFolders = ["/usr/share/poppler/cMap"]

    /// Finds the holder of the lock without taking it, since that would keep out an agent that starts at that moment.
    static func lock(in data: String, table: String = "/proc/locks") -> Lock {
        var status = stat()
        let path = data + "/agent.lock"
        guard stat(path, &status) == 0, let bytes = try? AtomicFile.read(table, limit: 1 << 20),
            isLocked(inode: UInt64(status.st_ino), in: String(decoding: bytes, as: UTF8.self))
        else { return .free }
        return .held(by: line(path).flatMap { Int32($0) })
    }

    /// Looks for a file in the kernel's list of locks, which has lines like `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF`.
    static func isLocked(inode: UInt64, in table: String) -> Bool {
        table.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            // A process that waits for the lock has a line whose second word is "->"; that line does not count.
            return words.count > 5 && words[1] == "FLOCK" && words[5].split(separator: ":").last == "\(inode)"
        }
    }

    private static func line(_ path: String) -> String? {
        (try? AtomicFile.read(path, limit: 65536)).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        }
    }
}
