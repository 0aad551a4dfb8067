import Annotations
import Glibc
import LayerJoin
import Model
import Platform
import TestSupport

@testable import Catalogue
@testable import Library
@testable import Marks

/// One musician's machine, with a home, a browser that draws in it, and a folder of marks that a sync program carries to others.
@LoopActor
final class SyncedMachine {
    let folder: TemporaryFolder
    private(set) var home: MarkHome
    private var layers: OwnLayers
    private var browser: String
    private var edits = 0
    /// The sync program's last version of each file, by name.
    var synced: [String: [UInt8]] = [:]

    var marks: String { folder.path("marks") }
    var data: String { folder.path("data") }

    private static let charts = ["1a", "1b"]

    init(_ browser: String, in folder: TemporaryFolder = TemporaryFolder()) async throws {
        (self.folder, self.browser) = (folder, browser)
        try Folder.create(folder.path("marks"))
        let roots = MarkRoots([folder.path("marks")])
        home = try await MarkHome(roots, charts: Self.charts, in: folder)
        layers = OwnLayers(
            [folder.path("marks")], ours: "", roots: roots, home: HomeID(in: folder.path("data")), side: SideThread(inline: true))
    }

    /// Starts again, after the machine's folders were changed.
    func begin(as browser: String? = nil) async throws {
        if let browser { (self.browser, edits) = (browser, 0) }
        home = try await MarkHome(MarkRoots([marks]), charts: Self.charts, in: folder)
    }

    func end() { home.end() }

    // MARK: - Drawing

    private func chart(_ id: String) throws -> OwnLayers.Chart {
        let parts = try home.library.parts.all(of: AttachmentID(id))
        return OwnLayers.Chart(AttachmentID(id), ChartHash(SHA256.digest(of: id)), title: "Song \(id)", pages: 2, parts: parts)
    }

    /// All values of a chart's layer that the library has.
    func layer(of id: String) throws -> JoinedLayer { LayerPart.joined(try chart(id).parts.map(\.part)) }

    /// Puts a mark at `x`, or erases it; returns the value that was kept.
    func edit(_ mark: String, on chart: String, x: Double?) async throws -> LayerValue {
        edits += 1
        let known = try layer(of: chart).edits(of: MarkID(mark))
        let v = known.including(edits, of: DeviceID(browser)).counts.map { "\"\($0.key.text)\":\($0.value)" }.sorted().joined(
            separator: ",")
        let time = #""created_at":"2026-11-22T09:30:00.\#(SHA256.digest(of: mark).hex.filter(\.isNumber).prefix(9))Z""#
        let body =
            x.map { #"{"marks":[{"id":"\#(mark)","page":0,"kind":"pen","points":[[\#($0),0.5]],\#(time),"v":{\#(v)}}]}"# }
            ?? #"{"deleted":[{"id":"\#(mark)","v":{\#(v)}}]}"#
        let value = try LayerEdits.read(Array(body.utf8), pages: 2)[0]
        let kept = try await layers.add(Array(body.utf8), to: self.chart(chart))
        if let reading = kept.reading { home.keeper.receive(reading) }
        await home.settle()
        return value
    }

    func drawn(on chart: String) throws -> [PageIndex: MarkDigest] { try home.drawn(on: chart) }

    // MARK: - Files

    /// The files in the folder of marks, by name.
    func files() throws -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try Folder.names(in: marks).map { ($0, try AtomicFile.read("\(marks)/\($0)", limit: 1 << 24)) })
    }

    /// Writes a file in the folder, as another program would.
    func write(_ bytes: [UInt8], as name: String) async throws {
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: "\(marks)/\(name)", durability: .none) }
        home.events.send(.written("\(marks)/\(name)"))
        await home.settle()
    }

    func remove(_ name: String) async throws {
        unlink("\(marks)/\(name)")
        home.events.send(.removed("\(marks)/\(name)"))
        await home.settle()
    }

    /// Replaces this home with another machine's: with an image of it, or with a copy of its files.
    func become(_ other: SyncedMachine, isImage: Bool, as browser: String) async throws {
        end()
        other.end()
        for part in ["data", "marks"] {
            TemporaryFolder.remove(folder.path(part))
            try copy(other.folder.path(part), to: folder.path(part))
        }
        // A real copy has the same paths; here the folders differ.
        let catalogue = try MovedCatalogue.copy(from: data)
        try MovedCatalogue.settle(catalogue, folders: [(other.folder.path, folder.path)])
        for end in ["", "-wal", "-shm"] { unlink(data + "/catalogue.sqlite" + end) }
        try catalogue.publish(as: data + "/catalogue.sqlite", durability: .none)
        if isImage, access(data + "/home-id", F_OK) == 0 { try Self.holdAgain(data + "/home-id") }
        synced = other.synced
        try await other.begin()
        try await begin(as: browser)
    }

    /// Copies a folder with all its files and subfolders.
    func copy(_ from: String, to: String) throws {
        try Folder.create(to)
        for name in try Folder.names(in: from) {
            var status = stat()
            let (source, target) = ("\(from)/\(name)", "\(to)/\(name)")
            guard lstat(source, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try copy(source, to: target)
            } else {
                try AtomicFile.read(source, limit: 1 << 26).withUnsafeBytes { try AtomicFile.write($0, to: target, durability: .none) }
            }
        }
    }

    /// Makes the copied id valid: a real image keeps the file's inode and time of birth, by which a home recognises its id.
    private static func holdAgain(_ path: String) throws {
        let lines = String(decoding: try AtomicFile.read(path, limit: 100_000), as: UTF8.self).split(separator: "\n").dropFirst(2)
        try HomeID.write(lines.map(String.init), to: path)
    }
}
