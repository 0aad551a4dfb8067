import Catalogue
import ChartFiles
import CommandLine
package import Configuration
import Glibc
import Model
import Platform

/// Writes a home to one archive.
package struct HomeExport {
    /// The number of charts in the archive, of the musician's own files, and of bytes.
    package private(set) var charts = 0
    package private(set) var ownFiles = 0
    package private(set) var bytes = 0
    /// Files left out, with the reason: links that are not ours, and names that an archive cannot store.
    package private(set) var leftOut: [(path: String, why: String)] = []
    /// The number of charts in the catalogue whose files are missing.
    package private(set) var missingCharts = 0
    /// Charts whose bytes do not match the digests in their names.
    package private(set) var changedCharts: [String] = []

    private let file: TemporaryFile
    private var manifest: HomeArchive.Manifest

    /// Writes and verifies the archive before renaming it to `target`, which must not exist. No agent may run meanwhile.
    ///
    /// `configuration` is the user's portable configuration file.
    package init(of paths: Paths, configuration: String?, to target: String) throws {
        guard access(target, F_OK) != 0 else { throw Trouble("\(target) is there already; choose another name, or move it away") }
        guard access(CatalogueFile.path(in: paths.data), F_OK) == 0 else {
            throw LibraryError.missing(path: CatalogueFile.path(in: paths.data))
        }
        let lock = try AgentLock.take(in: paths.data)
        defer { withExtendedLifetime(lock) {} }
        AtomicFile.removeAbandoned(in: paths.data)
        file = try TemporaryFile.create(inFolderOf: target)
        manifest = HomeArchive.Manifest(music: paths.music, data: paths.data)
        if let configuration { try add(Array(configuration.utf8), as: HomeArchive.configuration) }
        try add(HomeID(in: paths.data).archived, as: HomeArchive.identity)
        let catalogue = try MovedCatalogue.copy(from: paths.data)
        var missing = try MovedCatalogue.charts(in: catalogue)
        try add(catalogue.path, as: HomeArchive.catalogue)
        for name in try Folder.namesIfThere(in: paths.data + "/charts") {
            guard let chart = ChartFileName.chartHash(ofFile: name) else { continue }
            try add(paths.data + "/charts/" + name, as: "charts/" + name)
            charts += 1
            missing.remove(chart.digest.hex)
        }
        missingCharts = missing.count
        for (folder, name) in [(paths.data + "/annotations", "annotations"), (paths.music, "music")] {
            for path in try files(in: folder, paths) {
                try add(path, as: name + path.dropFirst(folder.count))
                ownFiles += 1
            }
        }
        try write(manifest.bytes, as: HomeArchive.Manifest.name)
        try TarFile.end.withUnsafeBytes { try file.write($0) }
        try file.syncContent()
        _ = try HomeArchive(file.path)
        guard try file.publishWhereFree(as: target) else { throw Trouble("\(target) has just appeared; choose another name") }
    }

    /// The plain files in a folder and below it. Our own links are skipped, since they point to charts that are archived anyway.
    private mutating func files(in folder: String, _ paths: Paths) throws -> [String] {
        var found: [String] = []
        for name in try Folder.namesIfThere(in: folder) where !name.hasPrefix(AtomicFile.temporaryPrefix) {
            let path = folder + "/" + name
            var status = stat()
            guard !name.contains(where: { $0 == "\u{FFFD}" || $0.isNewline }) else {
                leftOut.append((path, "its name cannot be kept; give it another one"))
                continue
            }
            guard lstat(path, &status) == 0 else { throw SystemError("read", path: path) }
            switch status.st_mode & S_IFMT {
            case S_IFREG: found.append(path)
            case S_IFDIR: found += try files(in: path, paths)
            case S_IFLNK:
                var target = [CChar](repeating: 0, count: Int(PATH_MAX))
                let count = readlink(path, &target, target.count)
                let isOurs = String(decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .hasPrefix(paths.data + "/charts/")
                if !isOurs { leftOut.append((path, "a link that leads elsewhere")) }
            default: break
            }
        }
        return found
    }

    private mutating func add(_ path: String, as name: String) throws {
        let name = Array(name.utf8)
        guard HomeArchive.isFit(name) else { throw Trouble("\(path.printable) has a name that cannot be kept; give it another one") }
        var status = stat()
        let source: Descriptor
        do throws(SystemError) {
            source = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw unreadable(error, path)
        }
        guard fstat(source.number, &status) == 0 else { throw unreadable(SystemError("read", path: path), path) }
        let size = Int(status.st_size)
        guard size <= TarFile.greatestSize else { throw Trouble("\(path) is too large") }
        try TarFile.header(name, size: size, modified: status.st_mtim.tv_sec).withUnsafeBytes { try file.write($0) }
        var sum = SHA256()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        var written = 0
        while true {
            let count = read(source.number, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(SystemError("read", path: path), path) }
            if count == 0 { break }
            written += count
            guard written <= size else { break }
            try piece.withUnsafeBytes {
                let part = UnsafeRawBufferPointer(rebasing: $0[..<count])
                sum.update(part)
                try file.write(part)
            }
        }
        guard written == size else { throw Trouble("\(path) was changed while it was read; try again") }
        try TarFile.padding(size).withUnsafeBytes { try file.write($0) }
        let digest = sum.finish()
        let own = path.split(separator: "/").last.map(String.init) ?? ""
        if let chart = ChartFileName.chartHash(ofFile: own), chart.digest != digest { changedCharts.append(path) }
        manifest.sums.append((name, digest))
        bytes += size
    }

    /// The error for a file that cannot be read, with advice to the user.
    private func unreadable(_ error: SystemError, _ path: String) -> Trouble {
        let isChart = ChartFileName.chartHash(ofFile: path.split(separator: "/").last.map(String.init) ?? "") != nil
        let isClosed = [EACCES, EPERM].contains(error.code)
        let advice = isClosed ? "let it be read with chmod u+r \(path.shellQuoted), or move it away" : "try again, or move it away"
        return Trouble(
            "\(error), so nothing was archived; \(advice)"
                + (isChart ? ": '\(woodshed("sync"))' fetches the chart again" : ""))
    }

    private mutating func add(_ content: [UInt8], as name: String) throws {
        try write(content, as: Array(name.utf8))
        manifest.sums.append((Array(name.utf8), SHA256.digest(of: content)))
    }

    private func write(_ content: [UInt8], as name: [UInt8]) throws {
        let modified = Glibc.time(nil)
        let all = TarFile.header(name, size: content.count, modified: modified) + content + TarFile.padding(content.count)
        try all.withUnsafeBytes { try file.write($0) }
    }
}
