import Annotations
import Band
import BandFolder
import BandLayout
import BandStorage
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport

@testable import Marks

/// A band member's device: a library and a replica of the band's place, without an agent.
@LoopActor
final class Player {
    let name: String
    /// The folders of the data and of the replica.
    let data: String
    let place: String
    let clock = SimulatedClock()
    private(set) var carrier: WatchedCarrier
    /// The simulated disk between the carrier and the place.
    private(set) var disk: SlowDisk
    private(set) var musician = Musician()
    private(set) var reader: BandReader
    private(set) var library: Library
    private(set) var writer: BandWriter
    /// The number of the browser that draws now, and the number of its edits. After a restoration another browser draws, since a
    /// browser keeps its own marks.
    private var browser: (number: Int, edits: Int) = (0, 0)
    private var kept: Musician?
    var wrote: @LoopActor (String, [UInt8]?) -> Void = { _, _ in } { didSet { carrier.wrote = wrote } }

    nonisolated static let charts = ["1a", "1b", "1c"]
    nonisolated static func pdf(_ chart: String) -> [UInt8] { Array("%PDF-1.7\n\(chart)\n%%EOF\n".utf8) }

    /// A library with the charts that everybody has.
    static func prepare(_ data: String) throws {
        let library = try Library(folder: data)
        defer { library.close() }
        try library.plans.update([Samples.contents("1", day: 7, attachments: charts.map { Samples.attachment($0) })], at: Samples.monday)
        for chart in charts { try keep(pdf(chart), as: chart, in: library) }
    }

    private static func keep(_ bytes: [UInt8], as chart: String, key: String = "", in library: Library) throws {
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        _ = try library.charts.keep(
            file, hash: Samples.hash(bytes), size: bytes.count, for: AttachmentID(chart), madeFrom: key,
            version: Samples.attachment(chart).version)
    }

    /// The server with the band's place; `nil` for a folder.
    private let store: FakeStore?

    /// Opens the library in `data`.
    init(_ name: String, data: String, place: String, at store: FakeStore? = nil) throws {
        (self.name, self.data, self.place, self.store) = (name, data, place, store)
        library = try Library(folder: data)
        (disk, carrier, reader, writer) = try Self.parts(name, library, data, place, store, clock, SlowDisk.Queue())
    }

    private static func parts(
        _ name: String, _ library: Library, _ data: String, _ place: String, _ store: FakeStore?, _ clock: SimulatedClock,
        _ queue: SlowDisk.Queue
    ) throws -> (SlowDisk, WatchedCarrier, BandReader, BandWriter) {
        let (home, log, side) = (HomeID(in: data), Log { _, _ in }, SideThread(inline: true))
        let inner: any BandCarrier =
            try store.map { StorageCarrier(try $0.address(), transport: $0, time: clock, side: side) }
            ?? FolderCarrier(place, side: side)
        let disk = SlowDisk(inner, queue)
        let carrier = WatchedCarrier(disk)
        let reader = BandReader(library: library, carrier: carrier, home: home, time: clock, log: log, side: side)
        let writer = BandWriter(
            library: library, carrier: carrier, reader: reader, home: home, person: name, name: "\(name)'s laptop", time: clock, log: log,
            side: side)
        return (disk, carrier, reader, writer)
    }

    var device: BandDevice { BandDevice(HomeID(in: data).current) }

    func close() { library.close() }

    /// Closes the library, and opens it again after `change`.
    func restart(after change: () throws -> Void = {}) throws {
        let (wasFull, mood) = (carrier.isFull, carrier.mood)
        library.close()
        try change()
        library = try Library(folder: data)
        // The new disk gets the former queue, because late writes arrive even after the process has ended.
        (disk, carrier, reader, writer) = try Self.parts(name, library, data, place, store, clock, disk.queue)
        (carrier.wrote, carrier.isFull, carrier.mood) = (wrote, wasFull, mood)
    }

    // MARK: - Its charts

    /// Replaces a chart's bytes; the present marks were made on the former bytes.
    func replace(_ chart: String, by bytes: [UInt8]) throws { try Self.keep(bytes, as: chart, in: library) }

    /// Accepts the marks on a chart for its present bytes.
    func accept(_ chart: String) throws { _ = try library.accept(chart: AttachmentID(chart)) }

