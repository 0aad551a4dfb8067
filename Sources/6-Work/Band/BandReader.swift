public import BandLayout
public import Catalogue
public import Library
public import Model
public import Platform

/// Reads what the others in the band say, and takes over the marks that they share.
///
/// Every look ends the same, whatever was missed: what their heads name, minus what is here, is fetched. What a head names and is not there
/// yet is asked for again; until it comes, the former marks stay.
@LoopActor
public final class BandReader {
    /// What one look found.
    public struct Outcome: Sendable {
        public var changes: [LibraryChange] = []
        /// How many layers were taken over, or away.
        public var moved = 0
        /// Whether anybody said something new.
        public var isNews = false
        /// Why the place could not be used.
        public var trouble: BandTrouble?
        /// How many of the layers that are named have not arrived whole.
        public var notYet = 0
        /// Whether there was more than is taken over at a time.
        public var hasMore = false
        /// Whether there is more to come, or something that was there is not now.
        public var isCutShort = false
    }

    private let library: Library
    private let carrier: any BandCarrier
    private let home: HomeID
    private let time: any TimeKeeper
    private let log: Log
    private let side: SideThread
    /// The highest of this device's own heads that were in the place, under whatever name: those that it signed.
    private(set) var own: BandHead?
    /// Which one is there now, where others look for it: a sync program may have put an older one back, or none is there.
    private(set) var inPlace: Digest?
    /// Objects that are whole and no marks: reading them again tells nothing new.
    private var unreadable: Set<Digest> = []
    private var lastSeen: [BandDevice: Moment]?
    /// Those that were heard and those that they know; `nil` after news of that.
    private var heard: (members: [BandDevice], others: [BandDevice])?
    /// Whether somebody is not there who was a moment ago.
    private var misses = false
    /// Whether something is there that could not be read, or not be kept.
    private var hasMissed = false
    /// Who is named at the door; `nil` where nobody needs one.
    private var door: BandDoor?
    /// The band's name, as it was last read.
    public private(set) var team: BandMarker?

    public init(
        library: Library, carrier: any BandCarrier, home: HomeID, time: any TimeKeeper, log: Log, side: SideThread = SideThread()
    ) {
        (self.library, self.carrier, self.home) = (library, carrier, home)
        (self.time, self.log, self.side) = (time, log, side)
    }

    private var now: Timestamp { time.timestamp }

    /// Looks once. Throws if the library does.
    public func look() async throws(LibraryError) -> Outcome {
        var outcome = Outcome()
        hasMissed = false
        do throws(BandTrouble) {
            let team = try await readMarker()
            try check(team)
            self.team = team
            door = await readDoor()
            outcome.isNews = try await readHeads()
        } catch {
            // What was told and not read is to be told again.
            carrier.doubt()
            outcome.trouble = error
            return outcome
        }
        outcome.changes += try library.band.takeBack(at: now)
        outcome.moved += outcome.changes.count
        if try library.band.callAsNow() { outcome.moved += 1 }
        try await takeOver(into: &outcome)
        outcome.hasMore = outcome.isCutShort
        if misses || hasMissed { outcome.isCutShort = true }
        return outcome
    }

    private func readMarker() async throws(BandTrouble) -> BandMarker {
        guard let bytes = try await carrier.get(BandPath.marker, limit: BandMarker.limit) else {
            throw BandTrouble(
                "\(carrier.place) has no \(BandPath.marker): it is not the band's place, or has not arrived yet", isAway: true)
        }
        do throws(BandFault) {
            return try BandMarker(reading: bytes)
        } catch {
            throw BandTrouble("\(carrier.place)/\(BandPath.marker) \(error)", isAway: true)
        }
    }

    /// Whoever writes another band's name into the place does not make this device a member of that.
    private func check(_ team: BandMarker) throws(BandTrouble) {
        do throws(LibraryError) {
            guard let known = try library.band.team() else { return try library.band.note(team: team.id) }
            guard known != team.id else { return }
        } catch {
            throw BandTrouble("\(error)")
        }
        self.team = nil
        throw BandTrouble(
            "\(carrier.place) is now said to be another band's place (\(team.name)); if that is right, run '\(woodshed("band leave"))' "
                + "and join that one", isAway: true)
    }

