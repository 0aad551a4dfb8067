import Annotations
public import BandLayout
public import Catalogue
public import Library
public import Model
public import Platform
import Sets

/// Writes this device's files in the band's place: in a folder with its id, and only if something is new.
@LoopActor
public final class BandWriter {
    let library: Library
    public let word: BandWordStore
    private let carrier: any BandCarrier
    private let reader: BandReader
    private let home: HomeID
    private let person: String
    private let name: String
    let time: any TimeKeeper
    private let log: Log
    let side: SideThread
    /// The objects last made for each chart; a song may have a chart for each key.
    private var made: [AttachmentID: [ChartHash: (state: String, layers: [Made])]] = [:]

    /// Why some layers are not shared, in sentences.
    private var unsent: [BandStore.OwnChart: [String]] = [:]
    public var complaints: [String] { unsent.values.joined().sorted() + unsentSets + (unclear.map { [$0] } ?? []) }
    private var unclear: String?
    /// Why some sets or charts are not shared, in sentences.
    var unsentSets: [String] = []

    /// The objects that the musician's other devices shared and that this device has removed from the place.
    private var cleared: [BandDevice: Set<Digest>] = [:]
    /// The objects known to be in the place.
    private var listed: Listed?
    private var isInDoubt = true
    /// The last object that was checked in a place that cannot be listed.
    private var lookedFor = ""

    private struct Listed {
        let device: BandDevice
        /// The objects that were wanted when the place was listed.
        let wanted: Set<Digest>
        let at: Moment
        /// The objects with their lengths, updated with each write and removal made here.
        var objects: [Digest: Int]
        /// Whether the list is complete; `false` for a place that cannot be listed.
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
        word = BandWordStore(in: library)
        (self.person, self.name, self.time, self.log, self.side) = (person, name, time, log, side)
    }

    /// Where this device's agent can be reached on its network, as its head says; empty if it does not say so.
    public var addresses: [String] = []

    private var hasNewDoor = false
    /// Whether this device added itself to the door since the last call. If so, check the door again soon: another device may have
    /// overwritten it at the same time.
    public func takeNewDoor() -> Bool {
        defer { hasNewDoor = false }
        return hasNewDoor
    }

    /// Makes the next write check which of this device's objects are in the place: somebody may have removed some.
    public func doubtOwn() { isInDoubt = true }

    var now: Timestamp { time.timestamp }

    /// Writes what is new, and removes what is no longer shared. Does nothing until the reader has found the place. Returns whether
    /// heads or objects were written, or objects of this home were removed because the musician ended their sharing.
    public func write(_ readiness: [BandHead.Readiness], asOf: Timestamp? = nil) async throws -> Bool {
        guard let team = reader.team else { return false }
        var own = try word.own()
        if own?.team != team.id { own = nil }
        if let found = reader.own, found.device.text == home.current { try follow(found, own) }
        let device = BandDevice(home.current)
        if own?.head.device != device { own = nil }
        if try library.band.followKin() {
            log.info("what you share is as you said on another device of yours")
            // The other device may have removed objects that this device put there.
            isInDoubt = true
        }
        // A restored catalogue lacks the objects written after its backup. Record those that the head in the place names, so that unused
        // ones are removed some day.
        if let found = reader.own, found.device == device, own.map({ $0.head.counter < found.counter }) ?? true {
            try word.drop(found.objects.keys, at: now)
        }
        let hasSpoken =
            if try library.band.shares().haveEnded {
                try await writeLeaving(of: device, own, to: team.id)
            } else {
                try await speak(of: device, own, readiness, asOf, to: team.id)
            }
        unclear = nil
        do {
            let hasCleared = try await clear(team.id)
            try await clearKin()
            return hasSpoken || hasCleared
        } catch let error as Trouble {
            unclear = "what other devices of yours shared cannot be taken out of the band's place yet: \(error)"
            return hasSpoken
        }
    }

    /// Removes objects that the musician's other devices shared until a decision on this device ended the sharing: those devices may
    /// never run again. Their heads stay, since everybody who reads them also reads this device's head, which contains the decision.
    private func clearKin() async throws {
        let gone = Dictionary(grouping: try library.band.unsharedByKin(), by: \.device).mapValues { Set($0.map(\.object)) }
        // Forget the devices whose objects to remove have changed: a device that shared marks again meanwhile has put their objects back.
        cleared = cleared.filter { gone[$0.key] == $0.value }
        for (device, objects) in gone.sorted(by: { $0.key < $1.key }) where cleared[device] != objects {
            let named = try library.band.objects(of: device).subtracting(objects)
            // If the device shares nothing any more, remove even unnamed objects; otherwise it may be writing those just now.
            let present = named.isEmpty ? try await carrier.objects(of: device).map { Set($0.keys) } : nil
            for object in (present ?? objects).subtracting(named).sorted() { try await carrier.remove(BandPath.object(object, of: device)) }
            cleared[device] = objects
        }
    }

