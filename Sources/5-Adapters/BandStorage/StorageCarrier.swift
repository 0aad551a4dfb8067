public import BandLayout
public import Model
public import Platform

/// A band's place on a server, over WebDAV or S3.
///
/// The server only has to store, return and remove files: listings, conditional writes and locks are not needed. The members' heads
/// name the devices to ask for. Every written file except the door is read back, since some servers store only half of a file.
@LoopActor
public final class StorageCarrier: BandCarrier {
    public nonisolated let place: String
    public nonisolated var canList: Bool { false }
    private let line: StorageLine
    private let time: any TimeKeeper
    private let side: SideThread
    /// The last answers for heads and for other files that change.
    private var files: [String: File] = [:]
    /// The heads that were reported last, by their paths.
    private var reported: [String: Digest] = [:]
    /// When a readable marker of the place was last found; `nil` if the last search found none.
    private var foundAt: Moment?
    private var look = Look()
    /// The files that were missing, with `nil`, and the files that could not be read, with the trouble. They are requested less and
    /// less often.
    private var absent = Retries<String, Trouble?>(GrowingPause(first: .seconds(60), most: .seconds(61_440)), most: 20_000)
    /// The beginnings of objects that arrived before the connection broke.
    private var parts: [String: [UInt8]] = [:]

    /// The last answer for a file.
    private struct File {
        var tag: String?
        /// `nil` if the file does not exist.
        var sum: Digest?
        /// Kept because callers may ask for them again; `nil` if the file does not exist, or if its bytes were dropped to make room.
        var bytes: [UInt8]?
        /// The number of the look in which the file was last asked for.
        var look = 0
    }

    /// What is left of the budget of one look, which begins with each call of `heads`. It is limited because others use the network, too.
    private struct Look {
        var number = 0
        var bytes = 5 << 20
        var objects = 500
        var failures = 0
        /// The bytes of heads that may still be read. Heads are small unless somebody makes them large.
        var headBytes = 16 << 20
        /// How many of the objects that a device names were missing.
        var misses: [BandDevice: Int] = [:]
    }

    /// The most heads that one look asks for.
    private let mostHeads: Int

    public init(
        _ address: StorageAddress, transport: any HTTPTransport, key: StorageLine.Keys? = nil, rest: ServerRest? = nil,
        patience: ServerPatience? = nil, time: any TimeKeeper,
        side: SideThread = SideThread(), mostHeads: Int = 100
    ) {
        (place, self.time, self.side, self.mostHeads) = (address.text, time, side, mostHeads)
        line = StorageLine(address, transport: transport, keys: key, rest: rest ?? ServerRest(time: time), patience: patience, time: time)
    }

    // MARK: - The place

    /// Throws unless the place was found less than `age` ago, or is found now.
    private func find(within age: Duration) async throws(Trouble) {
        if let foundAt, time.now - foundAt < age { return }
        guard let bytes = try await marker() else {
            throw Trouble(.away, "\(place) has no \(BandPath.marker): it is not the band's place")
        }
        do throws(Trouble) {
            _ = try BandMarker(reading: bytes)
        } catch {
            throw Trouble(.away, "\(place)/\(BandPath.marker) \(error)")
        }
    }

    /// Asks for the place's marker, and notes the time if a readable one arrives.
    private func marker() async throws(Trouble) -> [UInt8]? {
        foundAt = nil
        let known = files[BandPath.marker]
        let bytes = try await ask(BandPath.marker, limit: BandMarker.limit, again: known?.bytes == nil).bytes
        if let bytes, (try? BandMarker(reading: bytes)) != nil { foundAt = time.now }
        return bytes
    }

    // MARK: - Files

    public func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? {
        if let object = BandPath.object(at: path) { return try await get(object.sum, at: path, of: object.device, limit: limit) }
        if path == BandPath.marker {
            let isFound = foundAt.map { time.now - $0 < Self.marksAge } ?? false
            return isFound && files[path]?.bytes != nil ? files[path]?.bytes : try await marker()
        }
        let known = files[path]
        if known?.look != look.number || look.number == 0 || known?.sum != nil && known?.bytes == nil {
            try await ask(path, limit: limit, again: known?.bytes == nil)
        }
        guard let bytes = files[path]?.bytes, bytes.count <= limit else { return nil }
        return bytes
    }