    /// In a place that everybody lists, nobody makes one. One that cannot be read for now is as it was.
    private func readDoor() async -> BandDoor? {
        do throws(BandTrouble) {
            guard let bytes = try await carrier.get(BandPath.door, limit: BandDoor.limit) else { return carrier.canList ? nil : BandDoor() }
            return (try? BandDoor(reading: bytes)) ?? BandDoor()
        } catch {
            return door
        }
    }

    /// The door with this device, if it is to be written: through it one has to find this device, or somebody who names it.
    func doorToWrite(for device: BandDevice) throws(LibraryError) -> BandDoor? {
        guard let door, !door.devices.contains(device) else { return nil }
        let isNamed = try library.band.members().contains {
            $0.awaySince == nil && $0.wentBackAt == nil && door.devices.contains($0.device) && $0.head.roster.contains(device)
        }
        return isNamed ? nil : door.adding(device)
    }

    // MARK: - Heads

    /// This one, those that were heard, those that they know, and those at the door. However many somebody names, so many are asked for.
    private func devices(besides own: BandDevice) -> [BandDevice] {
        let known: (members: [BandDevice], others: [BandDevice])
        if let heard {
            known = heard
        } else {
            let members = (try? library.band.members()) ?? []
            known = (members.map(\.device), members.flatMap(\.head.roster))
        }
        heard = known
        var seen: Set<BandDevice> = []
        // Whoever invents others does not push out those who are there.
        return Array(([own] + known.members + (door?.devices ?? []) + known.others).filter { seen.insert($0).inserted }.prefix(1000))
    }

