import Annotations
public import BandLayout
import Catalogue
public import Library
public import Marks
public import Model
public import Platform

/// Writes what this device says to its band: below its own id, and only if it says anything new.
@LoopActor
public final class BandWriter {
    private let library: Library
    private let carrier: any BandCarrier
    private let reader: BandReader
    private let home: HomeID
    private let person: String
    private let name: String
    private let time: any TimeKeeper
    private let log: Log
    private let side: SideThread
    /// The objects of each chart as they were last made; a song may have one for each key.
    private var made: [AttachmentID: [ChartHash: (state: String, layers: [Made])]] = [:]

    /// Why layers are not shared, in sentences.
    private var tooLarge: [BandStore.OwnChart: [String]] = [:]
    public var complaints: [String] { tooLarge.values.joined().sorted() }

    /// When this device lately became another one.
    private var renewals: [Moment] = []
    private static let mostRenewals = 3

    /// Which objects are in the place, as far as that is known.
    private var listed: Listed?
    private var isInDoubt = true
    /// The last object that was looked for in a place that cannot be listed.
    private var lookedFor = ""

    private struct Listed {
        let device: BandDevice
        /// Those that were wanted when they were listed.
        let wanted: Set<Digest>
        let at: Moment
        /// With their lengths. What was written and removed since is considered.
        var objects: [Digest: Int]
        /// Whether there are no others; not known of a place that cannot be listed.
        let areAll: Bool
    }

    private struct Made: Hashable, Sendable {
        let id: String
        let name: String
        let chart: ChartHash
        let object: Digest
        let length: Int
    }

    public init(
        library: Library, carrier: any BandCarrier, reader: BandReader, home: HomeID, person: String, name: String,
        time: any TimeKeeper, log: Log, side: SideThread = SideThread()
    ) {
        (self.library, self.carrier, self.reader, self.home) = (library, carrier, reader, home)
        (self.person, self.name, self.time, self.log, self.side) = (person, name, time, log, side)
    }

    private var hasNewDoor = false
    /// Whether this device put itself at the door since this was asked last: somebody else may have done so at the same time.
    public func takeNewDoor() -> Bool {
        defer { hasNewDoor = false }
        return hasNewDoor
    }

    /// Has the next word look for this device's objects in the place: somebody may have removed some.
    public func doubtOwn() { isInDoubt = true }

    private var now: Timestamp { time.timestamp }

    /// Writes what is new, after a look that found the place. Returns whether anything was.
    public func write(_ readiness: [BandHead.Readiness], asOf: Timestamp? = nil) async throws -> Bool {
        guard let team = reader.team else { return false }
        var own = try library.band.own()
        if own?.team != team.id { own = nil }
        var device = BandDevice(home.current)
        if own?.head.device != device { own = nil }
        if isWrittenByOthers(own, device) {
            renewals = renewals.filter { time.now - $0 < .seconds(3600) } + [time.now]
            guard renewals.count <= Self.mostRenewals else {
                throw BandTrouble(
                    "somebody writes again and again into this device's folder (\(BandPath.folder(of: device)) in \(carrier.place)); nothing "
                        + "is said there for an hour. Find out who may write there")
            }
            home.renew(from: device.text)
            device = BandDevice(home.current)
            own = nil
            log.warning(
                "somebody else writes to the band as this device did: another home that was copied or restored, or whoever changed its files "
                    + "there; from now on this is a new device there, and says everything again")
        }
        if try library.band.shares().haveEnded {
            // Who never said anything has nothing to take back.
            guard let own else { return false }
            return try await takeLeave(own, to: team.id)
        }
        var head = BandHead(
            device: device, counter: (own?.head.counter ?? 0) + 1, person: person, name: name, roster: try library.band.devices(),
            readiness: readiness, asOf: asOf)
        let wanted = try await objects()
        let former = Dictionary((own?.head.layers ?? []).map { ($0.id, $0) }) { first, _ in first }
        head.layers = wanted.map { layer in
            let same = former[layer.made.id].flatMap { $0.object == layer.made.object ? $0 : nil }
            return BandHead.Layer(
                id: layer.made.id, name: layer.made.name, chart: layer.made.chart, title: layer.title, object: layer.made.object,
                length: layer.made.length, since: same?.since ?? head.counter)
        }
        let isInPlace = own.map { reader.inPlace == $0.sum } ?? false
        let objects = Set(wanted.map(\.made.object))
        if let present = try await list(of: device, wanted: objects, saidInPlace: isInPlace ? own?.head : nil) {
            let named = objects.union((own?.head.layers ?? []).map(\.object))
            try library.band.drop(present.keys.filter { !named.contains($0) }, at: now)
        }
        var isNew = try await putObjects(wanted, of: device)
        try await removeDropped(of: device, but: objects)
        if own == nil || !isInPlace || own?.head.says(theSameAs: head) == false {
            try await put(head, to: team.id)
            isNew = true
        }
        if let door = try reader.doorToWrite(for: device) {
            try await carrier.put(door.bytes, as: BandPath.door)
            hasNewDoor = true
        }
        return isNew
    }

