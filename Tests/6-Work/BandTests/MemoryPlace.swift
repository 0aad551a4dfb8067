import BandLayout
import Model
import Platform

/// A band's place that is not a folder: files by their paths, as on a server, with a server's faults.
@LoopActor
final class MemoryPlace {
    var files: [String: [UInt8]] = [:]
    /// Whether requests for names are answered with real lists.
    nonisolated let canList: Bool
    var isAway = false
    var isFull = false

    init(canList: Bool) { self.canList = canList }
}

/// Carries files to and from a `MemoryPlace`; the shortest possible carrier.
@LoopActor
final class MemoryCarrier: BandCarrier {
    nonisolated let place = "https://example.org/band"
    nonisolated let canList: Bool
    private let server: MemoryPlace
    private var told: [String: [UInt8]] = [:]

    init(_ server: MemoryPlace) { (self.server, canList) = (server, server.canList) }

    private func reach() throws(Trouble) { if server.isAway { throw Trouble(.away, "\(place) does not answer") } }

    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? {
        try reach()
        guard let bytes = server.files[path], bytes.count <= limit else { return nil }
        guard let sum = BandPath.object(at: path)?.sum else { return bytes }
        return SHA256.digest(of: bytes) == sum ? bytes : nil
    }

    func put(_ bytes: [UInt8], as path: String) async throws(Trouble) {
        try reach()
        guard !server.isFull else { throw Trouble("\(place) is full") }
        server.files[path] = bytes
    }

    func remove(_ path: String) async throws(Trouble) {
        try reach()
        server.files[path] = nil
    }

    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing {
        try reach()
        var listing = BandListing()
        let listed = server.files.keys.compactMap { path in BandDevice(checking: path.split(separator: "/").dropFirst().first ?? "") }
        let devices = server.canList ? Set(listed) : Set(known)
        for device in devices.sorted() {
            let path = BandPath.head(of: device)
            guard let bytes = server.files[path] else { continue }
            listing.devices.insert(device)
            if told.updateValue(bytes, forKey: path) != bytes { listing.heads.append(BandListing.File(device, path)) }
        }
        told = told.filter { server.files[$0.key] != nil }
        return listing
    }

    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? {
        try reach()
        guard server.canList else { return nil }
        var objects: [Digest: Int] = [:]
        for (path, bytes) in server.files {
            if let object = BandPath.object(at: path), object.device == device { objects[object.sum] = bytes.count }
        }
        return objects
    }

    func doubt() { told = [:] }
}
