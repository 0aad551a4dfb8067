import BandLayout
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport

/// A band of a few people whose folder has weather, and what is to be so when it is quiet.
@LoopActor
final class BandSimulation {
    private var random: SeededGenerator
    private let folder = TemporaryFolder()
    private let weather = Weather()
    private var players: [Player] = []
    /// What each device said, with the counter of its head; first nothing. Two may write as one for a while, and use a counter twice.
    private var said: [BandDevice: [(counter: Int, marks: Musician.Marks)]] = [:]
    /// The least counter of a word that can have been seen last, by who saw it, of which device, chart and layer.
    private var seen: [[String]: Int] = [:]
    /// The devices in the order in which they were first heard of, and whose they are.
    private var devices: [(device: BandDevice, name: String)] = []
    private var restorations: [String: Int] = [:]
    /// Who are devices of one musician, by their names; and who was sold, and never wakes again.
    private var people: [Set<String>] = []
    private var sold: Set<String> = []
    /// What was drawn on each device and shared with its last word.
    private var drawn: [BandDevice: (counter: Int, layers: [String: JoinedLayer])] = [:]
    private var marks = 0
    private(set) var complaints: [String] = []
    private(set) var story: [String] = []

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

    private func add(_ player: Player) throws {
        players.append(player)
        _ = weather.add(player.place)
        player.wrote = { [weak self, unowned player] path, bytes in self?.note(player, path, bytes) }
    }

    func close() { for player in players { player.close() } }

    // MARK: - What is written

    private func note(_ player: Player, _ path: String, _ bytes: [UInt8]?) {
        weather.wrote(in: player.place, path, bytes)
        let ids = HomeID(in: player.data).all
        // What is taken back is taken out of the place on all devices of one musician.
        let others = players.filter { person(of: player)?.contains($0.name) == true && $0 !== player }
        if bytes == nil, others.contains(where: { path.hasPrefix(BandPath.folder(of: $0.device) + "/o-") }) { return }
        guard let device = path.split(separator: "/").dropFirst().first.flatMap({ BandDevice(checking: $0) }), ids.contains(device.text)
        else {
            return complaints.append("\(player.name), who is \(player.device), wrote \(path)")
        }
        if person(of: player) != nil { player.followShares() }
        // What it was before says nothing more but that it left.
        guard device == player.device else {
            guard path == BandPath.head(of: device), let bytes, let head = try? BandHead.read(bytes).head else { return }
            story.append("\(player.name) has \(devices.firstIndex { $0.device == device } ?? -1) + 1 say \(head.counter): left")
            if !head.hasLeft { complaints.append("\(player.name) spoke as it was before") }
            return said[device, default: [(0, [:])]].append((head.counter, [:]))
        }
        if let known = devices.first(where: { $0.device == device }) {
            if known.name != player.name { complaints.append("\(player.name) wrote as \(known.name) does: \(path)") }
        } else {
            devices.append((device, player.name))
        }
        guard path == BandPath.head(of: device), let bytes, let head = try? BandHead.read(bytes).head else { return }
        let marks = head.hasLeft ? [:] : player.musician.shared
        if head.counter > drawn[device]?.counter ?? 0 { drawn[device] = (head.counter, player.sharedLayers()) }
        story.append("\(player.name) says \(head.counter) as \(devices.count): \(marks.mapValues(\.count))\(head.hasLeft ? ", left" : "")")
        said[device, default: [(0, [:])]].append((head.counter, marks))
    }

    /// What the others are to show of a device in the end: what it said last.
    private func last(_ device: BandDevice) -> [Musician.Marks] {
        let all = said[device] ?? [(0, [:])]
        let counter = all.map(\.counter).max()
        return all.filter { $0.counter == counter }.map(\.marks)
    }

    // MARK: - What happens

