public import BandLayout
public import Catalogue
public import Library
public import Model
public import Platform
import Sets

/// Reads the heads of the other devices in the band, and takes over the marks that they share.
///
/// Each pass fetches what the heads name and this home lacks, up to a limit for each device, so nothing depends on what earlier
/// passes missed. If an object has not arrived yet, the next pass tries it again; until then, the former marks stay.
@LoopActor
public final class BandReader {
    /// The result of one pass.
    public struct Outcome: Sendable {
        public var changes: [LibraryChange] = []
        /// How many layers were taken over or removed; one more if others were renamed.
        public var moved = 0
        /// Whether any device wrote a new head.
        public var isNews = false
        /// Why the place could not be used.
        public var trouble: Trouble?
        /// How many of the named layers have not arrived completely.
        public var notYet = 0
        /// Whether more layers are waiting than one pass takes over.
        public var hasMore = false
        /// Whether more layers are waiting, a device's head has just disappeared, or a head could not be read or stored.
        public var isCutShort = false
        /// Whether the sets that others share are other ones than before.
        public var hasOtherSets = false
    }

    private let library: Library
    private let carrier: any BandCarrier
    private let home: HomeID
    private let time: any TimeKeeper
    private let log: Log
    private let side: SideThread
    /// The newest head in the place, under any file name, that this device has signed.
    private(set) var own: BandHead?
    private var ownSum: Digest?
    /// The checksum of the head in this device's usual place, where other devices read it; `nil` if there is none. The head may be
    /// an older one that a sync program put back.
    private(set) var inPlace: Digest?
    /// Objects that arrived completely but cannot be parsed: reading them again would give the same result.
    private var troubles = Retries<Digest, String>(.forGood, most: 10_000)
    private var lastSeen: [BandDevice: Moment]?
    /// The devices whose heads are in the catalogue, and the devices that these heads name; `nil` after a new head, until both are read
    /// again.
    private var namedDevices: (members: [BandDevice], others: [BandDevice])?
    /// Whether the head of a device is missing that was present within the last minute.
    private var misses = false
    /// The devices whose offers could not be read, so that the log says so once.
    private var unreadOffers: Set<BandDevice> = []
    /// Whether a head could not be read or kept.
    private var hasMissed = false
    /// The door, which is a file that names devices; `nil` if there is none in a place that can be listed.
    private var door: BandDoor?
    /// The band's marker as of the last pass. Its name is empty if only heads identified the band; `nil` if the place names another band.
    public private(set) var team: BandMarker?
    /// The band that the place's marker named when it last agreed with the catalogue.
    private var found: BandDevice?
    /// What is wrong with the place although it can be used, in words for people.
    public private(set) var complaint: String?

    public init(
        library: Library, carrier: any BandCarrier, home: HomeID, time: any TimeKeeper, log: Log, side: SideThread = SideThread()
    ) {
        (self.library, self.carrier, self.home) = (library, carrier, home)
        (self.time, self.log, self.side) = (time, log, side)
    }

    private var now: Timestamp { time.timestamp }

    /// Makes one pass. Throws if the library fails; trouble with the place is reported in the outcome.
    public func readBand() async throws(LibraryError) -> Outcome {
        var outcome = Outcome()
        hasMissed = false
        do throws(Trouble) {
            let team = try await place()
            self.team = team
            door = await readDoor()
            outcome.isNews = try await readHeads()
        } catch {
            // Some of the heads that the carrier reported may not have been processed, so have it report them all again.
            carrier.doubt()
            outcome.trouble = error
            return outcome
        }
        try removeUnshared(into: &outcome)
        if try library.band.callAsNow() { outcome.moved += 1 }
        // A device's layer whose marks are now in a layer of the same musician's other device was kept until that one had arrived, so
        // remove it now.
        if try await adoptMissing(into: &outcome) { try removeUnshared(into: &outcome) }
        outcome.hasMore = outcome.isCutShort
        try await adoptSets(into: &outcome)
        if misses || hasMissed { outcome.isCutShort = true }
        return outcome
    }

