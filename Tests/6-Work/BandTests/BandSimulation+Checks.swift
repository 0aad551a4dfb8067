import BandLayout
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport

/// The conditions that must hold at any time, and those that must hold once everything has settled.
extension BandSimulation {
    // MARK: - In the end

    /// The devices of the player's musician, if there are several.
    func person(of player: Player) -> Set<String>? { people.first { $0.contains(player.name) } }

    /// Whether sharing choices made on another device hold here: this is so if the musician has several devices, and on a home that was
    /// moved to another laptop.
    func follows(_ player: Player) -> Bool { person(of: player) != nil || movedOn[player.name] != nil }

    /// Runs rounds until a round changes nothing. Does the same again after an hour and after two, because some work waits that long.
    func calm() async throws {
        story.append("it is quiet")
        for player in players {
            (player.carrier.isFull, player.carrier.losesAnswers, player.carrier.mood) = (false, false, .honest)
            player.clock.wallTimeAtStart = SimulatedClock().wallTimeAtStart
        }
        for _ in 0..<3 {
            var rounds = 0
            while true {
                var isQuiet = true
                for (device, _) in devices where !players.contains(where: { $0.device == device }) {
                    weather.forgive(BandPath.folder(of: device))
                }
                if try weather.settle() { isQuiet = false }
                for player in players {
                    if try await player.disk.finish() { isQuiet = false }
                }
                for player in awake {
                    if try await player.round() { isQuiet = false }
                }
                rounds += 1
                if isQuiet { break }
                if rounds == 12 { return complaints.append("it never gets quiet") }
            }
            for player in players {
                player.clock.skip(.seconds(3700))
                player.doubt()
            }
        }
    }

    /// A newcomer joins with a copy of another member's replica, including all files that were put aside there.
    func welcome() throws {
        guard let host = awake.randomElement(using: &random) else { return }
        story.append("Zoe joins")
        try FileTree.copy(folder.path("template"), to: folder.path("Zoe/data"))
        try FileTree.copy(host.place, to: folder.path("Zoe/band"))
        try add(Player("Zoe", data: folder.path("Zoe/data"), place: folder.path("Zoe/band")))
    }

    /// Checks that a layer is shown as its owner once had it, and never older than it was shown before.
    func watch(_ player: Player) throws {
        try followLeave(player)
        // A member who left sees nothing, and starts afresh.
        if player.musician.hasLeft { return seen = seen.filter { $0.key.first != player.name } }
        let own = Set(HomeID(in: player.data).all)
        for (number, (device, name)) in devices.enumerated()
        where !own.contains(device.text) && !people.contains(where: { $0.contains(name) }) {
            let shown = try player.shown(of: device)
            for chart in Player.charts {
                for kind in ["m", "f"] {
                    func layer(_ marks: Musician.Marks) -> [String: Double] { (marks[chart] ?? [:]).filter { $0.key.hasPrefix(kind) } }
                    let key = [player.name, device.text, chart, kind]
                    let since = seen[key] ?? 0
                    let words = (said[device] ?? [(0, [:])]).filter { $0.counter >= since && layer($0.marks) == layer(shown) }
                    if words.isEmpty {
                        complaints.append(
                            "\(player.name) shows of \(name) (\(number + 1)) on \(chart) \(layer(shown)), not said since \(since)")
                    }
                    seen[key] = words.map(\.counter).min() ?? since
                }
            }
        }
    }

    /// If the library records that the player has left the band, the simulation follows. Complains unless the player left on a copy of
    /// this device, or on this device before it was restored.
    func followLeave(_ player: Player) throws {
        guard try player.library.band.shares().haveEnded, !player.musician.hasLeft else { return }
        let left = HomeID(in: player.data).all.flatMap { said[BandDevice($0)] ?? [] }
        story.append("\(player.name) leaves, too")
        if !left.contains(where: { $0.marks.isEmpty && $0.counter > 0 }) { complaints.append("\(player.name) left for no reason") }
        player.noteLeft()
    }

