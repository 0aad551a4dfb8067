import BandFolder
import BandLayout
import BandStorage
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// Every kind of place for a carrier. The tests also reach the place directly, as other people's programs do.
enum CarrierKind: CaseIterable, CustomTestStringConvertible {
    case folder, server, serverThatListsNothing, webDAV, s3
    /// A real server program, reached with the product's own client.
    case real(StorageServer.Kind)

    /// Real servers are included if they are installed; `RealServerTests` reports the missing ones. The quick set has no real servers.
    static var allCases: [CarrierKind] {
        let real = Asked.extent == .quick ? [] : StorageServer.Kind.allCases.filter(\.isDue)
        return [.folder, .server, .serverThatListsNothing, .webDAV, .s3] + real.map { .real($0) }
    }

    var testDescription: String {
        switch self {
        case .folder: "folder"
        case .server: "server"
        case .serverThatListsNothing: "server that lists nothing"
        case .webDAV: "WebDAV"
        case .s3: "S3"
        case .real(let kind): "real \(kind.rawValue)"
        }
    }
}

@LoopActor
final class CarrierBench {
    /// The place itself.
    private enum Stand {
        case folder(String)
        case memory(MemoryPlace)
        case store(FakeStore, StorageAddress)
        case real(RealPlace)
    }

    private let files = TemporaryFolder()
    private let stand: Stand
    private let clock = SimulatedClock()
    let one = BandDevice("aaaaaaaaaaaaaaaa")
    let two = BandDevice("bbbbbbbbbbbbbbbb")
    let marks = Array("marks".utf8)
    var sum: Digest { SHA256.digest(of: marks) }
    let canList: Bool

    init(_ kind: CarrierKind) async throws {
        switch kind {
        case .folder:
            try Folder.create(files.path("band"))
            (stand, canList) = (.folder(files.path("band")), true)
        case .server: (stand, canList) = (.memory(MemoryPlace(canList: true)), true)
        case .serverThatListsNothing: (stand, canList) = (.memory(MemoryPlace(canList: false)), false)
        case .webDAV:
            let store = FakeStore("https://example.org/dav/band", hasFolders: true)
            (stand, canList) = (.store(store, try StorageAddress("https://example.org/dav/band/")), false)
        case .s3:
            let store = FakeStore("https://example.org/bucket/band", hasFolders: false)
            (stand, canList) = (.store(store, try StorageAddress("s3://bucket/band", endpoint: "https://example.org")), false)
        case .real(let kind): (stand, canList) = (.real(try await RealPlace(kind)), false)
        }
        let marker = BandMarker(id: one, name: "Harmony").bytes
        switch stand {
        case .folder, .memory: break
        case .store, .real: try await set(marker, at: BandPath.marker)
        }
    }

    /// A new carrier each time, as after a restart.
    func carrier() -> any BandCarrier {
        switch stand {
        case .folder(let path): FolderCarrier(path, side: SideThread(inline: true))
        case .memory(let place): MemoryCarrier(place)
        case .store(let store, let address): StorageCarrier(address, transport: store, time: clock, side: SideThread(inline: true))
        case .real(let place): place.carrier(time: clock)
        }
    }

    /// Writes or removes a file, as another program would.
    func set(_ bytes: [UInt8]?, at path: String) async throws {
        switch stand {
        case .folder(let place):
            if let bytes { try FileTree.write(bytes, to: "\(place)/\(path)") } else { unlink("\(place)/\(path)") }
        case .memory(let place): place.files[path] = bytes
        case .store(let store, _): store.set(bytes, at: path)
        case .real(let place): try await place.set(bytes, at: path)
        }
    }

    func set(_ text: String, at path: String) async throws { try await set(Array(text.utf8), at: path) }

    func bytes(at path: String) async throws -> [UInt8]? {
        switch stand {
        case .folder(let place): FileTree.read("\(place)/\(path)")
        case .memory(let place): place.files[path]
        case .store(let store, _): store.files[path]
        case .real(let place): try await place.bytes(at: path)
        }
    }

    /// Skips a day: after a request has failed, a carrier does not send it again each time that it is asked.
    func later() { clock.skip(.seconds(86_400)) }

    func setAway(_ isAway: Bool) async throws {
        switch stand {
        case .folder(let place): if isAway { rename(place, place + ".unmounted") } else { rename(place + ".unmounted", place) }
        case .memory(let place): place.isAway = isAway
        case .store(let store, _): store.isAway = isAway
        case .real(let place): if isAway { await place.server.kill() } else { try await place.server.restart() }
        }
    }

    /// Whether a folder was made in place of the missing one.
    var isHaunted: Bool { if case .folder(let place) = stand { FileTree.isThere(place) } else { false } }

    /// Makes writes fail, and returns a path for one. A real disk cannot be filled here; instead, the path's name is too long.
    func fill() throws -> String {
        switch stand {
        case .memory(let place): place.isFull = true
        case .store(let store, _): store.isFull = true
        case .folder, .real: return "d/\(one)/head\(String(repeating: "x", count: 300)).json"
        }
        return BandPath.head(of: one)
    }
}
