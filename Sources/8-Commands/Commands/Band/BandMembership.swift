import Band
import BandLayout
import Catalogue
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Marks
import Model
import Platform

/// Comes to a band, says what it may see, and leaves it.
@LoopActor
struct BandMembership {
    private let invocation: Invocation
    private let context: CommandContext
    private let configuration: Configuration
    /// Whether the configuration is kept as it was before.
    var keepsFormer = true
    private var output: Output { context.output }
    private var paths: Paths { configuration.paths }

    init(_ invocation: Invocation, _ context: CommandContext) throws {
        (self.invocation, self.context) = (invocation, context)
        configuration = try context.configuration(invocation)
    }

    // MARK: - Coming

    /// What the others call the musician if nobody says anything else.
    var usualPerson: String { configuration.options.bandPerson }

    func create() async throws -> ExitCode {
        let place = try await chosenPlace()
        let name: String? = invocation.value("name")
        guard let name, !name.isEmpty else { throw CommandFailure(.usage, "say what the band is called: --name Harmony") }
        try await create(at: place, name: name, as: invocation.value("person"))
        return .fine
    }

    func create(at place: String, name: String, as person: String?) async throws {
        let isFolder = try carrier(to: place).canList
        if try await isFolder ? hasBand(inFolder: place) : isPlace(place) {
            throw CommandFailure(
                .failed,
                "\(place) is a band's place already; to join it, once \(BandPath.marker) has arrived: "
                    + woodshed("band join \(place.shellQuoted)"))
        }
        let marker = BandMarker(id: BandDevice(HomeID.random()), name: name)
        try await carrier(to: place).put(marker.bytes, as: BandPath.marker)
        try enter(marker, at: place, as: person)
    }

    /// Makes the folder. One whose marker cannot be read, or of which only the rest has arrived, is a band's, too.
    private func hasBand(inFolder place: String) throws -> Bool {
        guard access(Folder.parent(of: place), F_OK) == 0 else {
            throw CommandFailure(.failed, "\(Folder.parent(of: place)) is not there; make that folder first, or connect its disk")
        }
        try Folder.create(place, mode: 0o777)
        var status = stat()
        return [BandPath.marker, BandPath.devices].contains { lstat(place + "/" + $0, &status) == 0 }
    }

    private func carrier(to place: String) throws -> any BandCarrier {
        try entrance(to: place).carrier()
    }

    private func entrance(to place: String) -> BandEntrance {
        BandEntrance(place: place, configuration: configuration, context: context)
    }

    /// Whether a band is there.
    func isPlace(_ place: String) async throws -> Bool { try await entrance(to: place).marker() != nil }

    func join() async throws -> ExitCode {
        try await join(at: try await chosenPlace(), as: invocation.value("person"))
        return .fine
    }

    func join(at place: String, as person: String?) async throws {
        guard let bytes = try await entrance(to: place).marker() else {
            let isFolder = try carrier(to: place).canList
            throw CommandFailure(
                .failed,
                "\(place) has no \(BandPath.marker), so it is no band's place\(isFolder ? ", or has not arrived here yet" : ""). Whoever begins uses "
                    + "'\(woodshed("band create"))'; \(isFolder ? "otherwise wait until your sync program is done" : "otherwise check the address")"
            )
        }
        let marker: BandMarker
        do throws(BandFault) {
            marker = try BandMarker(reading: bytes)
        } catch {
            throw CommandFailure(.failed, "\(place)/\(BandPath.marker) \(error)")
        }
        try enter(marker, at: place, as: person)
    }

    /// The place that was named. Where one plays already, that must be the same band, which has moved.
    private func chosenPlace() async throws -> String {
        let place = invocation.argument("place") as String? ?? ""
        if let present = configuration.options.band.place, present != place {
            let team = try? Library.change(in: paths.data) { library throws(LibraryError) in try library.band.team() }
            if let team, let bytes = try await entrance(to: place).marker(), (try? BandMarker(reading: bytes))?.id == team { return place }
            throw CommandFailure(
                .failed, "you play in the band at \(present) already; '\(woodshed("band leave"))' leaves it")
        }
        return place
    }