    /// Gets a chart that the service makes on demand, with other bytes for each key.
    func get(_ chart: String, in keys: [String]) throws {
        let attachments = keys.map { key in
            Model.Attachment(
                id: AttachmentID(chart), filename: "\(chart).pdf", fileSize: 1000, updatedAt: Samples.monday, isGenerated: true,
                generatedFrom: key)
        }
        try library.plans.update([Samples.contents("2", day: 14, attachments: attachments)], at: Samples.monday)
        for key in keys { try Self.keep(Self.pdf(chart + key), as: chart, key: key, in: library) }
    }

    // MARK: - Its own marks

    /// Puts a mark at `x`, or erases it. A mark whose name begins with an f is in a file of another program; all others are drawn
    /// here. A mark drawn on another device is in a part of its own.
    func edit(_ mark: String, on chart: String, part: String = "", x: Double?) throws {
        musician.marks[chart, default: [:]][mark] = x
        browser.edits += 1
        if mark.hasPrefix("f") { try save(chart) } else { try draw(mark, on: chart, part: part, x) }
    }

    private var stamp: FileStamp { FileStamp(device: 1, inode: 2, size: 3, modified: Int64(browser.number * 1000 + browser.edits)) }

    /// These marks are lower on the page than marks drawn here: a file with the same marks would count as a copy, and be left out.
    private func save(_ chart: String) throws {
        let marks = (musician.marks[chart] ?? [:]).filter { $0.key.hasPrefix("f") }.sorted { $0.key < $1.key }.map { id, x in
            Mark(id: id, page: PageIndex(0), kind: .pen, points: [Mark.Point(x: x, y: 0.9)])
        }
        let file = LocalFile(
            path: "/marks/\(chart).xopp", stamp: stamp, firstSeen: Samples.monday, attachment: AttachmentID(chart),
            content: MarkFile(name: "bowings", marks: marks))
        try library.markFiles.store([file])
    }

