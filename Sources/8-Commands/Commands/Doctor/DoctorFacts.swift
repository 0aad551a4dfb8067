import Agent
import Catalogue
import Configuration
import Exporting
import Glibc
import Library
import Model
import Platform

/// The doctor's facts, gathered before anything is judged.
struct DoctorFacts: Sendable {
    /// Everything known here about the access token.
    enum Token: Hashable, Sendable {
        case notConfigured
        /// The home of a demo, whose stand-in has its own token.
        case ofDemo
        case unreadable(Trouble)
        case readable
        /// With a browser instead of with a token of one's own.
        case signedIn
        case signedOut(String)
        /// Only the agent's service has this credential; with the agent's report on its polls, if one runs.
        case ofService(String, AgentReport.Polls?)
    }

    /// The service's answer to the question who we are.
    enum Service: Hashable, Sendable {
        case notAsked
        case unreachable(String)
        /// The answer did not come from the service, or does not prove it.
        case notTheService(String)
        /// `ahead` is how far our clock is ahead of the service's, if the service gave its time.
        case answered(status: Int, ahead: Duration?)
    }

    /// One of our folders, or the nearest folder above it that exists.
    struct FolderState: Hashable, Sendable {
        var name: String
        var path: String
        /// Equal to `path` if the folder exists.
        var nearest: String
        var isOwn: Bool
        var isWritable: Bool
        /// No user can write there because the disk is read-only.
        var isOnReadOnlyDisk = false
        /// The nearest that exists is no folder.
        var isFile = false
        /// The permission bits.
        var mode: UInt32
        /// Folders in it that we may not list, enter or write, in the order of their paths; or itself.
        var closed: [ClosedFolder] = []

        var isThere: Bool { nearest == path }
    }

    /// A folder that exists, and that we may not use.
    struct ClosedFolder: Hashable, Sendable {
        var path: String
        var isOwn: Bool
        /// The permission bits let its owner use it, so there is another obstacle.
        var isOpenToOwner = false

        /// How to open it for its owner.
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
    }

    /// Traces of a program that syncs the data folder with another machine.
    struct SyncTools: Sendable {
        /// Copies that it made of the catalogue, because it was written in two places.
        var copies: [String] = []
        /// The folder that it synchronises, and the name in it that shows that.
        var folder: (path: String, mark: String)?
    }

    enum Renderer: Hashable, Sendable {
        /// `gaps` is what its sandbox lacks.
        case works(tag: RendererTag, gaps: [SandboxGap])
        case fails(String)
    }

    /// Who is using the library.
    enum Lock: Hashable, Sendable {
        case free
        case held(by: Int32?)
    }

    var token = Token.notConfigured
    var service = Service.notAsked
    /// The proxy to the service, in words.
    var proxy: String?
    /// Where the service has no marks of others, as a running agent found.
    var noMarksAt: String?
    var folders: [FolderState] = []
    /// Folders of the musician's own files, or in them, that cannot be read.
    var unreadMusic: [ClosedFolder] = []
    /// Folders that do not answer.
    var silent: [String] = []
    /// The one with the links to the charts; `nil` if it does not answer.
    var music: FolderState?
    /// The same, if no links can be made there.
    var closedMusic: ClosedFolder?
    var syncTools = SyncTools()
    /// Where plans are to be kept as PDFs, and why they cannot be.
    var pdfFolder: (path: String, trouble: PDFShelf.Trouble?)?
    /// `nil` for who plays alone.
    var band: Finding?
    var disks: [Disk] = []
    /// By the name of the program or library.
    var versions: [(name: String, version: String)] = []
    var renderer = Renderer.fails("not checked")
    var (hasBaseFonts, hasAsianFonts, hasPopplerData) = (false, false, false)
    /// How much the kernel lets us watch, by the names in /proc/sys/fs/inotify, as far as they can be read.
    var inotify: [String: Int] = [:]
    /// Whether the kernel reports that memory is short.
    var memoryPressure = MemoryPressure.State.off(reason: "not checked")
    var lock = Lock.free
    /// The state of the running agent's watching, if an agent runs and reports it.
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
        var status = stat()
        while stat(nearest, &status) != 0, nearest != "/" { nearest = Folder.parent(of: nearest) }
        let kind = status.st_mode & S_IFMT
        return FolderState(
            name: name, path: path, nearest: nearest,
            // A device is nobody's to move away.
            isOwn: status.st_uid == geteuid() && [S_IFDIR, S_IFREG].contains(kind), isWritable: access(nearest, W_OK | X_OK) == 0,
            isOnReadOnlyDisk: Folder.isOnReadOnlyDisk(path), isFile: kind != S_IFDIR, mode: status.st_mode & 0o7777)
    }

    /// As above, for a folder in which everything is ours, down to the last folder in it.
    static func wholeFolder(_ name: String, _ path: String) -> FolderState {
        var state = folder(name, path)
        guard state.isThere else { return state }
        state.closed = closed(path).map { [$0] } ?? folders(in: path, followingLinks: true).flatMap(closedFolders)
        return state
    }

    /// The folder if we may not use it, otherwise such folders in it. A link further down may lead anywhere.
    private static func closedFolders(_ folder: String) -> [ClosedFolder] {
        closed(folder).map { [$0] } ?? folders(in: folder, followingLinks: false).flatMap(closedFolders)
    }

    /// Without the system's own folder at the top of a disk.
    private static func folders(in folder: String, followingLinks: Bool) -> [String] {
        ((try? Folder.names(in: folder)) ?? []).sorted().filter { $0 != "lost+found" }.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            return (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Nil if it may be used like that, or does not exist any more.
    static func closed(_ folder: String, needing needs: Int32 = R_OK | W_OK | X_OK) -> ClosedFolder? {
        guard access(folder, needs) != 0, [EACCES, EPERM, EROFS].contains(errno) else { return nil }
        var status = stat()
        // If even its status is hidden, a folder above is closed.
        guard stat(folder, &status) == 0 else { return folder == "/" ? nil : closed(Folder.parent(of: folder), needing: X_OK) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let isOwn = status.st_uid == geteuid()
        return ClosedFolder(path: folder, isOwn: isOwn, isOpenToOwner: isOwn && status.st_mode & 0o700 == 0o700)
    }

    /// Traces of Syncthing, Nextcloud, ownCloud and Dropbox in the data folder, and in the folders above.
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
            // A folder of that name in one's home holds Dropbox's settings.
            var status = stat()
            return stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        default: return (name.hasPrefix("._sync_") || name.hasPrefix(".sync_")) && name.hasSuffix(".db")
        }
    }

    /// Nil if the file system does not give its size.
    static func disk(_ name: String, _ path: String) -> Disk? {
        guard let space = try? Folder.space(of: path) else { return nil }
        return Disk(name: name, path: path, free: ByteCount(space.free))
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

    /// The holder of the lock, found out without taking it: otherwise an agent that starts at that moment would be refused.
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
            // A line with "->" is for a process that waits for the lock.
            return words.count > 5 && words[1] == "FLOCK" && words[5].split(separator: ":").last == "\(inode)"
        }
    }

    private static func line(_ path: String) -> String? {
        (try? AtomicFile.read(path, limit: 65536)).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        }
    }
}