    /// Responds to a head with this device's signature that another home wrote, or that leaves the band and is newer than the
    /// catalogue's. If the head leaves the band, the same musician left, on another device with this id or before this catalogue
    /// was restored; this home then leaves, too. Otherwise this home gets a new id.
    private func follow(_ found: BandHead, _ own: BandWordStore.Own?) throws {
        let isStrange = found.writer.map(home.isStrange) ?? false
        let isNews = own.map { $0.head.device == found.device && $0.head.counter < found.counter } ?? false
        guard isStrange || isNews && found.hasLeft else { return }
        if found.hasLeft {
            guard try !library.band.shares().haveEnded else { return }
            try library.band.setLeft(true, alone: !found.decisions.contains { $0.isLeave })
            return log.warning(
                "you left the band on another device that was this one, or before this one was put back; so this one leaves it, too. "
                    + "'\(woodshed("band share"))' shares your marks again")
        }
        home.renew(from: home.current)
        log.warning(
            "a copy of this home speaks to the band as this device, or the laptop that it was moved to, or it did itself before it was put "
                + "back from a backup; from now on this is a new device there, and says everything again")
    }

    /// The number of this device's next head, greater than those in the catalogue and in the place. If the catalogue was restored,
    /// a slow disk may still hide later heads; therefore the number is also above the clock's seconds. If the clock was years ahead
    /// when a hidden head was written, other devices ignore new heads until their numbers pass the hidden head's. If two homes
    /// write under one id, the later head counts.
    private func nextCounter(_ device: BandDevice, _ own: BandWordStore.Own?) -> Int {
        max(own?.head.counter ?? 0, counterInPlace(device), Int(now.nanoseconds / 1_000_000_000)) + 1
    }

    private func counterInPlace(_ device: BandDevice) -> Int { reader.own.flatMap { $0.device == device ? $0.counter : nil } ?? 0 }

    private func speak(
        of device: BandDevice, _ own: BandWordStore.Own?, _ readiness: [BandHead.Readiness], _ asOf: Timestamp?, to team: BandDevice
    ) async throws -> Bool {
        var head = BandHead(
            device: device, counter: nextCounter(device, own), person: person, name: name, roster: try library.band.devices(),
            readiness: readiness, asOf: asOf, writer: home.writer())
        (head.team, head.kin, head.decisions) = (team, try library.band.kin(of: device), try library.band.ownDecisions())
        head.addresses = addresses
        let wanted = try await objects()
        // The catalogue may be older than the last head in the place; the other devices then have to fetch all layers anew.
        let known = own.flatMap { $0.head.counter >= counterInPlace(device) ? $0.head.layers : nil }
        let former = Dictionary((known ?? []).map { ($0.id, $0) }) { first, _ in first }
        head.layers = wanted.map { layer in
            let same = former[layer.made.id].flatMap { $0.object == layer.made.object ? $0 : nil }
            return BandHead.Layer(
                id: layer.made.id, name: layer.made.name, chart: layer.made.chart, title: layer.chart.title, object: layer.made.object,
                length: layer.made.length, since: same?.since ?? head.counter, attachment: layer.chart.attachment)
        }
        let sets = try setsToShare()
        head.sets = sets.map(\.entry)
        head.offers = try offersToMake()
        // A head without a writer was written by an older program and is unsigned, so it is replaced.
        let isInPlace = own.map { reader.inPlace == $0.sum && ($0.head.writer != nil || head.writer == nil) } ?? false
        let objects = Set(head.objects.keys)
        if let present = try await list(of: device, wanted: objects, saidInPlace: isInPlace ? own?.head : nil) {
            let named = objects.union(own?.head.objects.keys.map { $0 } ?? [])
            try word.drop(present.keys.filter { !named.contains($0) }, at: now)
        }
        var isNew = try await putObjects(wanted, of: device)
        if try await put(sets, of: device) { isNew = true }
        try await removeDropped(of: device, but: objects)
        if own == nil || !isInPlace || own?.head.hasTheContents(of: head) == false {
            try await put(head, to: team)
            try await removeUnshared(own?.head, but: head, of: device)
            isNew = true
        }
        if let door = try reader.doorToWrite(for: device) {
            try await carrier.put(door.bytes, as: BandPath.door)
            hasNewDoor = true
        }
        return isNew
    }