    /// Tells that this device takes no part any more, and takes its marks away: as often as it takes, for the disk may be full meanwhile.
    /// Returns whether there was anything to do.
    private func takeLeave(_ own: BandStore.Own, to team: BandDevice) async throws -> Bool {
        let device = own.head.device
        let isSaid = own.head.hasLeft && reader.inPlace == own.sum
        if !isSaid {
            try await put(
                BandHead(
                    device: device, counter: own.head.counter + 1, person: person, name: name, hasLeft: true,
                    roster: try library.band.devices()), to: team)
        }
        let dropped = try library.band.dropped()
        try await list(of: device, wanted: [], saidInPlace: isSaid ? own.head : nil)
        let left = Set(listed?.objects.keys.map { $0 } ?? []).union(listed?.areAll == true ? [] : dropped)
        for object in left.sorted(by: { $0.hex < $1.hex }) { try await remove(object, of: device) }
        for object in dropped { try library.band.forget(dropped: object) }
        return !isSaid || !left.isEmpty
    }

    private func put(_ head: BandHead, to team: BandDevice) async throws {
        let bytes = head.bytes
        let sum = try BandHead.read(bytes).sum
        try library.band.note(own: head, sum: sum, to: team, at: now)
        try await carrier.put(bytes, as: BandPath.head(of: head.device))
        reader.noteOwn(head.device, head.counter, sum)
    }

    /// Whether somebody else writes under this device's id: its head in the place is one that it never wrote.
    private func isWrittenByOthers(_ own: BandStore.Own?, _ device: BandDevice) -> Bool {
        guard let found = reader.own, found.device == device else { return false }
        guard let own else { return true }
        return found.counter > own.head.counter || found.counter == own.head.counter && found.sum != own.sum
    }

    // MARK: - Objects

    /// What is shared, chart by chart.
    private func objects() async throws -> [(made: Made, title: String, chart: BandStore.OwnChart)] {
        var all: [(Made, String, BandStore.OwnChart)] = []
        let charts = try library.band.sharedCharts()
        tooLarge = tooLarge.filter { charts.contains($0.key) }
        for chart in charts {
            let title = try library.band.title(of: chart.attachment)
            for layer in try await make(chart).layers { all.append((layer, title, chart)) }
        }
        // A song that is drawn in two keys has the same marks in both.
        var seen: Set<String> = []
        return all.filter { seen.insert($0.0.id).inserted }
    }

    private func make(_ chart: BandStore.OwnChart) async throws -> (state: String, layers: [Made]) {
        let state = try state(of: chart)
        if let known = made[chart.attachment]?[chart.hash], known.state == state { return known }
        // Others draw a song with their own fonts, and in their own keys: how it is laid out is the same for all.
        let drawn = try library.songs.layout(of: chart.hash).map(ChartHash.init) ?? chart.hash
        let layers = try await bytes(of: chart).map { layer, bytes in
            Made(
                id: Self.id(of: layer, on: chart.attachment, drawn), name: layer.path.isEmpty ? LayerDocument.ownName : layer.name,
                chart: drawn,
                object: SHA256.digest(of: bytes), length: bytes.count)
        }
        made[chart.attachment, default: [:]][chart.hash] = (state, layers)
        return (state, layers)
    }

    private func state(of chart: BandStore.OwnChart) throws(LibraryError) -> String {
        let hidden = try library.drawings.hiddenLayers(of: chart.attachment).map(\.text).sorted()
        return ([chart.hash.digest.hex, chart.state] + hidden).joined(separator: "\n")
    }

