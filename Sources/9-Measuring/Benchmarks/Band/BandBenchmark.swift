import Band
import BandFolder
import BandLayout
import Catalogue
import Library
import Marks
import Model
import PageCache
import Platform

/// The cost of a large band for each device: the time and memory of the first read of all shared marks, and the time of a read
/// with one changed layer and with none.
@LoopActor
enum BandBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        let (devices, charts) = request.isQuick ? (10, 50) : (100, 300)
        let library = try MarkedLibrary(folder: folder + "/home", charts: charts, marks: 2)
        let place = folder + "/band"
        try SharedPlace.make(place, devices: devices, MarkedLibrary.hashes(charts))
        return BenchmarkReport(try await BandReading(library: library.folder, place: place, charts: charts).measured())
    }
}

/// The shared folder of a band with many devices and many layers.
enum SharedPlace {
    static func make(_ place: String, devices: Int, _ charts: [ChartHash]) throws {
        try write(BandMarker(id: BandDevice("band000000000000"), name: "Large").bytes, to: place + "/" + BandPath.marker)
        for number in 0..<devices { try write(number, in: place, charts, counter: 1) }
    }

    static func device(_ number: Int) -> BandDevice {
        BandDevice("device" + String(repeating: "0", count: 10 - String(number).utf8.count) + "\(number)")
    }

    /// Writes the files of one device: 200 marks on the first chart and one on each of the others. With a `counter` above 1, only
    /// the marks on the first chart differ, and only they and the head are written.
    static func write(_ number: Int, in place: String, _ charts: [ChartHash], counter: Int) throws {
        let device = device(number)
        try Folder.create("\(place)/\(BandPath.folder(of: device))")
        var head = BandHead(device: device, counter: counter, person: "Player \(number)", name: "laptop")
        for (entry, chart) in charts.enumerated() {
            let since = entry == 0 ? counter : 1
            let bytes = object(entry == 0 ? 200 : 1, of: number, seed: entry + since)
            let sum = SHA256.digest(of: bytes)
            if since == counter { try write(bytes, to: "\(place)/\(BandPath.object(sum, of: device))") }
            head.layers.append(
                .init(id: "l\(entry)", name: "", chart: chart, title: "Chart \(entry)", object: sum, length: bytes.count, since: since))
        }
        try write(head.bytes, to: "\(place)/\(BandPath.head(of: device))")
    }

    /// Marks of eight points each, as drawn with a pen.
    private static func object(_ marks: Int, of device: Int, seed: Int) -> [UInt8] {
        let lines = (0..<marks).map { number -> String in
            let points = (0..<8).map { point in
                "[0.\(100 + (number * 37 + point * 3 + seed) % 800),0.\(100 + (number * 91 + point * 5 + device) % 800),0.0021]"
            }
            return ##"{"id":"d\##(device)-\##(number)","page":\##(number % 10),"kind":"pen","color":"#303030","width":0.002,"points":["##
                + points.joined(separator: ",") + ##"],"created_at":"2026-03-03T19:09:52.704Z","v":{"d\##(device)":\##(number + seed)}}"##
        }
        return Array("{\"version\":1,\"marks\":[\n\(lines.joined(separator: ",\n"))\n]}\n".utf8)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Folder.create(Folder.parent(of: path))
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
    }
}

/// Reads everything that a band shares, in a separate process.
struct BandReading: MeasuredJob {
    let library: String
    let place: String
    let charts: Int

    @LoopActor
    func record() async throws -> Measurements {
        let library = try Library(folder: library)
        defer { library.close() }
        let charts = MarkedLibrary.hashes(charts)
        let alone = try ProcessFigures.peakMebibytes()
        let reader = BandReader(
            library: library, carrier: FolderCarrier(place), home: HomeID(in: self.library), time: SystemClock(),
            log: .standardError(from: .warning))
        var measured = Measurements()
        let clock = SystemClock()
        var start = clock.now
        var outcome = try await reader.readBand()
        while outcome.isCutShort { outcome = try await reader.readBand() }
        measured.add("first_read_s", "s", (clock.now - start).inSeconds)
        try require(outcome.trouble == nil && outcome.notYet == 0, "the band was not read: \(outcome)")
        let shown = try library.band.members().reduce(0) { $0 + $1.shown }
        try require(shown == (try library.band.members()).reduce(0) { $0 + $1.shared }, "only \(shown) layers were taken over")
        measured.add("band_mib", "MiB", try ProcessFigures.peakMebibytes() - alone)
        for counter in 2...6 {
            try SharedPlace.write(7, in: place, charts, counter: counter)
            start = clock.now
            outcome = try await reader.readBand()
            measured.add("change_ms", "ms", (clock.now - start).inSeconds * 1000)
            try require(outcome.moved == 1, "a change was not noticed: \(outcome)")
        }
        start = clock.now
        _ = try await reader.readBand()
        measured.add("look_ms", "ms", (clock.now - start).inSeconds * 1000)
        return measured
    }
}