    /// Asks for a file that may change. With `again`, the server sends even the version that is known.
    @discardableResult
    private func ask(_ path: String, limit: Int, again: Bool = false) async throws(Trouble) -> File {
        let known = files[path] ?? File()
        let response = try await line.get(path, limit: limit, unless: again || known.sum == nil ? nil : known.tag)
        var file = known
        switch response {
        case .same: break
        case .none: file = File()
        case .bytes(let bytes, let tag):
            look.headBytes -= bytes.count
            file = File(tag: tag, sum: await side.run { SHA256.digest(of: bytes) }, bytes: bytes)
        }
        file.look = look.number
        keep(file, as: path)
        return file
    }

    /// Keeps a file. Beyond `mostKept` bytes, the bytes of other files are dropped, first those asked for longest ago.
    private func keep(_ file: File, as path: String) {
        files[path] = file
        var amount = files.values.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        guard amount > Self.mostKept else { return }
        // Heads are read in the order of their paths, so within one look, the files that were read last are dropped first.
        for (other, known) in files.sorted(by: { ($0.value.look, $1.key) < ($1.value.look, $0.key) }) where other != path {
            guard amount > Self.mostKept else { break }
            amount -= known.bytes?.count ?? 0
            files[other]?.bytes = nil
        }
    }

    public func put(_ bytes: [UInt8], as path: String) async throws(Trouble) {
        let isObject = BandPath.object(at: path) != nil
        if path != BandPath.marker { try await find(within: Self.writersAge) }
        // Many devices write the door at the same time. Do not read it back, since any version will do.
        if path == BandPath.door { return try await line.put(bytes, as: path) }
        // Objects never change, so do not send an object that the server already has.
        if isObject, case .bytes(bytes, _) = try await line.get(path, limit: bytes.count, unless: nil) { return }
        let sum = SHA256.digest(of: bytes)
        for _ in 0..<Self.mostTries {
            try await line.put(bytes, as: path)
            guard case .bytes(let back, let tag) = try await line.get(path, limit: max(bytes.count, BandHead.limit), unless: nil),
                back == bytes
            else { continue }
            if !isObject { keep(File(tag: tag, sum: sum, bytes: bytes, look: look.number), as: path) }
            absent.forget(path)
            return
        }
        throw Trouble("\(place) has \(path) otherwise than it was sent, again and again; ask whoever runs it")
    }

    public func remove(_ path: String) async throws(Trouble) {
        try await line.remove(path)
        (files[path], parts[path]) = (nil, nil)
    }

    // MARK: - Heads

    public func heads(known: [BandDevice]) async throws(Trouble) -> BandListing {
        look = Look(number: look.number + 1)
        try await find(within: Self.marksAge)
        // An unreadable head matters only to its owner, unless the whole place is out of reach.
        var isMissed = false
        let asked = chosen(known)
        await concurrently(asked, atMost: Self.width) { [self] device in
            guard look.failures < Self.mostFailures, look.headBytes > 0 else { return }
            let path = BandPath.head(of: device)
            let former = files[path]?.sum
            do throws(Trouble) {
                let file = try await ask(path, limit: BandHead.limit)
                if file.sum == nil { noteAbsence(of: path) } else { absent.forget(path) }
                if former != nil, file.sum == nil { isMissed = true }
            } catch {
                look.failures += 1
            }
        }
        forgetStrangers(besides: known)
        // If a head is gone, the whole place may be gone.
        if isMissed || look.failures > 0 { try await find(within: .zero) }
        var listing = BandListing()
        for device in Set(known).sorted() {
            let path = BandPath.head(of: device)
            // A device that was never asked for may exist, so list it.
            if files[path] == nil, !asked.contains(device) { listing.devices.insert(device) }
            guard let sum = files[path]?.sum else {
                reported[path] = nil
                continue
            }
            listing.devices.insert(device)
            if reported.updateValue(sum, forKey: path) != sum { listing.heads.append(BandListing.File(device, path)) }
        }
        return listing
    }

    /// If too many files are kept, forgets devices that are not in `known`: heads may keep naming devices that do not exist.
    private func forgetStrangers(besides known: [BandDevice]) {
        guard files.count > Self.mostFiles else { return }
        let paths = Set(known.map { BandPath.head(of: $0) } + [BandPath.marker, BandPath.door])
        files = files.filter { paths.contains($0.key) }
        reported = reported.filter { paths.contains($0.key) }
    }

