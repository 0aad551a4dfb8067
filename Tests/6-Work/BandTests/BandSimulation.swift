import BandLayout
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport

/// A band of a few people whose folder suffers from `Weather`, and the state that it must reach once everything has settled.
@LoopActor
final class BandSimulation {
    var random: SeededGenerator
    let folder = TemporaryFolder()
    let weather = Weather()
    var players: [Player] = []
    /// The counter and the marks of each head that a device has written. Two homes may act as one device for a while, and then use the
    /// same counter twice. Each list begins with counter 0 and no marks.
    var said: [BandDevice: [(counter: Int, marks: Musician.Marks)]] = [:]
    /// The lowest counter that a head can have without being older than the marks that the reader already saw; by reader, device,
    /// chart and layer.
    var seen: [[String]: Int] = [:]
    /// The devices in the order in which they first appeared, and their owners.
    var devices: [(device: BandDevice, name: String)] = []
    var restorations: [String: Int] = [:]
    /// The players that are devices of one musician, in groups; and the players whose devices were sold, which never run again.
    var people: [Set<String>] = []
    var sold: Set<String> = []
    /// Laptops whose homes were moved to another laptop, each with its device at that time; and those of them that are switched off.
    var movedOn: [String: BandDevice] = [:]
    var resting: Set<String> = []
    /// The players that have written as their devices. From these writes, a former home detects that it was moved.
    var hasSpoken: Set<String> = []
    /// The marks that were drawn on each device and shared with its last head.
    var drawn: [BandDevice: (counter: Int, layers: [String: JoinedLayer])] = [:]
    var marks = 0
    var complaints: [String] = []
    var story: [String] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let template = folder.path("template")
        try Player.prepare(template)
        for name in ["Anna", "Ben", "Cleo", "Dan", "Eve"].prefix(Int.random(in: 2...5, using: &random)) {
            try FileTree.copy(template, to: folder.path("\(name)/data"))
            try add(Player(name, data: folder.path("\(name)/data"), place: folder.path("\(name)/band")))
        }
        let marker = BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony")
        for player in players { try FileTree.write(marker.bytes, to: "\(player.place)/team.json") }
        weather.wrote(in: players[0].place, BandPath.marker, marker.bytes)
    }

    func add(_ player: Player) throws {
        players.append(player)
        // Note the band's id, as a newcomer does who has read which band the place belongs to.
        try player.library.band.note(team: BandDevice("bandbandbandband"))
        _ = weather.add(player.place)
        player.wrote = { [weak self, unowned player] path, bytes in self?.note(player, path, bytes) }
        player.disk.queue.arrived = { [weak self, unowned player] path, bytes in self?.weather.wrote(in: player.place, path, bytes) }
    }

    func close() { for player in players { player.close() } }

    // MARK: - Writes

    private func note(_ player: Player, _ path: String, _ bytes: [UInt8]?) {
        let ids = HomeID(in: player.data).all
        let isFormer = movedOn[player.name] == player.device
        // A musician's device may remove withdrawn marks from the folders of the musician's other devices.
        let person = person(of: player) ?? (isFormer ? people.first { $0.contains(self.owner(of: player)) } : nil)
        let others = players.filter { person?.contains($0.name) == true && $0 !== player }
        if bytes == nil, others.contains(where: { path.hasPrefix(BandPath.folder(of: $0.device) + "/o-") }) { return }
        guard let device = path.split(separator: "/").dropFirst().first.flatMap({ BandDevice(checking: $0) }), ids.contains(device.text)
        else {
            return complaints.append("\(player.name), who is \(player.device), wrote \(path)")
        }
        if follows(player) { player.followShares() }
        // In the name of its former device, a home only states that it left.
        guard device == player.device else {
            guard path == BandPath.head(of: device), let bytes, let head = try? BandHead.read(bytes).head else { return }
            story.append("\(player.name) has \(number(device)) say \(head.counter): left")
            if !head.hasLeft { complaints.append("\(player.name) spoke as it was before") }
            return said[device, default: [(0, [:])]].append((head.counter, [:]))
        }
        let owner = self.owner(of: player)
        hasSpoken.insert(player.name)
        if let known = devices.first(where: { $0.device == device }) {
            if known.name != owner { complaints.append("\(player.name) wrote as \(known.name) does: \(path)") }
        } else {
            devices.append((device, owner))
        }
        guard path == BandPath.head(of: device), let bytes, let head = try? BandHead.read(bytes).head else { return }
        let marks = head.hasLeft ? [:] : player.musician.shared
        if head.counter > drawn[device]?.counter ?? 0 { drawn[device] = (head.counter, player.sharedLayers()) }
        story.append("\(player.name) says \(head.counter) as \(number(device)): \(marks.mapValues(\.count))\(head.hasLeft ? ", left" : "")")
        said[device, default: [(0, [:])]].append((head.counter, marks))
    }

    func number(_ device: BandDevice) -> Int { (devices.firstIndex { $0.device == device } ?? -1) + 1 }

    /// The owner of the device that this laptop writes as: until the laptop detects that its home was moved, it writes as the new
    /// laptop's device.
    private func owner(of player: Player) -> String {
        guard movedOn[player.name] == player.device else { return player.name }
        let all = players.filter { $0.device == player.device && movedOn[$0.name] != $0.device }
        return all.last?.name ?? player.name
    }

    /// The marks of a device's last head, which the others must show in the end; several sets if two homes used the same counter.
    func last(_ device: BandDevice) -> [Musician.Marks] {
        let all = said[device] ?? [(0, [:])]
        let counter = all.map(\.counter).max()
        return all.filter { $0.counter == counter }.map(\.marks)
    }

    // MARK: - Events

    func run() async throws {
        for _ in 0..<Int.random(in: 20...60, using: &random) {
            try weather.blow(&random)
            for player in awake {
                try await player.disk.catchUp(SeededGenerator(seed: UInt64.random(in: 0...(.max), using: &random)))
                player.clock.skip(.seconds(Int.random(in: 0...900, using: &random)))
                if Int.random(in: 0..<3, using: &random) == 0 { try act(player) }
                if Bool.random(using: &random) {
                    _ = try await player.round()
                    try watch(player)
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 { try disturb() }
            if Int.random(in: 0..<8, using: &random) == 0 {
                try weather.meddle(&random, in: players.map { BandPath.folder(of: $0.device) })
            }
        }
        for name in resting.sorted() where Bool.random(using: &random) { wake(name) }
        try await calm()
        try welcome()
        try await calm()
        try check()
    }

    /// The devices that are switched on and not sold.
    var awake: [Player] { players.filter { !sold.contains($0.name) && !resting.contains($0.name) } }

    private func act(_ player: Player) throws {
        let chart = Player.charts.randomElement(using: &random) ?? ""
        let mine = (player.musician.marks[chart] ?? [:]).keys.sorted()
        let x = Double(Int.random(in: 1...9, using: &random)) / 10
        switch Int.random(in: 0..<17, using: &random) {
        case 0...4:
            marks += 1
            try player.edit("\(Int.random(in: 0..<4, using: &random) == 0 ? "f" : "m")\(marks)", on: chart, x: x)
        case 5, 6: if let mark = mine.randomElement(using: &random) { try player.edit(mark, on: chart, x: x) }
        case 7, 8: if let mark = mine.randomElement(using: &random) { try player.edit(mark, on: chart, x: nil) }
        case 9, 10: try player.share(chart, true)
        case 11: try player.share(chart, false)
        case 12: try player.shareAll(true)
        case 13: if Int.random(in: 0..<3, using: &random) == 0 { try player.shareAll(false) }
        case 14: try player.restart()
        case 15: if Int.random(in: 0..<3, using: &random) == 0 { try player.library.band.clearFormer() }
        default:
            if player.musician.hasLeft {
                try player.setLeft(false)
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                try player.setLeft(true)
            }
        }
    }
}