    private func removeUnshared(into outcome: inout Outcome) throws(LibraryError) {
        let gone = try library.band.removeUnshared(at: now)
        outcome.changes += gone.changes
        outcome.moved += gone.count
    }

    /// The band that the place belongs to. A folder that has no marker, or the marker of another band, is still used if the heads
    /// in it name this band.
    private func place() async throws(Trouble) -> BandMarker {
        let marker = try await readMarker()
        let trouble: Trouble
        if let marker {
            do throws(Trouble) {
                try await check(marker)
                (found, complaint) = (marker.id, nil)
                return marker
            } catch {
                trouble = error
            }
        } else {
            trouble = Trouble(
                .away, "\(carrier.place) has no \(BandPath.marker): it is not the band's place, or has not arrived yet")
        }
        guard carrier.canList, let agreement = try? await BandAgreement(carrier, library, home, other: marker) else {
            complaint = nil
            throw trouble
        }
        let words = agreement.words(carrier.place)
        if complaint == nil { log.warning("the band: \(words)") }
        complaint = words
        return BandMarker(id: agreement.team, name: "")
    }

    /// The place's marker, which names its band; `nil` if it has none.
    private func readMarker() async throws(Trouble) -> BandMarker? {
        guard let bytes = try await carrier.get(BandPath.marker, limit: BandMarker.limit) else { return nil }
        do throws(Trouble) {
            return try BandMarker(reading: bytes)
        } catch {
            throw Trouble(.away, "\(carrier.place)/\(BandPath.marker) \(error)")
        }
    }

    /// Throws if the marker names another band than the catalogue: a replaced marker must not move this device into another band.
    private func check(_ team: BandMarker) async throws(Trouble) {
        // If the catalogue was restored or started anew, this home's own head in the place still names the right band.
        let said = try await saidTo()
        do throws(LibraryError) {
            if try library.band.team() == nil { try library.band.note(team: said ?? team.id) }
            guard try library.band.team() != team.id else { return }
        } catch {
            throw Trouble("\(error)")
        }
        self.team = nil
        // The musician has joined another band, which this agent has not adopted yet.
        guard found != team.id else { throw Trouble(.away, "you play in another band by now") }
        throw Trouble(
            .away,
            "\(carrier.place) is now said to be another band's place (\(team.name)); if that is right, run '\(woodshed("band leave"))' "
                + "and join that one")
    }

