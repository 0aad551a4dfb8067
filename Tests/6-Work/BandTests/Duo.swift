import BandLayout
import Model
import Platform
import TestSupport
import Testing

/// Two members of a band who use the same folder, as on a server: nothing arrives late.
@LoopActor
final class Duo {
    let folder = TemporaryFolder()
    let anna: Player
    let ben: Player
    /// The files that Anna wrote, or removed with `nil`, in order.
    private(set) var written: [(path: String, bytes: [UInt8]?)] = []

    init() throws {
        try Player.prepare(folder.path("anna"))
        try FileTree.copy(folder.path("anna"), to: folder.path("ben"))
        anna = try Player("Anna", data: folder.path("anna"), place: folder.path("band"))
        ben = try Player("Ben", data: folder.path("ben"), place: folder.path("band"))
        try FileTree.write(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, to: folder.path("band/team.json"))
        anna.wrote = { [weak self] path, bytes in self?.written.append((path, bytes)) }
    }

    /// Anna draws or erases a mark and shares all her marks, and both read the band.
    func draw(_ mark: String, at x: Double? = 0.5) async throws {
        try anna.edit(mark, on: "1a", x: x)
        if !anna.musician.sharesAll { try anna.shareAll(true) }
        try await look()
    }

    func look() async throws {
        _ = try await anna.round()
        _ = try await ben.round()
    }

    /// Anna's marks, as Ben sees them.
    var seen: Musician.Marks { get throws { try ben.shown(of: anna.device) } }

    /// The path of one of Anna's files.
    func path(_ name: String) -> String { folder.path("band/d/\(anna.device)/\(name)") }

    /// Anna's head, as it is in the place.
    var said: BandHead {
        get throws {
            let bytes = try #require(FileTree.read(path("head.json")))
            return try BandHead.read(bytes).head
        }
    }

    func names() throws -> [String] { try Folder.names(in: path("")).sorted() }

    func end() {
        anna.close()
        ben.close()
    }
}
