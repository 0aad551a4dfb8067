import Catalogue
import ChartFiles
import CommandLine
package import Configuration
import Glibc
import Model
import Platform

/// Unpacks an archive into an empty home.
package struct HomeImport {
    /// The number of files placed, not counting the catalogue and the configuration.
    package private(set) var files = 0
    /// Whether the archive contains the home's identity. Archives of older versions do not.
    package private(set) var knowsWhoItWas = false
    /// Whether an existing configuration was kept.
    package private(set) var keptConfiguration = false
    /// The archive's settings that are only comments in the new configuration, because the user must decide about them.
    package private(set) var offeredSettings: [String] = []

    private let paths: Paths

    /// Checks the configuration and the free space before placing any file. Places the catalogue last, so an interrupted import
    /// can be repeated. If anything fails, the files already placed are removed. `home` replaces `~` in the configuration. If
    /// `isMoved`, the home keeps the archived identity; otherwise it is a copy with an identity of its own.
    package init(of archive: borrowing HomeArchive, to paths: Paths, home: String, isMoved: Bool) throws {
        self.paths = paths
        try checkIsEmpty()
        let configuration = try Self.configuration(of: archive, home: home)
        try Folder.create(paths.data)
        let lock = try AgentLock.take(in: paths.data)
        defer { withExtendedLifetime(lock) {} }
        try checkIsEmpty()
        for folder in [paths.data, paths.music] {
            let size = archive.entries.reduce(0) { $0 + $1.size }
            guard try Folder.space(of: folder).free > size else {
                throw Trouble("there is too little room for \(folder): \(ByteCount(size)) are needed; nothing was placed")
            }
        }
        AtomicFile.removeAbandoned(in: paths.data)
        let catalogue = try temporary(archive.entry(HomeArchive.catalogue), of: archive, for: CatalogueFile.path(in: paths.data))
        do throws(LibraryError) {
            try MovedCatalogue.settle(catalogue, folders: [(archive.manifest.music, paths.music), (archive.manifest.data, paths.data)])
        } catch {
            throw Trouble("the catalogue in \(archive.path) cannot be used: \(error)")
        }
        var placed: [String] = []
        do {
            for entry in archive.entries {
                guard let target = target(of: entry) else { continue }
                if try place(entry, of: archive, at: target) { placed.append(target) }
            }
            files = placed.count
            if let configuration {
                keptConfiguration = try !place(configuration.file, at: paths.configuration)
                if !keptConfiguration { placed.append(paths.configuration) }
                offeredSettings = keptConfiguration ? [] : configuration.offered
            }
            if let entry = archive.entry(HomeArchive.identity) {
                var bytes: [UInt8] = []
                try TarFile.read(entry, of: archive.file, path: archive.path) { bytes += $0 }
                try HomeID(in: paths.data).become(bytes, isMoved: isMoved)
                knowsWhoItWas = true
            }
            guard try catalogue.publishWhereFree(as: CatalogueFile.path(in: paths.data)) else { throw full }
        } catch {
            // This import made all the files in `placed`, as copies, so nothing is lost with them.
            for path in placed { unlink(path) }
            throw error
        }
    }

    private var full: Trouble {
        Trouble(
            "\(paths.data) has a library already, which is never written over; import into an empty home, with --home, or move that folder away"
        )
    }

    private func checkIsEmpty() throws {
        let path = CatalogueFile.path(in: paths.data)
        let isThere = access(path, F_OK) == 0 || access(path + "-wal", F_OK) == 0
        if try isThere || !CatalogueBackups(of: paths.data).all.isEmpty { throw full }
    }

    private static func configuration(of archive: borrowing HomeArchive, home: String) throws -> (file: String, offered: [String])? {
        guard let entry = archive.entry(HomeArchive.configuration) else { return nil }
        var bytes: [UInt8] = []
        try TarFile.read(entry, of: archive.file, path: archive.path) { bytes += $0 }
        return try Configuration.imported(bytes, called: "\(archive.path)/\(HomeArchive.configuration)", home: home)
    }

    /// The target of a file; nil for entries that are placed separately.
    private func target(of entry: TarFile.Entry) -> String? {
        let name = String(decoding: entry.name, as: UTF8.self)
        switch name {
        case HomeArchive.configuration, HomeArchive.catalogue, HomeArchive.identity: return nil
        default: return name.utf8.starts(with: "music/".utf8) ? paths.music + name.dropFirst("music".count) : paths.data + "/" + name
        }
    }

    private func temporary(_ entry: TarFile.Entry?, of archive: borrowing HomeArchive, for target: String) throws -> TemporaryFile {
        let file = try TemporaryFile.create(inFolderOf: target)
        if let entry { try archive.copy(entry, to: file) }
        return file
    }

    /// Returns whether the file was placed. Keeps an identical existing file. Throws if a different file exists.
    private func place(_ entry: TarFile.Entry, of archive: borrowing HomeArchive, at target: String) throws -> Bool {
        let folder = Folder.parent(of: target)
        if folder == paths.data + "/charts" { try checkIsWhatItsNameSays(entry, of: archive) }
        try checkLeadsNowhereElse(folder)
        try Folder.create(folder)
        let file = try temporary(entry, of: archive, for: target)
        if try file.publishWhereFree(as: target) { return true }
        guard try archive.digest(entry) == ChartFile.digest(ofFileAt: target) else {
            throw Trouble("\(target.printable) is there already, and is another file; move it away, then import again")
        }
        return false
    }

    /// A chart is identified by the digest of its bytes, which its file's name must contain.
    private func checkIsWhatItsNameSays(_ entry: TarFile.Entry, of archive: borrowing HomeArchive) throws {
        let name = String(decoding: entry.name, as: UTF8.self)
        guard ChartFileName.chartHash(ofFile: String(name.dropFirst("charts/".count))) == ChartHash(try archive.digest(entry)) else {
            throw Trouble("\(name) in the archive is not the chart that its name says: the archive is damaged, or was changed")
        }
    }

    /// Places the configuration, unless one exists.
    private func place(_ text: String, at target: String) throws -> Bool {
        try Folder.create(Folder.parent(of: target))
        let file = try TemporaryFile.create(inFolderOf: target)
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        return try file.publishWhereFree(as: target)
    }

    /// Throws if a folder in a file's path is a link, which would lead the file outside the home.
    private func checkLeadsNowhereElse(_ folder: String) throws {
        var folder = folder
        while [paths.music, paths.data].contains(where: { folder.utf8.starts(with: ($0 + "/").utf8) }) {
            var status = stat()
            guard lstat(folder, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
                throw Trouble("\(folder.printable) is no folder of its own; nothing is placed where it leads")
            }
            folder = Folder.parent(of: folder)
        }
    }
}