    /// The devices to ask for in this look: all devices in a band of usual size, and in a large band the devices that were asked
    /// for longest ago. Absent devices are asked for less and less often. The first device that may be asked for, usually this one,
    /// is always among them.
    private func chosen(_ known: [BandDevice]) -> [BandDevice] {
        var seen: Set<BandDevice> = []
        let due = known.filter { seen.insert($0).inserted && absent.mayTry(BandPath.head(of: $0), at: time.now) }
        guard due.count > mostHeads else { return due }
        let waiting = due.dropFirst().enumerated().map { (look: files[BandPath.head(of: $1)]?.look ?? 0, place: $0, device: $1) }
        return due.prefix(1) + waiting.sorted { ($0.look, $0.place) < ($1.look, $1.place) }.prefix(mostHeads - 1).map(\.device)
    }

    public func doubt() { (reported, foundAt) = ([:], nil) }

    // MARK: - Objects

    /// Always `nil`, because a server cannot be listed. Throws if the place is out of reach.
    public func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? {
        try await find(within: Self.writersAge)
        return nil
    }

    private func get(_ sum: Digest, at path: String, of device: BandDevice, limit: Int) async throws(Trouble) -> [UInt8]? {
        guard look.bytes > 0, look.objects > 0, absent.mayTry(path, at: time.now),
            look.misses[device, default: 0] < Self.mostMissesOfOne
        else { return nil }
        look.objects -= 1
        // A kept beginning may belong to another file, so the second try is without it.
        let beginnings = [parts.removeValue(forKey: path), []].compactMap(\.self)
        for beginning in beginnings {
            if let bytes = try await get(sum, at: path, limit: limit, after: beginning) {
                absent.forget(path)
                return bytes
            }
        }
        noteAbsence(of: path)
        look.misses[device, default: 0] += 1
        return nil
    }

    /// Notes that a file is missing, or unreadable because of `trouble`. After the first time, the file is requested again in the
    /// next look.
    private func noteAbsence(of path: String, because trouble: Trouble? = nil) {
        absent.note(trouble, of: path, at: time.now, free: 1)
    }

    /// The whole file, of which `beginning` has already arrived; `nil` if the file is missing, longer than `limit`, or does not
    /// match the sum.
    private func get(_ sum: Digest, at path: String, limit: Int, after beginning: [UInt8]) async throws(Trouble) -> [UInt8]? {
        var come = beginning
        defer { look.bytes -= max(0, come.count - beginning.count) }
        let isThere: Bool
        do throws(Trouble) {
            isThere = try await line.get(path, limit: limit, after: beginning.count) { piece, offset in
                come.removeSubrange(min(offset, come.count)...)
                come += piece
            }
        } catch {
            if !come.isEmpty, come.count <= limit { keep(beginning: come, of: path) }
            // Leave an unreadable object alone for a while, so that others get their turn. After a few failures, ask for no more
            // in this look.
            noteAbsence(of: path, because: error)
            look.failures += 1
            if look.failures >= Self.mostFailures { look.objects = 0 }
            throw error
        }
        let bytes = come
        guard isThere else { return nil }
        return await side.run { SHA256.digest(of: bytes) == sum } ? bytes : nil
    }

    /// Keeps the beginning of an object. If too many are kept already, it replaces the beginning of an object that could have been
    /// requested again but was not. If there is no such object, the new beginning is not kept.
    private func keep(beginning: [UInt8], of path: String) {
        if parts.count >= Self.mostParts, let idle = parts.keys.filter({ absent.mayTry($0, at: time.now) }).min() { parts[idle] = nil }
        if parts.count < Self.mostParts { parts[path] = beginning }
    }

    /// How long a place counts as present after it was found. For a write, it counts as present only for `writersAge`.
    private static let marksAge: Duration = .seconds(3600)
    private static let writersAge: Duration = .seconds(60)
    private static let mostTries = 3
    private static let mostFailures = 3
    /// The number of missing objects after which a look requests no more objects of that device, so that a device that names many
    /// missing files does not delay the others.
    private static let mostMissesOfOne = 20
    /// How many bytes of files are kept for later use.
    private static let mostKept = 1 << 20
    private static let width = 2
    private static let mostParts = 4
    private static let mostFiles = 4000
}
