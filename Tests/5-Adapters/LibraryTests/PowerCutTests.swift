import CDiskWatch
import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// A power cut may lose anything that was not flushed to the disk. So a chart's bytes must be flushed before the file gets its name,
/// and the name must be flushed before the catalogue has the chart.
@Suite(.onLoop)
struct PowerCutTests {
    private let home = TemporaryFolder()
    private let attachment = Samples.attachment("a")
    private let bytes = Samples.pdf("1")

    /// Records what was flushed to the disk: the contents of files, and names in folders.
    @LoopActor
    private final class Disk {
        private var contents: Set<ino_t> = []
        private var names: [ino_t: [String: ino_t]] = [:]
        /// Called before each flush.
        private let isAbout: @LoopActor () -> Void

        init(isAbout: @escaping @LoopActor () -> Void = {}) { self.isAbout = isAbout }

        private func note(_ descriptor: Int32) {
            isAbout()
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                contents.insert(status.st_ino)
                return
            }
            let folder = "/proc/self/fd/\(descriptor)"
            let found = ((try? Folder.names(in: folder)) ?? []).map { ($0, PowerCutTests.inode("\(folder)/\($0)") ?? 0) }
            names[status.st_ino] = Dictionary(found) { first, _ in first }
        }

        /// Whether both the content of a file and its name were flushed.
        func holds(_ path: String) -> Bool {
            guard let file = PowerCutTests.inode(path), let folder = PowerCutTests.inode(Folder.parent(of: path)) else { return false }
            return contents.contains(file) && names[folder]?[String(path.split(separator: "/").last ?? "")] == file
        }

        /// Records this thread's flushes during `body`.
        func watch<Result>(_ body: () throws -> Result) rethrows -> Result {
            let observe: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { context, descriptor in
                let address = UInt(bitPattern: context)
                LoopActor.assumeIsolated {
                    guard let disk = UnsafeMutableRawPointer(bitPattern: address) else { return }
                    Unmanaged<Disk>.fromOpaque(disk).takeUnretainedValue().note(descriptor)
                }
            }
            woodshed_disk_watch(observe, Unmanaged.passUnretained(self).toOpaque())
            defer { woodshed_disk_watch(nil, nil) }
            return try body()
        }
    }

    private nonisolated static func inode(_ path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
        return library
    }

    @Test @LoopActor func aChartIsOnTheDiskBeforeItIsKnown() throws {
        let library = try library()
        defer { library.close() }
        let path = library.charts.path(of: Samples.hash(bytes))
        let other = try Library(readingFrom: home.path("data"))
        defer { other.close() }
        var steps: [(isNamed: Bool, isKnown: Bool)] = []
        let disk = Disk { [attachment] in
            steps.append((Self.inode(path) != nil, ((try? other.charts.chart(of: attachment.id)) ?? nil) != nil))
        }
        try disk.watch { _ = try library.download(bytes, for: attachment) }
        #expect(disk.holds(path))
        // The content is flushed before the file has its name, and the name before the catalogue knows the chart.
        #expect(steps.prefix(2).map(\.isNamed) == [false, true] && steps.prefix(2).allSatisfy { !$0.isKnown })
    }

    /// There is no other copy of the saved file, and the program that saved it may not have waited for the disk.
    @Test @LoopActor func whatWasSavedOverAChartIsOnTheDiskUnderItsNewNameBeforeTheChartReturns() throws {
        let library = try library()
        defer { library.close() }
        let path = library.charts.path(of: try library.download(bytes, for: attachment))
        try Samples.pdf("2").withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
        let saved = try #require(Self.inode(path))
        var wasSafe: Bool?
        nonisolated(unsafe) var disk: Disk?
        disk = Disk {
            guard wasSafe == nil, let now = Self.inode(path), now != saved else { return }
            wasSafe = (try? library.charts.savedCharts().setAside.first).flatMap { $0 }.map { disk?.holds($0) ?? false }
        }
        try disk?.watch { _ = try library.download(bytes, for: attachment) }
        #expect(wasSafe == true)
    }

    @Test @LoopActor func backupsAndWhatIsPutBackFromThemAreOnTheDisk() throws {
        let library = try library()
        let disk = Disk()
        let source = try Database(path: library.cataloguePath, access: .readOnly)
        let backup = try disk.watch { try CatalogueBackups(of: library.folder).make(of: source, at: Samples.monday) }
        #expect(disk.holds(backup.path))
        source.close()
        library.close()
        let kept = try disk.watch { try Library.goBack(to: backup, in: home.path("data")) }
        #expect(kept != nil && disk.holds(home.path("data/catalogue.sqlite")))
    }

    /// Tokens, keys, settings and restored marks are written with `AtomicFile.write` or as a `TemporaryFile` that is published.
    @Test @LoopActor func aFileIsOnTheDiskWhenItIsWritten() throws {
        let disk = Disk()
        let (one, other) = (home.path("one"), home.path("other"))
        try disk.watch {
            try AtomicFile.write("text", to: one)
            let file = try TemporaryFile.create(inFolderOf: other)
            try Array("text".utf8).withUnsafeBytes { try file.write($0) }
            #expect(try file.publishWhereFree(as: other))
        }
        #expect(disk.holds(one) && disk.holds(other))
    }
}