    /// The band that this home's signed head in the place names; `nil` if there is no such head, or if the catalogue knows the band.
    private func saidTo() async throws(Trouble) -> BandDevice? {
        guard (try? library.band.team()) == .some(nil) else { return nil }
        let device = BandDevice(home.current)
        guard let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit),
            let head = try? BandHead.read(bytes).head, head.device == device, let signer = head.signer,
            signer == home.key(of: device.text)?.verifier
        else { return nil }
        return head.team
    }

    /// Reads the door; `nil` in a place that can be listed if there is none, since such a place needs no door. While the door
    /// cannot be fetched, the last one read still counts. Invalid contents count as an empty door.
    private func readDoor() async -> BandDoor? {
        do throws(Trouble) {
            guard let bytes = try await carrier.get(BandPath.door, limit: BandDoor.limit) else { return carrier.canList ? nil : BandDoor() }
            return (try? BandDoor(reading: bytes)) ?? BandDoor()
        } catch {
            return door
        }
    }

    /// The door with this device added. `nil` if no door is needed, or if newcomers can already find this device: at the door, or through
    /// a device at the door whose head names it.
    func doorToWrite(for device: BandDevice) throws(LibraryError) -> BandDoor? {
        guard let door, !door.devices.contains(device) else { return nil }
        let isNamed = try library.band.members().contains {
            $0.awaySince == nil && $0.wentBackAt == nil && door.devices.contains($0.device) && $0.head.roster.contains(device)
        }
        return isNamed ? nil : door.adding(device)
    }

    // MARK: - Heads

    /// This device, the devices with heads in the catalogue, the devices at the door, and the devices that heads name: at most a thousand.
    private func devices(besides own: BandDevice) -> [BandDevice] {
        let known: (members: [BandDevice], others: [BandDevice])
        if let namedDevices {
            known = namedDevices
        } else {
            let members = (try? library.band.members()) ?? []
            known = (members.map(\.device), members.flatMap(\.head.roster))
        }
        namedDevices = known
        var seen: Set<BandDevice> = []
        // Invented names come last, so that they cannot displace real devices.
        return Array(([own] + known.members + (door?.devices ?? []) + known.others).filter { seen.insert($0).inserted }.prefix(1000))
    }

    /// Returns whether any head is new.
    private func readHeads() async throws(Trouble) -> Bool {
        let device = BandDevice(home.current)
        do throws(LibraryError) {
            try library.band.note(former: home.all.dropFirst().map { BandDevice($0) })
            try library.band.note(own: device, beside: try besideOwn(home.all))
        } catch {
            throw Trouble("\(error)")
        }
        var asked = devices(besides: device)
        var listing = try await carrier.heads(known: asked)
        if own?.device != device || !listing.devices.contains(device) { own = nil }
        inPlace = nil
        if let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) {
            inPlace = await side.run { try? BandHead.read(bytes).sum }
        }
        var isNews = try await read(listing.heads, besides: device)
        // Where the place cannot be listed, the carrier reports only the devices it is given. The heads of new members may name more.
        for _ in 0..<Self.mostIntroductions where !carrier.canList && namedDevices == nil {
            let others = Set(devices(besides: device)).subtracting(asked).sorted()
            guard !others.isEmpty else { break }
            asked += others
            let more = try await carrier.heads(known: others)
            listing.devices.formUnion(more.devices)
            if try await read(more.heads, besides: device) { isNews = true }
        }
        // Have the carrier report the heads again that could not be read or stored.
        if hasMissed { carrier.doubt() }
        do throws(LibraryError) {
            for device in try library.band.note(present: present(listing.devices), at: now) {
                log.info("the band's files of \(device) are not in \(carrier.place) any more; the marks stay")
            }
        } catch {
            throw Trouble("\(error)")
        }
        return isNews
    }

    /// Other homes that keep the same musician's marks in the same folder: the name of each part contains the id of its home.
    private func besideOwn(_ ids: [String]) throws(LibraryError) -> Set<BandDevice> {
        Set(try library.parts.homes().subtracting(ids.prefix(1)).map { BandDevice($0) })
    }

    /// Reads files that may be heads. Returns whether any head is new.
    private func read(_ files: [BandListing.File], besides device: BandDevice) async throws(Trouble) -> Bool {
        var isNews = false
        var (amounts, amount) = ([BandDevice: Int](), 0)
        for file in files where amounts[file.device, default: 0] < Self.mostHeadBytesOfOne {
            guard amount < Self.mostHeadBytes, let bytes = try await carrier.get(file.path, limit: BandHead.limit) else {
                hasMissed = true
                continue
            }
            amounts[file.device, default: 0] += bytes.count
            amount += bytes.count
            let (head, sum): (BandHead, Digest)
            do throws(Trouble) {
                (head, sum) = try await side.run { () throws(Trouble) in try BandHead.read(bytes) }
            } catch {
                log.debug("\(carrier.place)/\(file.path) \(error)")
                continue
            }
            // A device may write only in its own folder and for itself, and a head that it signed for another band does not count here.
            guard head.device == file.device, head.signer == nil || head.team == team?.id else { continue }
            if head.device == device {
                // A head in this device's name without its signature will be overwritten.
                guard let signer = head.signer, signer == home.key(of: device.text)?.verifier else { continue }
                if head.counter >= own?.counter ?? 0 { (own, ownSum) = (head, sum) }
            } else if keep(head, sum) {
                (isNews, namedDevices) = (true, nil)
            }
        }
        return isNews
    }

    /// The devices whose heads are present, or were within the last minute: Syncthing removes a file before it renames the new one, so a
    /// head may be missing for a moment.
    private func present(_ listed: Set<BandDevice>) throws(LibraryError) -> Set<BandDevice> {
        let known = Dictionary(try library.band.devices().map { ($0, time.now) }) { first, _ in first }
        var seen = (lastSeen ?? known).filter { time.now - $0.value < Self.moment }
        for device in listed { seen[device] = time.now }
        lastSeen = seen
        misses = !listed.isSuperset(of: seen.keys)
        return Set(seen.keys)
    }

    /// Records the head that this device has just written.
    func noteOwn(_ head: BandHead, _ sum: Digest) { (own, ownSum, inPlace) = (head, sum, sum) }

    /// The newest head that this device has signed, if that is the head in its usual place. Another home with the same id may have written
    /// it.
    var ownInPlace: BandHead? { ownSum == inPlace ? own : nil }

    /// Stores another device's head. Returns whether it is new; also `false` if it could not be stored.
    private func keep(_ head: BandHead, _ sum: Digest) -> Bool {
        do throws(LibraryError) {
            switch try library.band.adopt(head, sum: sum, at: now) {
            case .new:
                if head.hasUnreadOffers, unreadOffers.insert(head.device).inserted {
                    log.warning(
                        "\(head.person) offers an order for tonight that this woodshed cannot read; if theirs is newer, update yours")
                }
                return true
            case .known: break
            case .older: log.debug("\(head.person)'s word in \(carrier.place) is older than what is known; that counts")
            case .contradicting:
                log.warning("two devices of the band write as one (\(head.device)); the first word counts until one of them has a new id")
            case .forged:
                log.warning(
                    "somebody wrote to the band in the name of \(head.person) (\(head.device)): it is not signed by that device, so it is "
                        + "passed over. Find out who may write in \(carrier.place)")
            }
        } catch {
            log.warning("what \(head.person) says to the band could not be kept: \(error)")
            hasMissed = true
        }
        return false
    }

    // MARK: - Layers

    /// The missing layers that one pass has read.
    @LoopActor
    private final class Reading {
        var found: [BandStore.ArrivedLayer] = []
        var amounts: [BandDevice: Int] = [:]
        var notYet = 0
        var isCutShort = false
    }

    /// Fetches and stores missing layers. Returns whether any of them belongs to a musician with several devices.
    private func adoptMissing(into outcome: inout Outcome) async throws(LibraryError) -> Bool {
        let reading = Reading()
        var last: LayerID?
        var areJoined = false
        while true {
            let missing = try library.band.missing(after: last, most: Self.batch)
            last = missing.last?.layer.id
            let readable = missing.filter { $0.parts.contains { troubles.mayTry($0.object, at: time.now) } }
            for portion in Self.portions(of: try soonestFirst(readable)) {
                // Several at a time, to keep the place, the parser and the catalogue all busy; only two at a time, to go easy on a server.
                await concurrently(portion, atMost: carrier.canList ? Self.width : 2) { [self] layer in await read(layer, into: reading) }
                let found = reading.found.sorted { $0.missing.layer.id < $1.missing.layer.id }
                reading.found = []
                if found.contains(where: \.missing.isOfSeveral) { areJoined = true }
                outcome.changes += try library.band.adopt(found, at: now)
                outcome.moved += found.count
            }
            guard missing.count == Self.batch else { break }
        }
        (outcome.notYet, outcome.isCutShort) = (reading.notYet, reading.isCutShort)
        return areJoined
    }

    /// Layers of the charts that are played soonest come first.
    private func soonestFirst(_ layers: [BandStore.Missing]) throws(LibraryError) -> [BandStore.Missing] {
        guard layers.count > 1 else { return layers }
        var places: [AttachmentID: Int] = [:]
        let coming = try library.plans.allListed().filter { !$0.plan.isPast(at: now) }
        for (place, contents) in coming.sorted(by: { $0.plan.mainTime ?? now < $1.plan.mainTime ?? now }).enumerated() {
            for attachment in contents.attachments where places[attachment.id] == nil { places[attachment.id] = place }
        }
        let order = layers.enumerated().map { (place: places[$1.layer.attachment] ?? .max, number: $0, layer: $1) }
        return order.sorted { ($0.place, $0.number) < ($1.place, $1.number) }.map(\.layer)
    }

    /// Portions small enough to need little memory, and large enough to be stored in few commits.
    private static func portions(of layers: [BandStore.Missing]) -> [[BandStore.Missing]] {
        var (portions, amount) = ([[BandStore.Missing]](), Int.max)
        for layer in layers {
            if amount > mostBytesOfAPortion - layer.length || portions[portions.endIndex - 1].count == mostOfAPortion {
                portions.append([])
                amount = 0
            }
            portions[portions.endIndex - 1].append(layer)
            amount += layer.length
        }
        return portions
    }

    private func read(_ layer: BandStore.Missing, into reading: Reading) async {
        let devices = Set(layer.parts.map(\.device))
        guard devices.allSatisfy({ reading.amounts[$0, default: 0] + layer.length <= Self.mostBytesOfOne }) else {
            return reading.isCutShort = true
        }
        var (texts, parts) = ([[UInt8]](), [BandStore.Missing.Part]())
        for part in layer.parts where troubles.mayTry(part.object, at: time.now) {
            guard let bytes = await read(part) else { continue }
            reading.amounts[part.device, default: 0] += part.length
            // If there are several objects, an unreadable one must not keep the others from being shown.
            if layer.parts.count > 1, let fault = await side.run({ BandObject.read([bytes]).fault }) {
                troubles.note(fault, of: part.object, at: time.now)
                continue
            }
            texts.append(bytes)
            parts.append(part)
        }
        // Objects from some of a musician's devices may be lost for good: show the others, and try the missing ones again with the next
        // pass.
        if parts.count < layer.parts.count { reading.notYet += 1 }
        guard !parts.isEmpty else { return }
        let (marks, text, fault) = await side.run { [texts] in BandObject.read(texts) }
        if let fault { troubles.note(fault, of: parts[0].object, at: time.now) }
        reading.found.append(BandStore.ArrivedLayer(layer, of: parts, marks: marks, text: text, fault: fault))
    }

    private func read(_ part: BandStore.Missing.Part) async -> [UInt8]? {
        await object(part.object, of: part.device, length: part.length)
    }

    /// The bytes of an object; `nil` if it has not arrived whole.
    private func object(_ object: Digest, of device: BandDevice, length: Int) async -> [UInt8]? {
        let path = BandPath.object(object, of: device)
        guard let bytes = try? await carrier.get(path, limit: length), bytes.count == length else { return nil }
        return await side.run { SHA256.digest(of: bytes) == object ? bytes : nil }
    }

    // MARK: - Sets

    /// Fetches the sets that others share, and drops those that they share no longer.
    private func adoptSets(into outcome: inout Outcome) async throws(LibraryError) {
        for named in try library.band.missingSets() where troubles.mayTry(named.entry.object, at: time.now) {
            let (object, length) = (named.entry.object, named.entry.length)
            guard let bytes = await self.object(object, of: named.device, length: length) else {
                outcome.isCutShort = true
                continue
            }
            let set: SharedSet
            do throws(Trouble) {
                set = try SharedSet(reading: bytes)
            } catch {
                troubles.note("\(error)", of: object, at: time.now)
                log.debug("a set that \(named.device) shares \(error)")
                continue
            }
            try library.band.keep(set, as: named)
            outcome.hasOtherSets = true
        }
        if try library.band.removeUnsharedSets() { outcome.hasOtherSets = true }
    }

    /// The bytes of a chart that somebody shares with a set; `nil` if the chart has not arrived whole.
    public func chart(_ bytes: Digest, of device: BandDevice, length: Int) async -> [UInt8]? {
        guard team != nil, length <= BandHead.longestChart else { return nil }
        return await object(bytes, of: device, length: length)
    }

    private static let mostIntroductions = 4
    private static let moment: Duration = .seconds(60)
    private static let batch = 4096
    private static let mostOfAPortion = 256
    private static let mostBytesOfAPortion = 4 << 20
    private static let mostHeadBytes = 64 << 20
    private static let width = 4
    private static let mostHeadBytesOfOne = 6 << 20
    /// One pass reads at most this much from one device: more would keep all the others waiting too long.
    private static let mostBytesOfOne = 4 << 20
}
