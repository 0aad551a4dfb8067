import Glibc
import Model
import Platform
import SetFolders
import Sets
import TestSupport
import Testing

/// Looks that list only the folders in which something may have changed.
@Suite(.timeLimit(.minutes(5)))
struct SetListingsTests {
    private let folder = TemporaryFolder()
    private var music: String { folder.path("Sets") }
    private var folders: SetFolders { SetFolders([music]) }
    /// All folders here have been as they are for long.
    private let later = Timestamp(nanoseconds: 0)

    private func write(_ path: String) throws {
        try Folder.create(Folder.parent(of: music + "/" + path))
        try AtomicFile.write("%PDF-1.7\n%%EOF\n", to: music + "/" + path)
    }

    @Test func afterOneEventOnlyItsFolderIsListed() throws {
        for number in 1...100 { try write("Book/\(number).pdf") }
        for day in 20...29 { try write("2026-11-\(day)/Grace.pdf") }
        var listings = SetFolders.Listings()
        _ = folders.read(&listings, touched: nil, now: later)
        #expect(listings.listed == 12)
        try write("2026-11-22/Vision.pdf")
        let found = folders.read(&listings, touched: [music + "/2026-11-22"], now: later)
        #expect(listings.listed == 1)
        #expect(found == folders.read() && found.files.count == 111)
        _ = folders.read(&listings, touched: nil, now: later)
        #expect(listings.listed == 12, "a look at all trusts nothing that was listed before")
    }

    /// Disks store times in steps, so another change at once need not show in them.
    @Test func aFolderThatHasJustChangedIsListedOnceMore() throws {
        try write("2026-11-22/Grace.pdf")
        var status = stat()
        try #require(stat(music, &status) == 0)
        var listings = SetFolders.Listings()
        for (seconds, listed) in [(1, 2), (2, 2), (10, 2), (10, 0)] {
            let now = Timestamp(nanoseconds: FileStamp(status).changed + Int64(seconds) * 1_000_000_000)
            _ = folders.read(&listings, touched: [], now: now)
            #expect(listings.listed == listed)
        }
    }

    @Test(arguments: Asked.seeds(everyday: 30))
    func whatIsListedInPartIsAsIfAllWereListed(seed: UInt64) throws {
        var (tree, listings) = (Tree(music, seed), SetFolders.Listings())
        try Folder.create(music)
        // Whether something was written that only a look at all finds.
        var isBehind = false
        var listed = (inPart: 0, inAll: 0)
        for step in 1...120 {
            let change = tree.change()
            let isLost = tree.draw(3) == 0
            // A disk whose times have steps small enough for each change.
            if isLost { for folder in change.folders { tree.touch(folder) } }
            if change.isHidden || isLost && change.isInPlace { isBehind = true }
            let touched = tree.draw(8) == 0 || !isLost && change.isOfFolder ? nil : Set(isLost ? [] : change.folders)
            if touched == nil { isBehind = false }
            let found = folders.read(&listings, touched: touched, now: later)
            if touched != nil { listed.inPart += listings.listed }
            var all = SetFolders.Listings()
            let anew = folders.read(&all, touched: nil, now: later)
            if touched != nil { listed.inAll += all.listed }
            #expect(isBehind || found == anew, "step \(step): \(change.words)\(isLost ? ", without a word" : "")")
        }
        #expect(listed.inPart < listed.inAll)
    }

    /// A tree in which anything changes.
    private struct Tree {
        struct Change {
            let words: String
            /// The folders in which it happened, without links in their paths.
            var folders: [String] = []
            /// Whether a file was written to where it is.
            var isInPlace = false
            /// Whether a folder came, went or changed: its event leads to a look at all.
            var isOfFolder = false
            /// Whether no event would name all folders in which it shows.
            var isHidden = false
        }

        private let root: String
        private var generator: SeededGenerator
        private var time = 0

