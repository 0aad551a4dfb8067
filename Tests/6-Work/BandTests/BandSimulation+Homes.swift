import Band
import BandLayout
import Catalogue
import LayerJoin
import Library
import Model
import Platform
import TestSupport

/// Events on the devices: misbehaving places, wrong clocks, restored backups, and homes that are copied or moved to other machines.
extension BandSimulation {
    func disturb() throws {
        guard let player = awake.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<13, using: &random) {
        case 0:
            switch Int.random(in: 0..<4, using: &random) {
            case 0: player.carrier.isFull.toggle()
            case 1: player.carrier.losesAnswers.toggle()
            default:
                player.carrier.mood = WatchedCarrier.Mood.allCases.randomElement(using: &random) ?? .honest
                story.append("to \(player.name), the place is \(player.carrier.mood)")
            }
        case 1, 2:
            let years = Duration.seconds(10 * 365 * 86_400)
            player.clock.wallTimeAtStart += Bool.random(using: &random) ? years : .zero - years
        case 3: try player.backUp()
        case 4...6:
            // A restored device may become another one, which its musician would have to name again. So only musicians with a
            // single device are restored.
            guard let player = awake.filter({ $0.hasBackup && person(of: $0) == nil }).randomElement(using: &random) else {
                return try player.backUp()
            }
            story.append("\(player.name) is restored")
            restorations[player.name, default: 0] += 1
            // A device that lost its data can find its former heads only in the place. So its last head there is protected until
            // the device has written.
            try weather.shelter(BandPath.head(of: player.device), in: player.place)
            try player.restore(isWhole: Bool.random(using: &random))
            seen = seen.filter { $0.key[0] != player.name }
        case 7:
            // Only a musician with another device sells one, because the other devices still represent the sold device.
            guard let person = person(of: player), person.subtracting(sold).count > 1 else { return }
            // Until a device has reported its musician's other devices, they do not represent it.
            guard try player.writer.word.own()?.head.kin.isEmpty == false else { return }
            story.append("\(player.name) is sold")
            sold.insert(player.name)
        case 8: try copy(player)
        case 9: try move(player)
        case 10:
            guard let name = resting.sorted().randomElement(using: &random) else { return try move(player) }
            wake(name)
        default:
            (player.disk.queue.isSlow, player.disk.queue.showsOwn) = (!player.disk.queue.isSlow, Bool.random(using: &random))
            story.append("the disk of \(player.name) is \(player.disk.queue.isSlow ? "slow" : "as fast as it was")")
        }
    }

    // MARK: - Other machines

    /// Gives another laptop a home made from this one, with a replica of its own.
    private func newLaptop(for player: Player, _ way: Player.Way) throws -> Player? {
        let names = ["Finn", "Gus", "Hanna", "Ida", "Jon"]
        let free = names.first { name in !players.contains { $0.name == name } }
        guard let name = free, FileTree.isThere(player.place + "/team.json") else { return nil }
        try FileTree.copy(player.place, to: folder.path("\(name)/band"))
        let other = try player.clone(name, data: folder.path("\(name)/data"), place: folder.path("\(name)/band"), way)
        try add(other)
        return other
    }

    private func copy(_ player: Player) throws {
        let way = Bool.random(using: &random) ? Player.Way.copied : .archivedAsCopy
        guard awake.count < 6, person(of: player) == nil, let other = try newLaptop(for: player, way) else { return }
        story.append("\(player.name) is \(way): \(other.name)")
        if other.device == player.device { complaints.append("\(other.name), a copy of \(player.name), is the same device") }
        guard Bool.random(using: &random) else { return }
        story.append("\(other.name) and \(player.name) are one musician's")
        try player.library.band.setKin(other.device, true)
        try other.library.band.setKin(player.device, true)
        people.append([other.name, player.name])
    }

    /// Moves the home to another laptop, as the same device. This laptop stays off until somebody switches it on.
    private func move(_ player: Player) throws {
        // Only one former laptop at a time can find out that its home was moved.
        let (device, isOwner) = (player.device, movedOn[player.name] != player.device)
        guard isOwner, let other = try newLaptop(for: player, .moved) else { return }
        story.append("\(player.name) is moved: \(other.name)")
        if other.device != device { complaints.append("\(other.name), to which \(player.name) was moved, is another device") }
        (movedOn[player.name], resting) = (device, resting.union([player.name]))
        for index in devices.indices where devices[index].device == device { devices[index].name = other.name }
        for index in people.indices where people[index].remove(player.name) != nil { people[index].insert(other.name) }
    }

    func wake(_ name: String) {
        story.append("\(name) is switched on again")
        resting.remove(name)
    }
}
