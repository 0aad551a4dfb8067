import Band
import BandLayout
import Catalogue
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Model
import Platform

/// Withdraws marks from the band's place, and leaves the band.
extension BandMembership {
    func leave() async throws -> ExitCode {
        try refuseUnlessInBand()
        guard let place = configuration.options.band.place else { return .failed }
        var (stays, others): (String?, [BandMember]) = (nil, [])
        let isAlone = invocation.has("device")
        var wasAlone = isAlone
        try decideOnFormer()
        if access(paths.data + "/catalogue.sqlite", F_OK) == 0 {
            let (team, isAgain) = try Library.change(in: paths.data) { library throws(LibraryError) in
                let hadLeft = try library.band.shares().haveEnded
                others = try library.band.members().filter { $0.isKin && !$0.hasLeft }
                let hadLeftAlone = try library.band.hasLeftAlone()
                if !hadLeft || hadLeftAlone && !isAlone { try library.band.setLeft(true, alone: isAlone) }
                wasAlone = try library.band.hasLeftAlone()
                _ = try library.band.removeUnshared(at: context.clock.timestamp)
                return (try library.band.team(), hadLeft)
            }
            await ControlClient.reportChange(paths, context)
            stays = await BandPlace(try carrier(to: place), of: team).trouble
            // Only the settings name the place from which the marks must still be removed, so keep the settings. If the command is
            // run again, they go nevertheless.
            if let stays, !isAgain {
                output.result(
                    ("\(wasAlone ? "This device" : "You") left the band, and nothing of it is shown here any more. But \(stays), so what you shared is still there; the agent takes "
                        + "it away once the place is back, and '\(woodshed("status"))' says if it could not. Only if the place is gone for good, run the same command again: it then goes without that.")
                        .printable)
                return .notReady
            }
            if stays == nil, let trouble = await carryOut(at: place, until: isSaid) {
                throw CommandFailure(.notReady, "\(trouble) Afterwards, leave again")
            }
        }
        try write { options in
            (options.band.place, options.band.endpoint, options.band.region) = (nil, nil, nil)
            (options.band.keyFile, options.band.keyCommand) = (nil, nil)
        }
        if let stays {
            entrance(to: place).tellKept()
            output.result(
                "You are out of the band. \(stays), so what you shared there is still there, and nothing will take it away: join and leave again for that."
                    .printable)
        } else {
            entrance(to: place).forgetKey()
            let who = wasAlone ? "This device left the band; its marks" : "You left the band; your marks"
            output.result("\(who) are out of \(place), and still here.".printable)
            let named = others.map { "\($0.head.name) (\($0.device))" }.joined(separator: ", ")
            if !others.isEmpty {
                output.result(
                    "Your other devices \(wasAlone ? "play on" : "leave it, too, as soon as they read that"): \(named).".printable)
            }
        }
        return stays == nil ? .fine : .notReady
    }

    /// If this home still shares marks as former devices, throws unless the user has decided about these marks, since they can no
    /// longer be removed after leaving. With --former, has the marks removed, but throws if another laptop uses one of the former
    /// devices.
    private func decideOnFormer() throws {
        let (isAll, isAlone): (Bool, Bool) = (invocation.has("former"), invocation.has("device"))
        guard access(paths.data + "/catalogue.sqlite", F_OK) == 0 else { return }
        let home = HomeID(in: paths.data)
        let (former, inUse) = try Library.change(in: paths.data) { library throws(LibraryError) in
            let all = try library.band.members().filter { $0.isFormer && !$0.hasLeft }
            let inUse = all.first { $0.isSpoken(elsewhereThan: home) }
            if isAll, inUse == nil { try library.band.clearFormer() }
            return (try library.band.formerDevices(sharing: nil), inUse)
        }
        if isAll, let inUse {
            throw CommandFailure(
                .usage, "\(inUse.spokenElsewhere), which would leave, too: add --device instead, to leave with this device alone")
        }
        guard !former.isEmpty, !isAll, !isAlone else { return }
        throw CommandFailure(
            .usage,
            "this home was \(former.map(\.text).joined(separator: ", ")) in the band before, and that still shares marks: add --former to take those "
                + "away, too, or --device to leave with this device alone, as when that is another laptop of yours now")
    }