    /// Returns whether any of them is new.
    private func readHeads() async throws(BandTrouble) -> Bool {
        let device = BandDevice(home.current)
        do throws(LibraryError) {
            try library.band.note(former: home.all.dropFirst().map { BandDevice($0) })
            try library.band.note(own: device, beside: try besideOwn(home.all))
        } catch {
            throw BandTrouble("\(error)")
        }
        var asked = devices(besides: device)
        var listing = try await carrier.heads(known: asked)
        if own?.device != device || !listing.devices.contains(device) { own = nil }
        inPlace = nil
        if let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) {
            inPlace = await side.run { try? BandHead.read(bytes).sum }
        }
        var isNews = try await read(listing.heads, besides: device)
        // Whoever is new may know others, whom a place that cannot be listed does not tell of.
        for _ in 0..<Self.mostIntroductions where !carrier.canList && heard == nil {
            let others = Set(devices(besides: device)).subtracting(asked).sorted()
            guard !others.isEmpty else { break }
            asked += others
            let more = try await carrier.heads(known: others)
            listing.devices.formUnion(more.devices)
            if try await read(more.heads, besides: device) { isNews = true }
        }
        // What was told and could not be read, or not be kept, is to be told again.
        if hasMissed { carrier.doubt() }
        do throws(LibraryError) {
            for device in try library.band.note(present: present(listing.devices), at: now) {
                log.info("the band's files of \(device) are not in \(carrier.place) any more; the marks stay")
            }
        } catch {
            throw BandTrouble("\(error)")
        }
        return isNews
    }

    /// Other homes that keep the same musician's marks in the same folder: a part's name says whose it is.
    private func besideOwn(_ ids: [String]) throws(LibraryError) -> Set<BandDevice> {
        Set(try library.markFiles.partHomes().subtracting(ids.prefix(1)).map { BandDevice($0) })
    }

    /// Reads files that may be heads. Returns whether any of them is new.
    private func read(_ files: [BandListing.File], besides device: BandDevice) async throws(BandTrouble) -> Bool {
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
            do throws(BandFault) {
                (head, sum) = try await side.run { () throws(BandFault) in try BandHead.read(bytes) }
            } catch {
                log.debug("\(carrier.place)/\(file.path) \(error)")
                continue
            }
            // A device writes only in its own folder, and only for itself; and what it signed for another band is not said to this one.
            guard head.device == file.device, head.signer == nil || head.team == team?.id else { continue }
            if head.device == device {
                // Whatever anybody else says in this device's name is written over.
                guard let signer = head.signer, signer == home.key(of: device.text)?.verifier else { continue }
                if head.counter >= own?.counter ?? 0 { own = head }
            } else if keep(head, sum) {
                (isNews, heard) = (true, nil)
            }
        }
        return isNews
    }

    /// The devices that are there, and those that were until a moment ago: Syncthing removes a file before it renames the new one.
    private func present(_ listed: Set<BandDevice>) throws(LibraryError) -> Set<BandDevice> {
        let known = Dictionary(try library.band.devices().map { ($0, time.now) }) { first, _ in first }
        var seen = (lastSeen ?? known).filter { time.now - $0.value < Self.moment }
        for device in listed { seen[device] = time.now }
        lastSeen = seen
        misses = !listed.isSuperset(of: seen.keys)
        return Set(seen.keys)
    }

    /// Notes what this device has just said.
    func noteOwn(_ head: BandHead, _ sum: Digest) { (own, inPlace) = (head, sum) }

    /// Returns whether it is a new one.
    private func keep(_ head: BandHead, _ sum: Digest) -> Bool {
        do throws(LibraryError) {
            switch try library.band.take(head, sum: sum, at: now) {
            case .new: return true
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

    /// What was read of the layers that are missing, in one look.
    @LoopActor
    private final class Reading {
        var found: [BandStore.Found] = []
        var amounts: [BandDevice: Int] = [:]
        var notYet = 0
        var isCutShort = false
    }

    private func takeOver(into outcome: inout Outcome) async throws(LibraryError) {
        let reading = Reading()
        var last: LayerID?
        while true {
            let missing = try library.band.missing(after: last, most: Self.batch)
            last = missing.last?.layer.id
            let readable = missing.filter { $0.parts.contains { !unreadable.contains($0.object) } }
            for portion in Self.portions(of: try soonestFirst(readable)) {
                // Several at a time, so that the place, the parser and the catalogue all have something to do; a server is spared.
                await concurrently(portion, atMost: carrier.canList ? Self.width : 2) { [self] layer in await read(layer, into: reading) }
                let found = reading.found.sorted { $0.missing.layer.id < $1.missing.layer.id }
                reading.found = []
                outcome.changes += try library.band.take(found, at: now)
                outcome.moved += found.count
            }
            guard missing.count == Self.batch else { break }
        }
        (outcome.notYet, outcome.isCutShort) = (reading.notYet, reading.isCutShort)
    }

    /// What is played next comes before the rest.
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

    /// So few that they need little memory, so many that keeping them takes little time.
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
        for part in layer.parts where !unreadable.contains(part.object) {
            guard let bytes = await read(part) else { continue }
            reading.amounts[part.device, default: 0] += part.length
            let fault = await side.run { BandObject.read([bytes]).fault }
            guard fault == nil || layer.parts.count == 1 else {
                note(unreadable: part.object)
                continue
            }
            texts.append(bytes)
            parts.append(part)
        }
        // Of what one musician drew on several devices, some may have been lost for good: the rest is shown, and asked for again.
        if parts.count < layer.parts.count { reading.notYet += 1 }
        guard !parts.isEmpty else { return }
        let (marks, text, fault) = await side.run { [texts] in BandObject.read(texts) }
        if fault != nil { note(unreadable: parts[0].object) }
        reading.found.append(BandStore.Found(layer, of: parts, marks: marks, text: text, fault: fault))
    }

    private func note(unreadable object: Digest) {
        if unreadable.count >= Self.mostUnreadable { unreadable = [] }
        unreadable.insert(object)
    }

    private func read(_ part: BandStore.Missing.Part) async -> [UInt8]? {
        let path = BandPath.object(part.object, of: part.device)
        guard let bytes = try? await carrier.get(path, limit: part.length), bytes.count == part.length else { return nil }
        return await side.run { SHA256.digest(of: bytes) == part.object ? bytes : nil }
    }

    private static let mostIntroductions = 4
    private static let moment: Duration = .seconds(60)
    private static let batch = 4096
    private static let mostOfAPortion = 256
    private static let mostBytesOfAPortion = 4 << 20
    private static let mostHeadBytes = 64 << 20
    private static let width = 4
    private static let mostHeadBytesOfOne = 6 << 20
    private static let mostUnreadable = 10_000
    /// So much of one device is read in one look: more takes longer than anybody should wait for the others.
    private static let mostBytesOfOne = 4 << 20
}