        init(_ root: String, _ seed: UInt64) { (self.root, generator) = (root, SeededGenerator(seed: seed)) }

        mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        private mutating func some<Value>(_ values: [Value]) -> Value { values[draw(values.count)] }

        /// One name in two forms of Unicode is two folders.
        private static let folders = [
            "", "/Book", "/Book/Old", "/2026-11-22", "/2026-11-29 Gig", "/2026-11-29 Gig/2 Song", "/é", "/e\u{301}", "/é/Inner",
        ]
        private static let files = [
            "Grace.pdf", "Abide.cho", "notes.txt", "Songs.csv", "cover.heic", "2026-12-06 List.txt", "Photo.jpg", "É.pdf", "E\u{301}.pdf",
        ]

        private mutating func someFolder() -> String { root + some(Self.folders) }
        private mutating func someFile() -> String { someFolder() + "/" + some(Self.files) }
        private func parent(_ path: String) -> String { Folder.real(Folder.parent(of: path)) }

        mutating func change() -> Change {
            switch draw(13) {
            case 0...3:
                let (path, text) = (someFile(), "Grace\nAbide \(draw(1000))\n")
                let isNew = access(Folder.parent(of: path), F_OK) != 0
                try? Folder.create(Folder.parent(of: path))
                try? AtomicFile.write(text, to: path)
                // A folder that is new may be in one that is new, too.
                let around = isNew ? [Folder.parent(of: parent(path)), Folder.real(root)] : []
                return Change(words: "put \(path)", folders: [parent(path)] + around, isOfFolder: isNew)
            case 4, 5:
                let path = Folder.real(someFile())
                if let file = try? Descriptor.open(path, O_WRONLY | O_TRUNC) {
                    let text = String(repeating: "Vision\n", count: draw(100))
                    _ = Glibc.write(file.number, text, text.utf8.count)
                }
                return Change(words: "write to \(path)", folders: [Folder.parent(of: path)], isInPlace: true)
            case 6:
                let (path, other) = (someFile(), someFile())
                let folders = [parent(path), parent(other)]
                rename(path, other)
                return Change(words: "rename \(path) to \(other)", folders: folders)
            case 7:
                let (path, other) = (someFolder(), someFolder())
                let folders = [parent(path), parent(other)]
                if path != root { rename(path, other) }
                return Change(words: "move \(path) to \(other)", folders: folders, isOfFolder: true)
            case 8:
                let path = someFile()
                unlink(path)
                return Change(words: "remove \(path)", folders: [parent(path)])
            case 9:
                let path = someFolder()
                let folders = [parent(path)]
                if path != root { remove(path) }
                return Change(words: "remove \(path)", folders: folders, isOfFolder: true)
            case 10:
                let path = someFolder()
                // Whoever may read everything still reads it, but its status has changed.
                if path != root { chmod(path, some([0, 0o700])) }
                return Change(words: "let nobody or its owner read \(path)", folders: [Folder.real(path)], isOfFolder: true)
            case 11:
                let path = someFile()
                let target = some([someFile(), someFolder(), root + "/nowhere", "/tmp"])
                symlink(target, path)
                return Change(words: "link \(path) to \(target)", folders: [parent(path)])
            default:
                let (path, other) = (someFile(), someFile())
                let isLinked = link(path, other) == 0
                return Change(words: "name \(path) \(other), too", folders: [parent(other)], isHidden: isLinked)
            }
        }

        private func remove(_ path: String) {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                for name in (try? Folder.names(in: path)) ?? [] { remove(path + "/" + name) }
                rmdir(path)
            } else {
                unlink(path)
            }
        }

        mutating func touch(_ folder: String) {
            time += 1
            let times = [timespec(tv_sec: 1_000_000_000 + time, tv_nsec: 0), timespec(tv_sec: 1_000_000_000 + time, tv_nsec: 0)]
            _ = utimensat(AT_FDCWD, folder, times, 0)
        }
    }
}
