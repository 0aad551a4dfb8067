import Band
import BandLayout
import Catalogue
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// The people in the band, what they share, and their reports on the next plans.
struct BandReport: Answer {
    /// A device, and the id of its musician's first device. `member` is `nil` for the device on which the command runs, and while
    /// this home has no library.
    typealias Device = (head: BandHead, member: BandMember?, musician: BandDevice, isOwn: Bool)

    let place: String?
    /// `nil` if this musician is in no band.
    let state: BandPlace?
    /// Why some players in the place may be unknown; `nil` if there is no such reason, or the place cannot be listed.
    let crowd: String?
    /// Grouped by musician, beginning with this device if it has reported to the band.
    let devices: [Device]
    let now: Timestamp
    /// Whether the musician has left the band, but the settings still name its place, since not all marks have been removed from there.
    let hasLeft: Bool
    private let home: HomeID

    @LoopActor
    init(_ home: OpenHome) async throws {
        place = home.configuration.options.band.place
        if let place {
            let carrier = try home.bandCarrier(to: place)
            state = await BandPlace(carrier, of: home.library, in: home.configuration.paths.data)
            crowd = await BandPlace.crowd(in: carrier)
        } else {
            (state, crowd) = (nil, nil)
        }
        now = home.now
        self.home = HomeID(in: home.configuration.paths.data)
        hasLeft = try home.library.band.shares().haveEnded
        let own = try BandWordStore(in: home.library).own()
        let all: [(head: BandHead, member: BandMember?)] =
            (own.map { [($0.head, nil)] } ?? []) + (try home.library.band.members()).map { ($0.head, $0) }
        devices = BandHead.byMusician(all, \.head).flatMap { musician in
            musician.map { device -> Device in (device.head, device.member, musician[0].head.device, device.member == nil) }
        }
    }

    /// For a home that has no library yet: what the place itself says.
    @LoopActor
    init(newcomerTo place: String, _ configuration: Configuration, _ context: CommandContext) async throws {
        self.place = place
        let carrier = try configuration.bandCarrier(to: place, environment: context.environment, clock: context.clock)
        state = await BandPlace(carrier, of: nil)
        home = HomeID(in: configuration.paths.data)
        // Read the heads first: a carrier lists only those that have changed since it listed them before.
        let heads: [BandHead] = if state?.trouble == nil { await BandPlace.heads(in: carrier) } else { [] }
        (crowd, hasLeft, now) = (await BandPlace.crowd(in: carrier), false, context.clock.timestamp)
        devices = BandHead.byMusician(heads, \.self).flatMap { musician in
            musician.map { head -> Device in (head, nil, musician[0].device, false) }
        }
    }

    /// How many layers a device shares. The library keeps another device's head without its layers, so their number comes from `member`.
    private static func shared(_ device: Device) -> Int { device.member?.shared ?? device.head.layers.count }

    static let form = JSONForm<BandReport>([
        .init("place", "the folder that the band shares; null if you play in none", \.place),
        .init("name", "what the band is called; null if that cannot be read") { $0.state?.name },
        .init("trouble", "why the folder is of no use now, in words; null if it is") { $0.state?.trouble },
        .list("devices", "the devices in the band, this one first", of: deviceForm, \.devices),
    ])

    private static let deviceForm = JSONForm<Device>([
        .init("id", "the device's id", \.head.device.text),
        .init("musician", "the id of the musician's first device here: all that have the same are one musician's", \.musician.text),
        .init("person", "who plays there", \.head.person),
        .init("name", "what the device is called", \.head.name),
        .init("is_own", "whether it is this one", \.isOwn),
        .init("said_at", "when its last word was read here; null for this one") { $0.member?.firstReadAt },
        .init("away_since", "since when its files have been gone; null while they are there") { $0.member?.awaySince },
        .init("has_left", "whether it left the band") { $0.member?.hasLeft ?? $0.head.hasLeft },
        .init("is_former", "whether this home was that device before") { $0.member?.isFormer ?? false },
        .init("is_kin", "whether it is another device of this musician") { $0.member?.isKin ?? false },
        .init("left_out", "whether nothing of it is shown here") { $0.member?.isLeftOut ?? false },
        .init("shared", "how many layers of marks it shares", shared),
        .init("shown", "how many of them are shown here") { $0.member?.shown ?? shared($0) },
        .list("plans", "what it says of the next plans", of: BandVerdict.wordForm, \.head.readiness),
    ])

    var code: ExitCode { state?.trouble == nil ? .fine : .notReady }

    static var none: String {
        "you play in no band yet: '\(woodshed("band create FOLDER --name NAME"))' begins one, '\(woodshed("band join FOLDER"))' joins one"
    }