    func run() async throws {
        for _ in 0..<Int.random(in: 20...60, using: &random) {
            try weather.blow(&random)
            for player in players where !sold.contains(player.name) {
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
        try await calm()
        try check()
    }

    private func act(_ player: Player) throws {
        let chart = Player.charts.randomElement(using: &random) ?? ""
        let mine = (player.musician.marks[chart] ?? [:]).keys.sorted()
        let x = Double(Int.random(in: 1...9, using: &random)) / 10
        switch Int.random(in: 0..<16, using: &random) {
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
        default:
            if player.musician.hasLeft {
                try player.setLeft(false)
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                try player.setLeft(true)
            }
        }
    }

    private func disturb() throws {
        guard let player = players.filter({ !sold.contains($0.name) }).randomElement(using: &random) else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: if Bool.random(using: &random) { player.carrier.isFull.toggle() } else { player.carrier.losesAnswers.toggle() }
        case 1, 2:
            let years = Duration.seconds(10 * 365 * 86_400)
            player.clock.wallTimeAtStart += Bool.random(using: &random) ? years : .zero - years
        case 3: try player.backUp()
        case 4...6:
            // Who becomes another device has to be named anew.
            guard let player = players.filter({ $0.hasBackup && person(of: $0) == nil }).randomElement(using: &random) else {
                return try player.backUp()
            }
            story.append("\(player.name) is restored")
            restorations[player.name, default: 0] += 1
            // Who lost what it knows, and of whom nothing is left in the place, cannot know what it said.
            try weather.shelter(BandPath.head(of: player.device), in: player.place)
            try player.restore(isWhole: Bool.random(using: &random))
            seen = seen.filter { $0.key[0] != player.name }
        case 7:
            // One of several, which the others still speak for.
            guard let person = person(of: player), person.subtracting(sold).count > 1 else { return }
            story.append("\(player.name) is sold")
            sold.insert(player.name)
        default:
            guard players.count < 6, person(of: player) == nil, FileTree.isThere(player.place + "/team.json") else { return }
            story.append("\(player.name) is copied")
            let name = ["Finn", "Gus", "Hanna", "Ida"].first { name in !players.contains { $0.name == name } } ?? ""
            try FileTree.copy(player.place, to: folder.path("\(name)/band"))
            try add(player.clone(name, data: folder.path("\(name)/data"), place: folder.path("\(name)/band")))
            guard Bool.random(using: &random) else { return }
            story.append("\(name) and \(player.name) are one musician's")
            let other = players[players.count - 1]
            try player.library.band.setKin(other.device, true)
            try other.library.band.setKin(player.device, true)
            people.append([name, player.name])
        }
    }

    // MARK: - What is so in the end

    /// The devices of this one's musician, if there are several.
    private func person(of player: Player) -> Set<String>? { people.first { $0.contains(player.name) } }

    /// Until nothing comes of a look any more, an hour later neither.
    private func calm() async throws {
        story.append("it is quiet")
        for player in players {
            (player.carrier.isFull, player.carrier.losesAnswers) = (false, false)
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
                for player in players where !sold.contains(player.name) {
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

    /// At any time, what is shown of a layer is what its owner said of it once, and nothing older than what was shown before.
    private func watch(_ player: Player) throws {
        try followLeave(player)
        // Whoever left sees nothing, and begins anew.
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

    /// Whoever left on a device that was made from this one, or before this one was put back, left.
    private func followLeave(_ player: Player) throws {
        guard try player.library.band.shares().haveEnded, !player.musician.hasLeft else { return }
        let left = HomeID(in: player.data).all.flatMap { said[BandDevice($0)] ?? [] }
        story.append("\(player.name) leaves, too")
        if !left.contains(where: { $0.marks.isEmpty && $0.counter > 0 }) { complaints.append("\(player.name) left for no reason") }
        player.noteLeft()
    }

    private func check() throws {
        for player in players where !sold.contains(player.name) {
            if person(of: player) != nil { player.followShares() } else { try followLeave(player) }
        }
        try checkPeople()
        complaints += weather.complaints
        for player in players where !sold.contains(player.name) {
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
                // Whoever left sees nothing, and nobody what they shared themselves.
                let isBlank = player.musician.hasLeft || own.contains(device.text)
                let (shown, should) = (try player.shown(of: device), isBlank ? [[:]] : last(device))
                if !should.contains(shown) {
                    let number = devices.firstIndex { $0.device == device } ?? 0
                    complaints.append("\(player.name) shows of \(name) (\(number + 1)) \(shown), who said \(should)")
                }
            }
        }
    }

    /// To all others, the devices of one musician are one: what was drawn on any of them is there, and nothing that was erased, or taken back,
    /// though the device that says otherwise was sold.
    private func checkPeople() throws {
        for names in people {
            let own = players.filter { names.contains($0.name) }
            guard let living = own.first(where: { !sold.contains($0.name) }) else { continue }
            let shares = try living.library.band.shares()
            for player in players where !sold.contains(player.name) {
                for chart in Player.charts {
                    let ids = HomeID(in: player.data).all
                    let others = own.filter { !ids.contains($0.device.text) }
                    func places(_ players: [Player]) -> [String: Double] {
                        Player.places(players.reduce(into: JoinedLayer()) { $0.join(drawn[$1.device]?.layers[chart] ?? JoinedLayer()) })
                    }
                    let isBlank = names.contains(player.name) || player.musician.hasLeft || !shares.include(AttachmentID(chart))
                    let should = isBlank ? [:] : places(others)
                    // What was taken back once is out of the place: whoever was sold does not put it there again.
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
}
