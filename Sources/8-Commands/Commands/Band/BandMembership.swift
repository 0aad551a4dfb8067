import Band
import BandLayout
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
        switch (invocation.argument("chart") as String?, isAll) {
        case (let name?, false):
            let library = try OpenHome.library(configuration)
            defer { library.close() }
            let chart = try ChartFinder(library).find(name)
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.share(chart.attachment, !isOff) }
            output.result(
                (isOff ? "The band sees your marks on \(chart.filename) no longer." : "The band sees your marks on \(chart.filename).")
                    .printable)
        case (nil, true):
            try OpenHome.library(configuration).close()
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.shareAll(!isOff) }
            output.result(isOff ? "The band sees none of your marks any more." : "The band sees your marks on all charts.")
        default: throw CommandFailure(.usage, "say what to share: a chart, or --all")
        }
        await ControlClient.tellChange(paths, context)
        await sayWhetherItHappens(at: configuration.options.band.place ?? "")
        return .fine
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
        // A person's name counts for every device, and for those to come.
        let meant = people.isEmpty ? devices : people.sorted()
        try Library.change(in: paths.data) { library throws(LibraryError) in
            for name in meant { try library.band.setLeftOut(isLeftOut, name) }
        }
        let who = people.sorted().first ?? name
        output.result((isLeftOut ? "Nothing of \(who) is shown here any more." : "What \(who) shares is shown again.").printable)
        await ControlClient.tellChange(paths, context)
        return .fine
    }

    // MARK: - Leaving

    func leave() async throws -> ExitCode {
        try refuseUnlessInBand()
        guard let place = configuration.options.band.place else { return .failed }
        var stays: String?
        if access(paths.data + "/catalogue.sqlite", F_OK) == 0 {
            let team = try Library.change(in: paths.data) { library throws(LibraryError) in
                try library.band.setLeft(true)
                _ = try library.band.takeBack(at: context.clock.timestamp)
                return try library.band.team()
            }
            await ControlClient.tellChange(paths, context)
            stays = await BandPlace(try carrier(to: place), of: team).trouble
            if stays == nil, try await !isSaid(at: place) { try await say(at: place) }
        }
        try write { options in
            (options.band.place, options.band.endpoint, options.band.region) = (nil, nil, nil)
            (options.band.keyFile, options.band.keyCommand) = (nil, nil)
        }
        if let stays {
            output.result(
                "You left the band. \(stays), so what you shared there stays there. To take it away once the place is back, join and leave again."
                    .printable)
        } else {
            entrance(to: place).forgetKey()
            output.result("You left the band; your marks are out of \(place), and still here.".printable)
        }
        return .fine
    }

    /// Whether nothing of this device is in the place but the word that it left.
    private func isSaid(at place: String) async throws -> Bool {
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        guard let own = try library.band.own(), own.team == (try library.band.team()),
            own.head.device.text == HomeID(in: paths.data).current
        else { return true }
        let carrier = try carrier(to: place)
        guard let bytes = try await carrier.get(BandPath.head(of: own.head.device), limit: BandHead.limit),
            let head = try? BandHead.read(bytes).head
        else { return false }
        // Where nothing can be listed, what is still to be removed is known here.
        let objects = try await carrier.objects(of: own.head.device)
        return try head.hasLeft && (objects?.isEmpty ?? library.band.dropped().isEmpty)
    }

    /// While an agent runs, it alone writes there.
    private func say(at place: String) async throws {
        if ControlClient.find(paths, clock: context.clock) == nil { return try await sayNow(at: place) }
        for _ in 0..<100 {
            if try await isSaid(at: place) { return }
            try await context.clock.sleep(for: .milliseconds(200))
        }
        throw CommandFailure(
            .failed, "the agent could not take your marks out of \(place): '\(woodshed("status"))' says why. Then leave again")
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
        _ = try await writer.write([])
    }

    private func refuseUnlessInBand() throws(CommandFailure) {
        guard configuration.options.band.place == nil else { return }
        throw CommandFailure(.failed, BandReport.none)
    }
}