    func print(on output: Output) {
        guard let place else {
            return output.message(Self.none.asSentence)
        }
        output.result((state?.name.map { "\($0), at \(place)" } ?? "The band's place: \(place)").printable)
        if hasLeft {
            output.result("You left this band; '\(woodshed("band leave"))' says whether your marks are out of its place.")
        }
        if let trouble = state?.trouble {
            output.result(
                output.paint("\(trouble). What is here stays; nothing is said or heard until it is back.".printable, .yellow, on: .results))
        }
        if let crowd { output.warning("\(crowd): not everybody may be here".printable) }
        guard !devices.isEmpty else {
            return output.message("Nothing was said or heard there yet; the agent does that: '\(woodshed("agent"))'.")
        }
        let present = devices.filter { $0.member?.isFormer != true }
        for device in present {
            let all = present.filter { $0.musician == device.musician }
            let isFirst = all[0].head.device == device.head.device
            if isFirst {
                output.result("")
                if all.count > 1 { output.result("\(device.head.person), on \(all.count.counted("device"))".printable) }
            }
            // Print the id, too: anyone can choose somebody else's name, but ids are chosen by the program at random.
            let (indent, head) = (all.count == 1 ? "" : "  ", device.head)
            let name = all.count > 1 ? head.name : head.name.isEmpty ? head.person : "\(head.person) (\(head.name))"
            output.result("\(indent)\(device.isOwn ? "Here: " : "")\(name)  \(head.device)".printable)
            for line in lines(of: device) { output.result("\(indent)  \(line)".printable) }
        }
        let former = devices.filter { $0.member?.isFormer == true && !$0.head.hasLeft }
        for member in former.compactMap(\.member) where member.isSpoken(elsewhereThan: home) {
            output.message("")
            output.message("\(member.spokenElsewhere). \(member.advice(for: home.current))".asSentence)
        }
        let left = former.filter { $0.member?.isSpoken(elsewhereThan: home) == false }
        if !left.isEmpty {
            output.message("")
            output.message(
                "This home was \(left.map(\.head.device.text).joined(separator: ", ")) in the band before, and what it shared then is still "
                    + "shown to the others; '\(woodshed("band clear"))' takes that away.")
        }
    }

    private func lines(of device: Device) -> [String] {
        if device.member?.hasLeft ?? device.head.hasLeft { return ["left the band"] }
        var lines: [String] = []
        if device.member?.isLeftOut == true {
            lines.append("left out here: '\(woodshed("band let-in \(device.head.device.text)"))' shows it again")
        }
        if let own = devices.first(where: \.isOwn)?.head, own.kin.contains(device.head.device), device.member?.isKin == false {
            lines.append("taken for yours here; run '\(woodshed("band mine \(own.device)"))' on it, and the others see one musician")
        }
        let shared = Self.shared(device)
        let shown = device.member.map { $0.shown == shared ? "" : ", \($0.shown) of them shown here" } ?? ""
        lines.append(shared == 0 ? "shares no marks" : "shares \(shared.counted("layer")) of marks\(shown)")
        if !device.head.sets.isEmpty {
            let files = Set(device.head.sets.flatMap { $0.files.map(\.object) }).count
            lines.append(
                "shares \(device.head.sets.count.counted("set"))"
                    + (files > 0 ? ", with \(files.counted("chart")) (\(ByteCount(device.head.chartBytes)))" : ""))
        }
        for word in device.head.readiness { lines.append(BandVerdict.words(of: word, now: now)) }
        guard let member = device.member else { return lines }
        if device.head.readiness.isEmpty { lines.append("has said nothing of a plan") }
        lines.append("last heard of \(TimeText.minute(member.firstReadAt))")
        if let time = member.awaySince { lines.append("its files have been gone since \(TimeText.minute(time)); its marks stay") }
        if let time = member.wentBackAt {
            lines.append("an older word of it was put back \(TimeText.minute(time)); the newer one counts")
        }
        return lines
    }
}

extension BandMember {
    /// Whether this is a former device of `home` that has not left the band, and whose head was not last written by `home` in its
    /// present state. Either another laptop has the device's id now, or this laptop was restored from a backup.
    func isSpoken(elsewhereThan home: HomeID) -> Bool { isFormer && !hasLeft && head.writer.map(home.isStrange) == true }

    var spokenElsewhere: String {
        "another laptop speaks to the band as \(device) (\(head.person), \(head.name)), which this home was before; or this one did before it was put back"
            .printable
    }

    /// Explains how to make this device and the home, whose id is now `own`, belong to one musician.
    func advice(for own: String) -> String {
        "If that laptop is yours, run '\(woodshed("band mine \(device)"))' here, and 'woodshed band mine \(own)' there: the others then see each mark "
            + "once"
    }
}