    private func draw(_ mark: String, on chart: String, part: String, _ x: Double?) throws {
        let path = "/marks/\(chart)\(part).marks.json"
        let part = try library.parts.part(at: path)?.part ?? LayerPart()
        let counts = part.layer.edits(of: MarkID(mark)).including(browser.edits, of: DeviceID("\(name)-\(browser.number)"))
        let v = counts.sorted.map { "\"\($0.device.text)\":\($0.number)" }.joined(separator: ",")
        let body =
            x.map { #"{"marks":[{"id":"\#(mark)","page":0,"kind":"pen","points":[[\#($0),0.5]],"v":{\#(v)}}]}"# }
            ?? #"{"deleted":[{"id":"\#(mark)","v":{\#(v)}}]}"#
        var layer = part.layer
        for value in try LayerEdits.read(Array(body.utf8), pages: 2) { layer.insert(value) }
        let marks = NativeLayerReader.marks(of: layer.marks)
        let file = LocalFile(
            path: path, stamp: stamp, firstSeen: Samples.monday, attachment: AttachmentID(chart), content: MarkFile(marks: marks))
        var written = try WrittenFile(file)
        written.part = LayerPart(revision: part.revision + 1, layer: layer)
        try library.markFiles.store(written: [written])
    }

    func share(_ chart: String, _ isShared: Bool) throws {
        try library.band.share(AttachmentID(chart), isShared)
        musician.shares[chart] = isShared
        musician.hasLeft = false
    }

    func shareAll(_ areShared: Bool) throws {
        try library.band.shareAll(areShared)
        (musician.sharesAll, musician.shares, musician.hasLeft) = (areShared, [:], false)
    }

    func setLeft(_ hasLeft: Bool) throws {
        try library.band.setLeft(hasLeft)
        (musician.sharesAll, musician.shares, musician.hasLeft) = (false, [:], hasLeft)
    }

    /// Takes over the choices made on another device of the same musician.
    func followShares() {
        guard let shares = try? library.band.shares() else { return }
        (musician.hasLeft, musician.sharesAll) = (shares.haveEnded, shares.areAllShared)
        musician.shares = Dictionary(uniqueKeysWithValues: Self.charts.map { ($0, shares.include(AttachmentID($0))) })
    }

    /// The marks drawn here on the shared charts.
    func sharedLayers() -> [String: JoinedLayer] {
        var layers: [String: JoinedLayer] = [:]
        for chart in Self.charts where !musician.hasLeft && musician.shares[chart] ?? musician.sharesAll {
            layers[chart] = ((try? library.parts.all(of: AttachmentID(chart))) ?? []).reduce(into: JoinedLayer()) {
                $0.join($1.part.layer)
            }
        }
        return layers
    }

    /// The positions of a layer's marks.
    static func places(_ layer: JoinedLayer) -> [String: Double] {
        NativeLayerReader.marks(of: layer.marks).reduce(into: [:]) { $0[$1.id] = $1.points.first?.x }
    }

    /// Records that a device made from this one has left.
    func noteLeft() { (musician.sharesAll, musician.shares, musician.hasLeft) = (false, [:], true) }

    // MARK: - The band

    /// Reads the band, and writes any changes; returns whether anything changed.
    func round() async throws -> Bool {
        let outcome = try await reader.readBand()
        guard outcome.trouble == nil else { return !outcome.changes.isEmpty }
        do {
            return try await writer.write([]) || !outcome.changes.isEmpty
        } catch is Trouble {
            return true
        }
    }

    func members() throws -> [BandMember] { try library.band.members() }

    func doubt() { carrier.doubt() }

    func doubtOwn() { writer.doubtOwn() }

    /// The position of each mark of `device` that is shown here.
    func shown(of device: BandDevice) throws -> Musician.Marks {
        var all: Musician.Marks = [:]
        for chart in Self.charts {
            for layer in try library.layers.all(of: AttachmentID(chart)) {
                guard layer.id.text.hasPrefix("band:\(device):"), layer.deletedAt == nil else { continue }
                for mark in layer.marks { all[chart, default: [:]][mark.id] = mark.points.first?.x }
            }
        }
        return all
    }

    /// The marks that were drawn here.
    func drawn() throws -> Musician.Marks {
        var all: Musician.Marks = [:]
        for chart in Self.charts {
            for layer in try library.markFiles.localLayers(of: AttachmentID(chart)) {
                for mark in layer.marks { all[chart, default: [:]][mark.id] = mark.points.first?.x }
            }
        }
        return all
    }

    // MARK: - Backups

    private var backup: String { data + ".backup" }
    var hasBackup: Bool { kept != nil }

    func backUp() throws {
        try restart { [self] in try FileTree.copy(data, to: backup) }
        kept = musician
    }

    /// Restores the data, and if `isWhole` also the home's id, which is a file of its own.
    func restore(isWhole: Bool) throws {
        guard let kept else { return }
        try restart { [self] in
            for name in try Folder.names(in: data) where name != "home-id" || isWhole { TemporaryFolder.remove("\(data)/\(name)") }
            try FileTree.copy(backup, to: data, but: isWhole ? [] : ["home-id"])
        }
        musician = kept
        browser = (browser.number + 1, 0)
    }

    // MARK: - On other machines

    /// How a home is brought to another machine.
    enum Way: CaseIterable {
        /// All files are copied as they are.
        case copied
        /// The home travels as an archive, which is marked as a copy or as a move.
        case archivedAsCopy
        case moved
    }

    /// A home on another device, made from this one.
    func clone(_ name: String, data: String, place: String, _ way: Way = .copied) throws -> Player {
        try restart { [self] in
            guard way != .copied else { return try FileTree.copy(self.data, to: data) }
            // HomeExport and HomeImport do the same, but belong to a later layer.
            let target = CatalogueFile.path(in: data)
            try FileTree.copy("\(self.data)/charts", to: "\(data)/charts")
            let file = try TemporaryFile.create(inFolderOf: target)
            let copy = try MovedCatalogue.copy(from: self.data)
            try AtomicFile.read(copy.path, limit: 1 << 26).withUnsafeBytes { try file.write($0) }
            try MovedCatalogue.settle(file, folders: [(self.data, data)])
            try HomeID(in: data).become(HomeID(in: self.data).archived, isMoved: way == .moved)
            guard try file.publishWhereFree(as: target) else { throw SystemError("write", path: target) }
        }
        let clone = try Player(name, data: data, place: place)
        (clone.musician, clone.clock.wallTimeAtStart) = (musician, clock.wallTime)
        return clone
    }
}

extension FakeStore {
    /// The address as somebody would write it in the configuration.
    func address() throws -> StorageAddress {
        hasFolders ? try StorageAddress(base) : try StorageAddress("s3://bucket/band", endpoint: "https://example.org")
    }
}