    private func enter(_ marker: BandMarker, at place: String, as person: String?) throws {
        // Before an agent reads the new settings.
        if access(paths.data + "/catalogue.sqlite", F_OK) == 0 {
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.enter(marker.id) }
        }
        try write { options in
            options.band.place = place
            // What was said on the command line holds from now on.
            let band = configuration.options.band
            (options.band.endpoint, options.band.region) = entrance(to: place).server
            (options.band.keyFile, options.band.keyCommand) = (band.keyFile, band.keyCommand)
            if let person { options.band.person = person }
        }
        var options = configuration.options
        if let person { options.band.person = person }
        output.result("You are in \(marker.name) as \(options.bandPerson); its place is \(place).".printable)
        let shares = try? Library.change(in: paths.data) { library throws(LibraryError) in try library.band.shares() }
        let isShared = shares.map { $0.areAllShared || !$0.others.isEmpty } ?? false
        output.message(
            isShared
                ? "What you shared before is shared again; '\(woodshed("band share --all --off"))' ends that."
                : "Nothing of yours is shared yet, except whether you are ready: '\(woodshed("band share --all"))' shares your marks.")
        output.message("'\(woodshed("band"))' tells who else is there.")
        if let warning = entrance(to: place).warning { output.warning(warning.printable) }
        sayWhoDoesIt()
    }

    private func write(_ change: (inout Options) -> Void) throws {
        let sources = ConfigurationSources(invocation, environment: context.environment)
        let file = Paths.configurationFile(sources)
        var options = try Configuration.ownOptions(sources)
        let former = options
        change(&options)
        guard options != former else { return }
        try Folder.create(Folder.parent(of: file))
        let machine = try Configuration.machineOptions(sources)
        // What was written here and not touched since has nothing of the musician's to lose.
        let isUntouched = (try? AtomicFile.read(file, limit: 1 << 20)) == Array(former.explainedFile(besides: machine).utf8)
        if keepsFormer, !isUntouched, let name = try FormerFile.keep(file) {
            output.message("Kept the configuration as it was as \(name).")
        }
        try AtomicFile.write(options.explainedFile(besides: machine), to: file)
    }

    /// Whoever shares wants to know whether that can happen now.
    private func sayWhetherItHappens(at place: String) async {
        let team = try? Library.change(in: paths.data) { library throws(LibraryError) in try library.band.team() }
        if let carrier = try? carrier(to: place), let trouble = await BandPlace(carrier, of: team ?? nil).trouble {
            return output.warning("\(trouble); that happens once it is back".printable)
        }
        sayWhoDoesIt()
    }

    private func sayWhoDoesIt() {
        guard ControlClient.find(paths, clock: context.clock) == nil else { return }
        output.message("That happens once an agent runs: '\(woodshed("agent"))'.")
    }

    // MARK: - Sharing

    func share() async throws -> ExitCode {
        try refuseUnlessInBand()
        let (isOff, isAll): (Bool, Bool) = (invocation.has("off"), invocation.has("all"))
        let place = configuration.options.band.place ?? ""
        var chart: AttachmentID?
        var marks = "your marks on all charts"
        switch (invocation.argument("chart") as String?, isAll) {
        case (let name?, false):
            let library = try OpenHome.library(configuration)
            defer { library.close() }
            let found = try ChartFinder(library).find(name)
            (chart, marks) = (found.attachment, "your marks on \(found.filename)")
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.share(found.attachment, !isOff) }
        case (nil, true):
            try OpenHome.library(configuration).close()
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.shareAll(!isOff) }
        default: throw CommandFailure(.usage, "say what to share: a chart, or --all")
        }
        await ControlClient.tellChange(paths, context)
        guard isOff else {
            output.result("The band sees \(marks).".printable)
            await sayWhetherItHappens(at: place)
            return .fine
        }
        let trouble = await carryOut(at: place) { carrier in try await isTakenBack(chart, in: carrier) }
        if let trouble {
            output.result("You share \(marks) no longer, but what the band was shown is still there. \(trouble)".printable)
        } else {
            let others = try othersOfMine(sharing: chart)
            output.result("\(others.isEmpty ? "The band" : "Of this device, the band") sees \(marks) no longer.".printable)
            for line in others { output.result(line.printable) }
        }
        return .fine
    }

    /// What other devices of this musician still share, and what ends that.
    private func othersOfMine(sharing chart: AttachmentID?) throws -> [String] {
        let (former, named) = try Library.change(in: paths.data) { library throws(LibraryError) in
            (try library.band.formerDevices(sharing: chart), try library.band.namedDevices(sharing: chart))
        }
        func list(_ devices: [BandDevice]) -> String { devices.map(\.text).joined(separator: ", ") }
        return
            (former.isEmpty
            ? []
            : [
                "\(list(former)), which this home was before, still shares: '\(woodshed("band clear"))' takes that away, unless it is another laptop of yours now."
            ])
            + (named.isEmpty
                ? []
                : [
                    "\(list(named)), which is named here as yours, has not named this device yet, and still shares: run 'woodshed band mine' there, too."
                ])
    }

    /// Names another device as this musician's, or no longer.
    func setMine() async throws -> ExitCode {
        try refuseUnlessInBand()
        let (name, isOff): (String, Bool) = (invocation.argument("device") ?? "", invocation.has("off"))
        let own = HomeID(in: paths.data).current
        guard let device = BandDevice(checking: name), device.text != own else {
            throw CommandFailure(.usage, "'\(name)' is no other device's id; '\(woodshed("band"))' shows those")
        }
        let member = try Library.change(in: paths.data) { library throws(LibraryError) in
            try library.band.setKin(device, !isOff)
            return try library.band.members().first { $0.device == device }
        }
        await ControlClient.tellChange(paths, context)
        let who = member.map { "\($0.head.person) (\($0.head.name), \(device))" } ?? "\(device)"
        if isOff {
            output.result("\(who) is taken for somebody else's.".printable)
        } else if member?.head.kin.contains(BandDevice(own)) == true {
            output.result("\(who) is yours, as it says, too.".printable)
        } else {
            output.result("\(who) is yours once it says so, too; there, run: woodshed band mine \(own)".printable)
        }
        return .fine
    }

    /// What devices that this home was before left in the place.
    func clear() async throws -> ExitCode {
        try refuseUnlessInBand()
        let former = try Library.change(in: paths.data) { library throws(LibraryError) in
            try library.band.clearFormer()
            return try library.band.toBeCleared()
        }
        guard !former.isEmpty else {
            output.result("Nothing is there of devices that this home was before.")
            return .fine
        }
        await ControlClient.tellChange(paths, context)
        if let trouble = await carryOut(at: configuration.options.band.place ?? "", until: isCleared) {
            output.result("What this home shared before is still there. \(trouble)".printable)
        } else {
            output.result("What this home shared before, as \(former.map(\.text).joined(separator: ", ")), is out of the band's place.")
        }
        return .fine
    }

    /// Has the place follow what was said here, by the agent or, if none runs, by this command; and looks whether it did. Returns why it
    /// did not, and what happens next.
    private func carryOut(at place: String, until isDone: (any BandCarrier) async throws -> Bool) async -> String? {
        do {
            let carrier = try carrier(to: place)
            let team = try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.team() }
            if let trouble = await BandPlace(carrier, of: team).trouble {
                return "\(trouble). An agent takes it away once the place is back.".asSentence
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
            return "\(error). The agent takes it away as soon as it can; if none runs, nothing does.".asSentence
        }
    }

    private func isCleared(_ carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        return try library.band.toBeCleared().isEmpty
    }

    /// Whether no word of this home in the place names marks on this chart, or on any.
    private func isTakenBack(_ chart: AttachmentID?, in carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        for (device, object) in try library.band.takenBackFromKin() {
            if try await carrier.objects(of: device)?[object] != nil { return false }
        }
        let device = BandDevice(HomeID(in: paths.data).current)
        guard let bytes = try await carrier.get(BandPath.head(of: device), limit: BandHead.limit) else { return true }
        let layers = try BandHead.read(bytes).head.layers
        guard let chart else { return layers.isEmpty }
        let hashes = try library.band.hashes(of: chart)
        return !layers.contains { hashes.contains($0.chart) }
    }

    func setLeftOut(_ isLeftOut: Bool) async throws -> ExitCode {
        let name = invocation.argument("who") as String? ?? ""
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let wanted = name.searched
        let members = try library.band.members()
        let people = Set(members.map(\.head.person).filter { $0.searched == wanted })
        let devices = members.filter { [$0.head.name, $0.device.text].contains { $0.searched == wanted } }.map(\.device.text)
        guard !people.isEmpty || !devices.isEmpty else {
            let names = members.map { "\($0.head.person) (\($0.head.name), \($0.device))" }
            throw CommandFailure(
                .failed, "nobody in the band is called \(name)" + (names.isEmpty ? "" : "; there are: \(names.joined(separator: "; "))"))
        }
        // A person's name counts for every device, and for those to come. Who is let in was left out by either.
        let names = people.union(members.filter { devices.contains($0.device.text) }.map(\.head.person))
        let all = members.filter { names.contains($0.head.person) }
        let meant =
            if isLeftOut { people.isEmpty ? devices : people.sorted() } else {
                Set(all.flatMap { [$0.head.person, $0.device.text] }).sorted()
            }
        try Library.change(in: paths.data) { library throws(LibraryError) in
            for name in meant { try library.band.setLeftOut(isLeftOut, name) }
        }
        let who = people.sorted().first ?? name
        let shown = Set(all.map { "\($0.head.person) (\($0.head.name), \($0.device))" }).sorted().joined(separator: "; ")
        output.result((isLeftOut ? "Nothing of \(who) is shown here any more." : "Shown again: \(shown).").printable)
        await ControlClient.tellChange(paths, context)
        return .fine
    }

    // MARK: - Leaving

    func leave() async throws -> ExitCode {
        try refuseUnlessInBand()
        guard let place = configuration.options.band.place else { return .failed }
        var stays: String?
        try decideOnFormer()
        if access(paths.data + "/catalogue.sqlite", F_OK) == 0 {
            let (team, isAgain) = try Library.change(in: paths.data) { library throws(LibraryError) in
                let hadLeft = try library.band.shares().haveEnded
                if !hadLeft { try library.band.setLeft(true) }
                _ = try library.band.takeBack(at: context.clock.timestamp)
                return (try library.band.team(), hadLeft)
            }
            await ControlClient.tellChange(paths, context)
            stays = await BandPlace(try carrier(to: place), of: team).trouble
            // The settings stay until all is done: they say where that is.
            if let stays, !isAgain {
                output.result(
                    ("You left the band, and nothing of it is shown here any more. But \(stays), so what you shared is still there; the agent takes "
                        + "it away once the place is back, and '\(woodshed("band leave"))' says whether it did. The same command now goes without that.")
                        .printable)
                return .fine
            }
            if stays == nil, let trouble = await carryOut(at: place, until: isSaid) {
                throw CommandFailure(.failed, "\(trouble) Afterwards, leave again")
            }
        }
        try write { options in
            (options.band.place, options.band.endpoint, options.band.region) = (nil, nil, nil)
            (options.band.keyFile, options.band.keyCommand) = (nil, nil)
        }
        if let stays {
            output.result(
                "You are out of the band. \(stays), so what you shared there is still there, and nothing will take it away: join and leave again for that."
                    .printable)
        } else {
            entrance(to: place).forgetKey()
            output.result("You left the band; your marks are out of \(place), and still here.".printable)
        }
        return .fine
    }

    /// Who leaves cannot clear afterwards what devices that this home was before share.
    private func decideOnFormer() throws {
        let (isAll, isAlone): (Bool, Bool) = (invocation.has("former"), invocation.has("device"))
        guard access(paths.data + "/catalogue.sqlite", F_OK) == 0 else { return }
        let former = try Library.change(in: paths.data) { library throws(LibraryError) in
            if isAll { try library.band.clearFormer() }
            return try library.band.formerDevices(sharing: nil)
        }
        guard !former.isEmpty, !isAll, !isAlone else { return }
        throw CommandFailure(
            .usage,
            "this home was \(former.map(\.text).joined(separator: ", ")) in the band before, and that still shares marks: add --former to take those "
                + "away, too, or --device to leave with this device alone, as when that is another laptop of yours now")
    }

    /// Whether nothing of this device is in the place but the word that it left, nor marks of others of this musician.
    private func isSaid(in carrier: any BandCarrier) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        // Where nothing can be listed, what is still to be removed is known here.
        guard try library.band.toBeCleared().isEmpty, try library.band.dropped().isEmpty else { return false }
        for (device, object) in try library.band.takenBackFromKin() {
            if try await carrier.objects(of: device)?[object] != nil { return false }
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
        if let trouble = try await reader.look().trouble { throw CommandFailure(.failed, "\(trouble)") }
        let writer = BandWriter(
            library: home.library, carrier: carrier, reader: reader, home: id, person: configuration.options.bandPerson,
            name: configuration.options.bandDevice, time: context.clock, log: log)
        // What was said of the next plans still holds.
        let said = try home.library.band.own()?.head
        _ = try await writer.write(said?.readiness ?? [], asOf: said?.asOf)
    }

    private func refuseUnlessInBand() throws(CommandFailure) {
        guard configuration.options.band.place == nil else { return }
        throw CommandFailure(.failed, BandReport.none)
    }
}