    // MARK: - Taking back

    /// If layers or sets are no longer shared, immediately removes their objects. Otherwise, replaced objects stay a while for readers of an old
    /// head.
    private func removeUnshared(_ former: BandHead?, but present: BandHead, of device: BandDevice) async throws {
        guard let former else { return }
        let (ids, named) = (Set(present.layers.map(\.id)), Set(present.objects.keys))
        let sent = Dictionary(present.sets.map { ($0.id, !$0.files.isEmpty) }) { first, _ in first }
        let areSetsGone = former.sets.contains { set in sent[set.id].map { !$0 && !set.files.isEmpty } ?? true }
        guard areSetsGone || former.layers.contains(where: { !ids.contains($0.id) }) else { return }
        // Nothing records which layer a dropped object belonged to, so remove all of them, even replaced ones.
        for object in try word.dropped() where !named.contains(object) {
            try await remove(object, of: device)
            try word.forget(dropped: object)
        }
        try await carrier.removeCopies(of: device)
    }

    /// Writes a head that leaves the band, and removes this device's objects from the place. If that fails halfway, as on a full
    /// disk, the next call continues. Returns whether there was anything to do.
    private func writeLeaving(of device: BandDevice, _ own: BandWordStore.Own?, to team: BandDevice) async throws -> Bool {
        // A device that never wrote anything in the place has nothing to remove.
        guard try own != nil || reader.own?.device == device || !word.dropped().isEmpty else { return false }
        let isSaidHere = own.map { $0.head.hasLeft && reader.inPlace == $0.sum } ?? false
        let isSaid = try isSaidHere || isLeaveSaidElsewhere(after: own)
        if !isSaid {
            var head = BandHead(
                device: device, counter: nextCounter(device, own), person: person, name: name, hasLeft: true,
                roster: try library.band.devices(), writer: home.writer())
            // The decision also applies to the musician's other devices, even those that never run again.
            (head.kin, head.decisions) = (try library.band.kin(of: device), try library.band.ownDecisions())
            try await put(head, to: team)
        }
        try await list(of: device, wanted: [], saidInPlace: isSaid ? own?.head : nil)
        let dropped = try word.dropped()
        let left = Set(listed?.objects.keys.map { $0 } ?? []).union(listed?.areAll == true ? [] : dropped)
        for object in left.sorted(by: { $0.hex < $1.hex }) { try await remove(object, of: device) }
        for object in dropped { try word.forget(dropped: object) }
        try await carrier.removeCopies(of: device)
        return !isSaid || !left.isEmpty
    }

    /// Whether the head in the place already leaves the band, by a decision no older than this home's. Another home with this id then
    /// wrote it: if each kept overwriting the other's head, neither would stop.
    private func isLeaveSaidElsewhere(after own: BandWordStore.Own?) throws -> Bool {
        guard let found = reader.ownInPlace, found.hasLeft, found.counter >= own?.head.counter ?? 0 else { return false }
        func last(_ said: [BandHead.Decision]) -> Int { said.first(where: \.isLeave)?.at ?? 0 }
        return last(found.decisions) >= last(try library.band.ownDecisions())
    }