    func check() throws {
        for player in awake {
            if follows(player) { player.followShares() } else { try followLeave(player) }
        }
        try checkPeople()
        try checkMoves()
        try checkNewcomer()
        complaints += weather.complaints
        for player in awake {
            let (drawn, should) = (try player.drawn(), player.musician.marks.filter { !$0.value.isEmpty })
            if drawn != should { complaints.append("\(player.name) has \(drawn) and drew \(should)") }
            if devices.count(where: { $0.name == player.name }) > 1 + restorations[player.name, default: 0] {
                complaints.append("\(player.name) became another device for no reason")
            }
            if !weather.isAsWritten(BandPath.head(of: player.device)) { complaints.append("\(player.name)'s word is not in the place") }
            if !last(player.device).contains(player.musician.shared) {
                complaints.append("\(player.name) shares \(player.musician.shared) and said \(last(player.device))")
            }
            let own = Set(HomeID(in: player.data).all)
            for (device, name) in devices where device != player.device && !people.contains(where: { $0.contains(name) }) {
                // A member who left sees nothing, and no member sees their own shared layers.
                let isBlank = player.musician.hasLeft || own.contains(device.text)
                let (shown, should) = (try player.shown(of: device), isBlank ? [[:]] : last(device))
                if !should.contains(shown) {
                    let number = devices.firstIndex { $0.device == device } ?? 0
                    complaints.append("\(player.name) shows of \(name) (\(number + 1)) \(shown), who said \(should)")
                }
            }
        }
    }

    /// The others see a musician's devices as one: they see the marks drawn on any of these devices, but no mark that was erased or
    /// withdrawn, even if a sold device still has that mark.
    func checkPeople() throws {
        for names in people {
            let own = players.filter { names.contains($0.name) }
            guard let living = own.first(where: { !sold.contains($0.name) }) else { continue }
            let shares = try living.library.band.shares()
            for player in awake {
                for chart in Player.charts {
                    let ids = HomeID(in: player.data).all
                    let others = own.filter { !ids.contains($0.device.text) }
                    func places(_ players: [Player]) -> [String: Double] {
                        Player.places(players.reduce(into: JoinedLayer()) { $0.join(drawn[$1.device]?.layers[chart] ?? JoinedLayer()) })
                    }
                    let isBlank = names.contains(player.name) || player.musician.hasLeft || !shares.include(AttachmentID(chart))
                    let should = isBlank ? [:] : places(others)
                    // The marks of sold devices need not be shown: once they were withdrawn, they are gone from the place, and a
                    // sold device does not write them again.
                    let must = isBlank ? [:] : places(others.filter { !sold.contains($0.name) })
                    var shown: [String: Double] = [:]
                    for each in own {
                        for (mark, x) in try player.shown(of: each.device)[chart] ?? [:] where mark.hasPrefix("m") {
                            if shown.updateValue(x, forKey: mark) != nil {
                                complaints.append("\(player.name) shows \(mark) of \(names) twice")
                            }
                        }
                    }
                    let isAllRight = shown.allSatisfy { should[$0.key] == $0.value }
                    if !isAllRight || !must.allSatisfy({ should[$0.key] == nil || shown[$0.key] != nil }) {
                        complaints.append("\(player.name) shows of \(names.sorted()) on \(chart) \(shown), who have \(should)")
                    }
                }
            }
        }
    }

    /// A moved home stays the same device; the former home becomes another device once it has read the moved home's head.
    func checkMoves() throws {
        for player in awake where movedOn[player.name] == player.device {
            let others = awake.filter { $0.device == player.device && $0 !== player && hasSpoken.contains($0.name) }
            // A home that has written nothing since it was switched on cannot have detected the move, and neither can two homes
            // that have both left the band.
            guard let other = others.first, !player.musician.hasLeft || !other.musician.hasLeft else { continue }
            complaints.append("\(player.name) is still the device that \(other.name) is, to which it was moved")
        }
    }

    /// After a member has left, a newcomer finds none of that member's marks, neither shown nor in the place.
    func checkNewcomer() throws {
        guard let newcomer = players.last, newcomer.name == "Zoe" else { return }
        for player in awake where player.musician.hasLeft {
            let isSpoken = said[player.device] != nil
            guard isSpoken else { continue }
            for device in [player.device] where try newcomer.shown(of: device) != [:] {
                complaints.append("\(newcomer.name) is shown marks of \(player.name), whose marks are out")
            }
            let names = (try? Folder.names(in: "\(newcomer.place)/\(BandPath.folder(of: player.device))")) ?? []
            // Look only for the usual names of objects: a copy that a sync program put aside in only one replica is not removed
            // from another.
            if names.contains(where: { $0.wholeMatch(of: /o-[0-9a-f]{64}\.json/) != nil }) {
                complaints.append("\(newcomer.name) finds \(names) of \(player.name), whose marks are out")
            }
        }
    }
}