    private func bytes(of chart: BandStore.OwnChart) async throws -> [(layer: BandStore.OwnLayer, bytes: [UInt8])] {
        let hidden = try library.drawings.hiddenLayers(of: chart.attachment)
        let layers = try library.band.ownLayers(on: chart, hiding: hidden)
        let written = await side.run { layers.compactMap { layer in BandObject.write(layer, on: chart).map { (layer, $0) } } }
        let title = try library.band.title(of: chart.attachment)
        tooLarge[chart] = written.filter { $1.count > BandStore.longestObject }.map { layer, bytes in
            "the band does not get \(layer.path.isEmpty ? "what you drew on \(title)" : layer.path): it is larger than "
                + "\(BandStore.longestObject >> 10) KB; delete what you no longer need"
        }
        return written.filter { $1.count <= BandStore.longestObject }
    }

    private static func id(of layer: BandStore.OwnLayer, on attachment: AttachmentID, _ chart: ChartHash) -> String {
        String(SHA256.digest(of: [attachment.text, chart.digest.hex, layer.path].joined(separator: "\n")).hex.prefix(16))
    }

    /// Lists the objects that are in the place, if they may be others than those that are known: that takes long in a folder on a network.
    /// Where nothing can be listed, what this device `saidInPlace` is believed, and a few objects are looked for each time. Returns `nil` if
    /// they were not listed.
    @discardableResult
    private func list(of device: BandDevice, wanted: Set<Digest>, saidInPlace head: BandHead?) async throws -> [Digest: Int]? {
        let known = listed.flatMap { $0.device == device ? $0 : nil }
        let isSame = known.map { $0.wanted == wanted || !$0.areAll } ?? false
        if let known, head != nil, !isInDoubt, isSame, time.now - known.at < Self.listedAgainAfter { return nil }
        let others = head == nil ? [:] : isInDoubt ? nil : known?.objects
        // What is in doubt from now on is so after this listing, too.
        isInDoubt = false
        do {
            let present = try await carrier.objects(of: device)
            let said = Dictionary((head?.layers ?? []).map { ($0.object, $0.length) }) { first, _ in first }
            listed = Listed(
                device: device, wanted: wanted, at: time.now, objects: present ?? doubtingSome(others ?? said), areAll: present != nil)
            return present
        } catch {
            isInDoubt = true
            throw error
        }
    }

    /// Without those that are to be looked for now.
    private func doubtingSome(_ objects: [Digest: Int]) -> [Digest: Int] {
        let order = objects.keys.sorted { $0.hex < $1.hex }
        let start = order.firstIndex { $0.hex > lookedFor } ?? 0
        let some = order[start...].prefix(Self.lookedForAtATime)
        lookedFor = some.last?.hex ?? ""
        return objects.filter { !some.contains($0.key) }
    }

    /// Puts the objects that are not in the place, so that they are there before the head that names them. Returns whether there were any.
    private func putObjects(
        _ wanted: [(made: Made, title: String, chart: BandStore.OwnChart)], of device: BandDevice
    ) async throws -> Bool {
        let present = listed?.objects ?? [:]
        // One that somebody cut short is written again.
        let missing = wanted.filter { present[$0.made.object] != $0.made.length }
        let charts = Dictionary(grouping: missing, by: \.chart)
        for (chart, layers) in charts.sorted(by: { ($0.key.attachment, $0.key.hash) < ($1.key.attachment, $1.key.hash) }) {
            let objects = Set(layers.map(\.made.object))
            for (_, bytes) in try await bytes(of: chart) {
                let sum = SHA256.digest(of: bytes)
                guard objects.contains(sum) else { continue }
                try await carrier.put(bytes, as: BandPath.object(sum, of: device))
                listed?.objects[sum] = bytes.count
            }
        }
        return !missing.isEmpty
    }

    /// Nobody needs them any more: whoever has an old head gets a new one before.
    private func removeDropped(of device: BandDevice, but wanted: Set<Digest>) async throws {
        for object in try library.band.dropped(before: now - Self.keptAfterDropping) where !wanted.contains(object) {
            try await remove(object, of: device)
            try library.band.forget(dropped: object)
        }
    }

    private func remove(_ object: Digest, of device: BandDevice) async throws {
        try await carrier.remove(BandPath.object(object, of: device))
        listed?.objects[object] = nil
    }

    private static let keptAfterDropping: Duration = .seconds(2 * 86_400)
    private static let listedAgainAfter: Duration = .seconds(3600)
    private static let lookedForAtATime = 20
}
