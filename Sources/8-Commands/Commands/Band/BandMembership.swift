import Band
import BandLayout
import BandStorage
import Catalogue
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Marks
import Model
import Platform

/// Creates or joins a band, decides what is shared with it, and leaves it.
@LoopActor
struct BandMembership {
    let invocation: Invocation
    let context: CommandContext
    let configuration: Configuration
    /// Limits how long the command as a whole waits for servers that do not answer.
    private let patience = ServerPatience()
    /// Whether to keep a copy of the former configuration if somebody has changed it since this program wrote it.
    var keepsFormer = true
    var output: Output { context.output }
    var paths: Paths { configuration.paths }

    init(_ invocation: Invocation, _ context: CommandContext) throws {
        (self.invocation, self.context) = (invocation, context)
        configuration = try context.configuration(invocation)
    }

    // MARK: - Joining

    /// The musician's default name in the band.
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
        if try await isFolder ? hasBandInFolder(place) : hasBandOnServer(place) {
            throw CommandFailure(
                .failed,
                "\(place) is a band's place already; to join it: \(woodshed("band join \(place.shellQuoted)")). If \(BandPath.marker) is lost, "
                    + "whoever plays there puts it back with '\(woodshed("band mend --name NAME"))'")
        }
        let marker = BandMarker(id: BandDevice(HomeID.random()), name: name)
        try await carrier(to: place).put(marker.bytes, as: BandPath.marker)
        try enter(marker, at: place, as: person)
        await ControlClient.reportChange(paths, context)
    }

    /// Whether a server's folder belongs to a band: it has the marker or, if the marker is lost, at least the door, which is the
    /// file that lists the last newcomers.
    private func hasBandOnServer(_ place: String) async throws -> Bool {
        if try await isPlace(place) { return true }
        return try await carrier(to: place).get(BandPath.door, limit: BandDoor.limit) != nil
    }

    /// Creates the folder if it is missing, and returns whether it belongs to a band. Throws if the folder does not answer, as on a
    /// network that is down.
    private func hasBandInFolder(_ place: String) async throws -> Bool {
        let found = try await SideThread().run(within: Configuration.patience, context.clock) { try Self.hasBand(inFolder: place) }
        guard let found else { throw CommandFailure(.notReady, FolderReach.word(place)) }
        return found
    }

    /// Creates the folder, but not the one above. A folder belongs to a band even if its marker cannot be read, or if only the
    /// folder of its devices has arrived.
    private nonisolated static func hasBand(inFolder place: String) throws -> Bool {
        guard access(Folder.parent(of: place), F_OK) == 0 else {
            throw CommandFailure(.failed, "\(Folder.parent(of: place)) is not there; make that folder first, or connect its disk")
        }
        try Folder.create(place, mode: 0o777)
        var status = stat()
        return [BandPath.marker, BandPath.devices].contains { lstat(place + "/" + $0, &status) == 0 }
    }

    func carrier(to place: String) throws -> any BandCarrier {
        try entrance(to: place).carrier()
    }

    func entrance(to place: String) -> BandEntrance {
        BandEntrance(place: place, configuration: configuration, context: context, patience: patience)
    }

    /// Whether the place has a marker, as the place of every band should.
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
                "\(place) has no \(BandPath.marker), so it is no band's place\(isFolder ? ", or has not arrived here yet" : ""). "
                    + (isFolder ? "Wait until your sync program is done" : "Check the address")
                    + "; or, if you are the one who begins: \(woodshed("band create \(place.shellQuoted) --name NAME"))")
        }
        let marker: BandMarker
        do throws(Trouble) {
            marker = try BandMarker(reading: bytes)
        } catch {
            throw CommandFailure(.failed, "\(place)/\(BandPath.marker) \(error)")
        }
        try enter(marker, at: place, as: person)
        await ControlClient.reportChange(paths, context)
    }

    /// The place in the arguments. If the musician is in a band already, throws for any place other than the present one or one to
    /// which the same band has moved.
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

    /// Restores the marker, provided that the heads in the place, including this device's own, agree on this home's band (`BandAgreement`).
    func mend() async throws -> ExitCode {
        try refuseUnlessInBand()
        let place = configuration.options.band.place ?? ""
        guard let name: String = invocation.value("name"), !name.isEmpty else {
            throw CommandFailure(.usage, "say what the band is called: --name Harmony")
        }
        let carrier = try carrier(to: place)
        let bytes = try await entrance(to: place).marker()
        let present = bytes.flatMap { try? BandMarker(reading: $0) }
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        guard let team = try library.band.team() else { throw CommandFailure(.failed, "this home has not read yet whose place that is") }
        guard present?.id != team else {
            output.result("\(place) is the place of \(present?.name ?? name), as it should be.".printable)
            return .fine
        }
        guard let agreement = try await BandAgreement(carrier, library, HomeID(in: paths.data), other: present) else {
            throw CommandFailure(
                .failed,
                "not all who play at \(place) say that it is this band's, or this home has said nothing there: nothing was changed. Ask the "
                    + "others what they play in")
        }
        // Somebody else wrote the false marker, so remove it only if it is still the file that was examined. No other file written
        // by others is ever removed from a band's place.
        if bytes != nil {
            carrier.doubt()
            guard try await carrier.get(BandPath.marker, limit: BandMarker.limit) == bytes else {
                throw CommandFailure(
                    .failed, "somebody changed \(place)/\(BandPath.marker) just now: look again with '\(woodshed("band"))'")
            }
            try await carrier.remove(BandPath.marker)
        }
        do {
            try await carrier.put(BandMarker(id: agreement.team, name: name).bytes, as: BandPath.marker)
        } catch {
            throw CommandFailure(CommandFailure(of: error).code, "\(error). \(place) may have no \(BandPath.marker) now: do this again")
        }
        output.result("\(place) is the place of \(name) again; \(agreement.devices.count.counted("device")) there said so.".printable)
        await ControlClient.reportChange(paths, context)
        return .fine
    }

    private func enter(_ marker: BandMarker, at place: String, as person: String?) throws {
        // The library must name the band before an agent reads the new settings, so write to the library first.
        if access(paths.data + "/catalogue.sqlite", F_OK) == 0 {
            try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.enter(marker.id) }
        }
        try write { options in
            options.band.place = place
            // Options for the server that were given on the command line become settings, so that the agent has them, too.
            let band = configuration.options.band
            (options.band.endpoint, options.band.region) = entrance(to: place).server
            (options.band.keyFile, options.band.keyCommand) = (band.keyFile, band.keyCommand)
            if let person { options.band.person = person }
        }
        var options = configuration.options
        if let person { options.band.person = person }
        output.result("You are in \(marker.name) as \(options.bandPerson); its place is \(place).".printable)
        let known = try? Library.change(in: paths.data) { library throws(LibraryError) in
            (shares: try library.band.shares(), isAlone: try library.band.kin(of: BandDevice(HomeID(in: paths.data).current)).isEmpty)
        }
        let ending = "'\(woodshed("band share --all --off"))' ends that"
        if known.map({ $0.shares.areAllShared || !$0.shares.others.isEmpty }) ?? false {
            output.message("What you shared before is shared again; \(ending).")
        } else if known?.isAlone == false {
            output.message("If a device that you named as yours shares marks, this one does, too; \(ending) on all of them.")
        } else {
            // There is nothing to share, and so nothing that the command could do, before anything was fetched.
            let when = access(paths.data + "/catalogue.sqlite", F_OK) == 0 ? ":" : ". Once your plans are here,"
            output.message(
                "Nothing of yours is shared yet, except whether you are ready\(when) '\(woodshed("band share --all"))' shares your marks.")
        }
        output.message("'\(woodshed("band"))' tells who else is there.")
        if let warning = entrance(to: place).warning { output.warning(warning.printable) }
        // A demo reads its settings when it starts, unlike an agent.
        if DemoAddress.isHome(ofDemo: paths.data) { output.message("If the demo is running, end it first: it reads this when it starts.") }
        sayWhoDoesIt()
    }

    func write(_ change: (inout Options) -> Void) throws {
        let sources = ConfigurationSources(invocation, environment: context.environment)
        let file = Paths.configurationFile(sources)
        var options = try Configuration.ownOptions(sources)
        let former = options
        change(&options)
        guard options != former else { return }
        try Folder.create(Folder.parent(of: file))
        let machine = try Configuration.machineOptions(sources)
        // A file that this program wrote and nobody has changed since contains nothing by the musician.
        let isUntouched = (try? AtomicFile.read(file, limit: 1 << 20)) == Array(former.explainedFile(besides: machine).utf8)
        if keepsFormer, !isUntouched, let name = try FormerFile.keep(file) {
            output.message("Kept the configuration as it was as \(name).")
        }
        try AtomicFile.write(options.explainedFile(besides: machine), to: file)
    }

    /// Prints why the marks cannot be shared right now: the place is away, or no agent is running. Prints nothing if neither is the case.
    func sayWhetherItHappens(at place: String) async {
        let team = try? Library.change(in: paths.data) { library throws(LibraryError) in try library.band.team() }
        if let carrier = try? carrier(to: place), let trouble = await BandPlace(carrier, of: team ?? nil).trouble {
            return output.warning("\(trouble); that happens once it is back".printable)
        }
        sayWhoDoesIt()
    }

    func sayWhoDoesIt() {
        guard ControlClient.find(paths, clock: context.clock) == nil else { return }
        let who: String
        if DemoAddress.isHome(ofDemo: paths.data) {
            who = "'\(woodshed("demo"))' runs again"
        } else if SecretSource(configuration.options.account) == nil, !configuration.hasSetsAlone {
            who = "your account is set up with '\(woodshed("setup"))', and '\(woodshed("agent"))' runs"
        } else {
            who = "'\(woodshed("agent"))' runs"
        }
        output.message("The others hear of it once \(who).")
    }

    func refuseUnlessInBand() throws(CommandFailure) {
        guard configuration.options.band.place == nil else { return }
        throw CommandFailure(.failed, BandReport.none)
    }
}