    /// Whether leaving is complete: nothing is left to remove, this device has nothing in the place except its notice of leaving,
    /// and the withdrawn marks of this musician's other devices are gone from the place.
    private func isSaid(in carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        // If the place cannot be listed, only the library shows which files are still to be removed.
        guard try library.band.toBeCleared().isEmpty, try BandWordStore(in: library).dropped().isEmpty else { return false }
        for (device, object) in try library.band.unsharedByKin() {
            if try await isThere(object, of: device, in: carrier) { return false }
        }
        let device = BandDevice(HomeID(in: paths.data).current)
        if let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) {
            guard try BandHead.read(bytes).head.hasLeft else { return false }
        }
        return try await carrier.objects(of: device)?.isEmpty ?? true
    }

    private func sayNow(at place: String) async throws {
        let home = try OpenHome(configuration, for: .changing, context)
        defer { home.close() }
        let (carrier, id) = (try carrier(to: place), HomeID(in: paths.data))
        let log = output.log(from: .warning)
        let reader = BandReader(library: home.library, carrier: carrier, home: id, time: context.clock, log: log)
        if let trouble = try await reader.readBand().trouble { throw CommandFailure(.failed, "\(trouble)") }
        let writer = BandWriter(
            library: home.library, carrier: carrier, reader: reader, home: id, person: configuration.options.bandPerson,
            name: configuration.options.bandDevice, time: context.clock, log: log)
        // The next plans are not checked here, so the last report on them is written again, with its own time.
        let said = try writer.word.own()?.head
        _ = try await writer.write(said?.readiness ?? [], asOf: said?.asOf)
    }

    // MARK: - Until it is done

    /// Removes what former devices of this home left in the place.
    func clear() async throws -> ExitCode {
        try refuseUnlessInBand()
        let named: String? = invocation.argument("device")
        let home = HomeID(in: paths.data)
        let (former, inUse) = try Library.change(in: paths.data) { library throws(LibraryError) in
            let inUse = named == nil ? try library.band.members().filter { $0.isSpoken(elsewhereThan: home) } : []
            try library.band.clearFormer(named.map { BandDevice($0) }, but: inUse.map(\.device))
            return (try library.band.toBeCleared().map(\.device), inUse.first)
        }
        if former.isEmpty {
            if let named {
                throw CommandFailure(.usage, "this home was not \(named) in the band before; '\(woodshed("band"))' names such devices")
            }
            if let inUse { throw spared(inUse, home) }
            output.result("Nothing is there of devices that this home was before.")
            return .fine
        }
        await ControlClient.reportChange(paths, context)
        if let trouble = await carryOut(at: configuration.options.band.place ?? "", until: isCleared) {
            output.result("What this home shared before is still there. \(trouble)".printable)
        } else {
            output.result("What this home shared before, as \(former.map(\.text).joined(separator: ", ")), is out of the band's place.")
        }
        if let inUse { throw spared(inUse, home) }
        return .fine
    }

    /// The message that `member`, a former device of this home, was not cleared, and what the musician can do about that.
    private func spared(_ member: BandMember, _ home: HomeID) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(member.spokenElsewhere). It would leave the band, so it stays as it is. \(member.advice(for: home.current)). If nobody uses it any "
                + "more, '\(woodshed("band clear \(member.device)"))' clears it")
    }

    /// Has what the library says, such as which marks are shared, carried out in the place, and checks the result with `isDone`. If
    /// an agent is running, waits up to 20 s for the agent to do it; otherwise, this command does it itself. Returns `nil` if all
    /// is done, otherwise the reason and what happens next.
    func carryOut(at place: String, until isDone: (any BandCarrier) async throws -> Bool) async -> String? {
        do {
            let carrier = try carrier(to: place)
            let team = try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.team() }
            if let trouble = await BandPlace(carrier, of: team).trouble {
                return "\(trouble). An agent takes it away once the place is back".asSentence
            }
            guard ControlClient.find(paths, clock: context.clock) != nil else {
                try await sayNow(at: place)
                return try await isDone(carrier)
                    ? nil : "It could not be taken away yet, and no agent runs that would try again: '\(woodshed("agent"))'."
            }
            for _ in 0..<100 {
                if try await isDone(carrier) { return nil }
                try await context.clock.sleep(for: .milliseconds(200))
            }
            return "The agent has not taken it away yet and goes on trying: '\(woodshed("status"))' says what is in the way."
        } catch {
            let reason = (error as? CommandFailure)?.message ?? "\(error)"
            return "\(reason). The agent takes it away as soon as it can; if none runs, nothing does".asSentence
        }
    }

    /// Whether the place has an object. If the place cannot be listed, the object itself is requested.
    private func isThere(_ object: Digest, of device: BandDevice, in carrier: any BandCarrier) async throws -> Bool {
        if let objects = try await carrier.objects(of: device) { return objects[object] != nil }
        return try await carrier.get(BandPath.object(object, of: device), limit: BandStore.longestObject) != nil
    }

    private func isCleared(_ carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        return try library.band.toBeCleared().isEmpty
    }

    /// Whether the marks that this musician took back are gone from the place. Of this device's marks, only those on `chart` are
    /// checked, or all if it is `nil`; of the musician's other devices, all marks are checked in any case.
    func isTakenBack(_ chart: AttachmentID?, in carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        for (device, object) in try library.band.unsharedByKin() {
            if try await isThere(object, of: device, in: carrier) { return false }
        }
        let device = BandDevice(HomeID(in: paths.data).current)
        guard let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) else { return true }
        let layers = try BandHead.read(bytes).head.layers
        guard let chart else { return layers.isEmpty }
        let hashes = try library.band.hashes(of: chart)
        return !layers.contains { hashes.contains($0.chart) }
    }
}
