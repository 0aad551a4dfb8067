import BandLayout
import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// Who is in the band, what they share, and what they say of the next plans.
struct BandReport: Answer {
    /// The device that says it, and what was heard of it here; `heard` is `nil` for this one.
    typealias Device = (head: BandHead, heard: BandMember?)

    let place: String?
    /// How the place is now.
    let state: BandPlace?
    /// Why not everybody in it may be known.
    let crowd: String?
    let devices: [Device]
    let now: Timestamp
    /// Whether leave was taken, and not all of it is done yet.
    let hasLeft: Bool

    @LoopActor
    init(_ home: OpenHome) async throws {
        place = home.configuration.options.band.place
        if let place {
            let carrier = try home.bandCarrier(to: place)
            state = await BandPlace(carrier, of: try home.library.band.team())
            crowd = await BandPlace.crowd(in: carrier)
        } else {
            (state, crowd) = (nil, nil)
        }
        now = home.now
        hasLeft = try home.library.band.shares().haveEnded
        let own = try home.library.band.own()
        devices = (own.map { [($0.head, nil)] } ?? []) + (try home.library.band.members()).map { ($0.head, $0) }
    }

    /// A member's head is without the layers.
    private static func shared(_ device: Device) -> Int { device.heard?.shared ?? device.head.layers.count }

    static let form = JSONForm<BandReport>([
        .init("place", "the folder that the band shares; null if you play in none", \.place),
        .init("name", "what the band is called; null if that cannot be read") { $0.state?.name },
        .init("trouble", "why the folder is of no use now, in words; null if it is") { $0.state?.trouble },
        .list("devices", "the devices in the band, this one first", of: deviceForm, \.devices),
    ])

    private static let deviceForm = JSONForm<Device>([
        .init("id", "the device's id", \.head.device.text),
        .init("person", "who plays there", \.head.person),
        .init("name", "what the device is called", \.head.name),
        .init("is_own", "whether it is this one") { $0.heard == nil },
        .init("said_at", "when its last word was read here; null for this one") { $0.heard?.saidAt },
        .init("away_since", "since when its files have been gone; null while they are there") { $0.heard?.awaySince },
        .init("has_left", "whether it left the band") { $0.heard?.hasLeft ?? $0.head.hasLeft },
        .init("is_former", "whether this home was that device before") { $0.heard?.isFormer ?? false },
        .init("is_kin", "whether it is another device of this musician") { $0.heard?.isKin ?? false },
        .init("left_out", "whether nothing of it is shown here") { $0.heard?.isLeftOut ?? false },
        .init("shared", "how many layers of marks it shares", shared),
        .init("shown", "how many of them are on charts that are here") { $0.heard?.shown ?? shared($0) },
        .list("plans", "what it says of the next plans", of: BandVerdict.wordForm, \.head.readiness),
    ])

    static var none: String { "you play in no band yet: '\(woodshed("band create"))' begins one, '\(woodshed("band join"))' joins one" }

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
        for device in devices where device.heard?.isFormer != true {
            let name = device.head.name.isEmpty ? "" : " (\(device.head.name))"
            output.result("")
            // Names are chosen by whoever plays there, the id is not.
            let whose = device.heard == nil ? "Here: " : device.heard?.isKin == true ? "Yours, too: " : ""
            output.result("\(whose)\(device.head.person)\(name)  \(device.head.device)".printable)
            for line in lines(of: device) { output.result("  \(line)".printable) }
        }
        let former = devices.filter { $0.heard?.isFormer == true && !$0.head.hasLeft }
        if !former.isEmpty {
            output.message("")
            output.message(
                "This home was \(former.map(\.head.device.text).joined(separator: ", ")) in the band before, and what it shared then is still "
                    + "shown to the others; '\(woodshed("band clear"))' takes that away, unless one of these is another laptop of yours now."
            )
        }
    }

    private func lines(of device: Device) -> [String] {
        if device.heard?.hasLeft ?? device.head.hasLeft { return ["left the band"] }
        var lines: [String] = []
        if device.heard?.isLeftOut == true {
            lines.append("left out here: '\(woodshed("band let-in \(device.head.device.text)"))' shows it again")
        }
        let shared = Self.shared(device)
        let shown = device.heard.map { $0.shown == shared ? "" : ", \($0.shown) of them on charts that are here" } ?? ""
        lines.append(shared == 0 ? "shares no marks" : "shares \(shared.counted("layer")) of marks\(shown)")
        for word in device.head.readiness { lines.append(BandVerdict.words(of: word, now: now)) }
        let others = devices.map(\.head).filter { $0.kin.contains(device.head.device) && device.head.kin.contains($0.device) }
        if device.heard?.isKin == false, !others.isEmpty {
            lines.append("the same musician as \(others.map(\.device.text).joined(separator: ", "))")
        }
        guard let heard = device.heard else { return lines }
        if device.head.readiness.isEmpty { lines.append("has said nothing of a plan") }
        lines.append("last heard of \(TimeText.minute(heard.saidAt))")
        if let time = heard.awaySince { lines.append("its files have been gone since \(TimeText.minute(time)); its marks stay") }
        if let time = heard.wentBackAt {
            lines.append("an older word of it was put back \(TimeText.minute(time)); the newer one counts")
        }
        return lines
    }
}