    /// Removes what this home shared under former ids, where the musician wants that. Under each such id, a head that leaves the band
    /// remains for everybody who knows the id. An id that another home uses is left alone. Returns whether there were any such ids.
    private func clear(_ team: BandDevice) async throws -> Bool {
        let devices = try library.band.toBeCleared()
        for (device, isNamed) in devices {
            // `nil` for an id from the time before signing keys existed. Its head is written unsigned: only a device that still
            // uses the id could sign it.
            let key = home.key(of: device.text)
            let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit)
            let found = bytes.flatMap { try? BandHead.read($0).head }
            guard isNamed || found?.hasLeft == true || found?.writer.map(home.isStrange) != true else {
                log.warning(
                    "what this home shared as \(device) stays: another laptop speaks to the band as that device; '\(woodshed("band"))' says more"
                )
                try library.band.note(former: device, isCleared: false)
                continue
            }
            let known = try library.band.members().first { $0.device == device }?.head
            if bytes != nil || known != nil, found?.hasLeft != true || found?.signer != key?.verifier {
                // Ignore the counter of a head whose signature does not fit `key`: the counter may be invented.
                let counter = max(found?.signer == key?.verifier ? found?.counter ?? 0 : 0, known?.counter ?? 0)
                var head = BandHead(
                    device: device, counter: min(counter, BandHead.greatestCounter - 1) + 1, person: known?.person ?? person,
                    name: known?.name ?? name, hasLeft: true, writer: home.writer())
                head.team = team
                try await carrier.put(key.map { head.bytes(signedBy: $0) } ?? head.bytes, as: BandPath.head(of: device))
            }
            let objects = try await carrier.objects(of: device).map { Set($0.keys) } ?? library.band.objects(of: device)
            for object in objects.union(found?.objects.keys.map { $0 } ?? []).sorted() {
                try await carrier.remove(BandPath.object(object, of: device))
            }
            try await carrier.removeCopies(of: device)
            try library.band.note(former: device, isCleared: true)
            log.info("what this home shared as \(device) is out of \(carrier.place)")
        }
        return !devices.isEmpty
    }

    private func put(_ head: BandHead, to team: BandDevice) async throws {
        guard let key = home.key(of: head.device.text) else {
            throw Trouble("this home's key cannot be kept, so nothing it says would be known as its own; make room where its data is")
        }
        var head = head
        head.team = team
        let bytes = head.bytes(signedBy: key)
        let sum = try BandHead.read(bytes).sum
        try word.note(head, sum: sum, to: team, at: now)
        try await carrier.put(bytes, as: BandPath.head(of: head.device))
        reader.noteOwn(head, sum)
    }

    // MARK: - Objects

    /// The shared layers, chart by chart.
    private func objects() async throws -> [(made: Made, chart: BandStore.OwnChart)] {
        var all: [(Made, BandStore.OwnChart)] = []
        let charts = try library.band.sharedCharts()
        unsent = unsent.filter { charts.contains($0.key) }
        let hashes = Dictionary(grouping: charts, by: \.attachment).mapValues { Set($0.map(\.hash)) }
        for (attachment, known) in made {
            let kept = known.filter { hashes[attachment]?.contains($0.key) ?? false }
            made[attachment] = kept.isEmpty ? nil : kept
        }
        // One query for all charts: there may be thousands.
        let (hidden, hasKin) = (try library.drawings.hiddenLayers(of: Set(hashes.keys)), try library.band.hasKin())
        for chart in charts {
            let layers = hidden[chart.attachment, default: []]
            let state = [chart.hash.digest.hex, chart.title, chart.state, hasKin ? "kin" : ""] + layers.map(\.text).sorted()
            for layer in try await make(chart, hiding: layers, in: state.joined(separator: "\n")) { all.append((layer, chart)) }
        }
        // A song that is drawn in two keys has the same marks in each, so share them once.
        var seen: Set<String> = []
        return all.filter { seen.insert($0.0.id).inserted }
    }

    private func make(_ chart: BandStore.OwnChart, hiding hidden: Set<LayerID>, in state: String) async throws -> [Made] {
        if let known = made[chart.attachment]?[chart.hash], known.state == state { return known.layers }
        // Others draw a song with their own fonts and keys, so name the chart by its layout, which is the same for everybody.
        let drawn = try library.songs.layout(of: chart.hash).map(ChartHash.init) ?? chart.hash
        let layers = try await bytes(of: chart, hiding: hidden).map { layer, bytes in
            Made(
                id: Self.id(of: layer, on: chart.attachment, drawn), name: layer.path.isEmpty ? BandHead.Layer.drawnName : layer.name,
                chart: drawn,
                object: SHA256.digest(of: bytes), length: bytes.count)
        }
        made[chart.attachment, default: [:]][chart.hash] = (state, layers)
        return layers
    }

    private func bytes(
        of chart: BandStore.OwnChart, hiding hidden: Set<LayerID>
    ) async throws -> [(layer: BandStore.OwnLayer, bytes: [UInt8])] {
        let layers = try library.band.ownLayers(on: chart, hiding: hidden)
        let written = await side.run { layers.compactMap { layer in BandObject.write(layer, on: chart).map { (layer, $0) } } }
        let most = BandStore.mostLayersOfAChart
        let fitting = written.filter { $1.count <= BandStore.longestObject }
        unsent[chart] =
            written.filter { $1.count > BandStore.longestObject }.map { layer, bytes in
                "the band does not get \(layer.path.isEmpty ? "what you drew on \(chart.title)" : layer.path): it is larger than "
                    + "\(BandStore.longestObject >> 10) KB; delete what you no longer need"
            }
            + fitting.dropFirst(most).map { layer, _ in
                "the band does not get \(layer.path): \(chart.title) has more than \(most) layers of yours; hide some of them, or delete some"
            }
        return Array(fitting.prefix(most))
    }

    private static func id(of layer: BandStore.OwnLayer, on attachment: AttachmentID, _ chart: ChartHash) -> String {
        String(SHA256.digest(of: [attachment.text, chart.digest.hex, layer.path].joined(separator: "\n")).hex.prefix(16))
    }

    /// Lists the objects in the place, but only if they may have changed: listing a network folder takes long. `saidInPlace` is
    /// this device's head if it is in the place. Where the place cannot be listed, that head counts as the list, except for a few
    /// objects that are checked each time. Returns `nil` if nothing was listed.
    @discardableResult
    private func list(of device: BandDevice, wanted: Set<Digest>, saidInPlace head: BandHead?) async throws -> [Digest: Int]? {
        let known = listed.flatMap { $0.device == device ? $0 : nil }
        let isSame = known.map { $0.wanted == wanted || !$0.areAll } ?? false
        if let known, head != nil, !isInDoubt, isSame, time.now - known.at < Self.listedAgainAfter { return nil }
        let others = head == nil ? [:] : isInDoubt ? nil : known?.objects
        // Doubts that arise during this listing make the next call list again.
        isInDoubt = false
        do {
            let present = try await carrier.objects(of: device)
            let said = head?.objects ?? [:]
            listed = Listed(
                device: device, wanted: wanted, at: time.now, objects: present ?? doubtingSome(others ?? said), areAll: present != nil)
            return present
        } catch {
            isInDoubt = true
            throw error
        }
    }

    /// Leaves out a few of the objects, others at each call, so that `putObjects` makes sure that they are in the place.
    private func doubtingSome(_ objects: [Digest: Int]) -> [Digest: Int] {
        let order = objects.keys.sorted { $0.hex < $1.hex }
        let start = order.firstIndex { $0.hex > lookedFor } ?? 0
        let some = order[start...].prefix(Self.lookedForAtATime)
        lookedFor = some.last?.hex ?? ""
        return objects.filter { !some.contains($0.key) }
    }

    /// Writes missing objects to the place, which must happen before the head that names them is written. Returns whether any were
    /// missing.
    private func putObjects(
        _ wanted: [(made: Made, chart: BandStore.OwnChart)], of device: BandDevice
    ) async throws -> Bool {
        let present = listed?.objects ?? [:]
        // An object of another length was cut short: write it again.
        let missing = wanted.filter { present[$0.made.object] != $0.made.length }
        let charts = Dictionary(grouping: missing, by: \.chart)
        for (chart, layers) in charts.sorted(by: { ($0.key.attachment, $0.key.hash) < ($1.key.attachment, $1.key.hash) }) {
            let objects = Set(layers.map(\.made.object))
            for (_, bytes) in try await bytes(of: chart, hiding: try library.drawings.hiddenLayers(of: chart.attachment)) {
                let sum = SHA256.digest(of: bytes)
                if objects.contains(sum) { _ = try await put(sum, length: bytes.count, of: device) { bytes } }
            }
        }
        return !missing.isEmpty
    }

    /// Removes dropped objects once everybody with an old head has had time to read a new one.
    private func removeDropped(of device: BandDevice, but wanted: Set<Digest>) async throws {
        for object in try word.dropped(before: now - Self.keptAfterDropping) where !wanted.contains(object) {
            try await remove(object, of: device)
            try word.forget(dropped: object)
        }
    }

    /// Writes one object to the place, unless it is there. Returns whether it was missing.
    func put(_ object: Digest, length: Int, of device: BandDevice, _ bytes: () async throws -> [UInt8]?) async throws -> Bool {
        guard listed?.objects[object] != length, let bytes = try await bytes() else { return false }
        // Record the object first, so that it is removed some day even if no head ever names it.
        try word.drop([object], at: now)
        try await carrier.put(bytes, as: BandPath.object(object, of: device))
        listed?.objects[object] = bytes.count
        return true
    }

    private func remove(_ object: Digest, of device: BandDevice) async throws {
        try await carrier.remove(BandPath.object(object, of: device))
        listed?.objects[object] = nil
    }

    private static let keptAfterDropping: Duration = .seconds(2 * 86_400)
    private static let listedAgainAfter: Duration = .seconds(3600)
    private static let lookedForAtATime = 20
}
