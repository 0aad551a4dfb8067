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

/// Decides which marks this musician shares with the band, and whose marks are shown here.
extension BandMembership {
    func share() async throws -> ExitCode {
        try refuseUnlessInBand()
        if let set: String = invocation.value("set") { return try await share(set: set) }
        guard !invocation.has("with-charts"), !invocation.has("end") else {
            throw CommandFailure(.usage, "say which set: --set DATE")
        }
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
            let areThere = try Library.change(in: paths.data) { library throws(LibraryError) -> Bool in
                try library.band.shareAll(!isOff)
                return try !library.band.sharedCharts().isEmpty
            }
            if !isOff, !areThere { marks += " as soon as there are any" }
        default: throw CommandFailure(.usage, "say what to share: a chart, --all, or --set DATE")
        }
        await ControlClient.reportChange(paths, context)
        guard isOff else {
            output.result("The band sees \(marks).".printable)
            await sayWhetherItHappens(at: place)
            return .fine
        }
        let trouble = await carryOut(at: place) { carrier in try await isTakenBack(chart, in: carrier) }
        if let trouble {
            output.result("You share \(marks) no longer, but what the band was shown is still there. \(trouble)".printable)
            return .notReady
        }
        let others = try othersOfMine(sharing: chart)
        output.result("\(others.isEmpty ? "The band" : "Of this device, the band") sees \(marks) no longer.".printable)
        for line in others { output.result(line.printable) }
        return .fine
    }

    /// Sentences about other devices that still share marks on `chart`, or any marks if `chart` is `nil`, with advice on how to
    /// stop that. One sentence is about the home's former devices, and one about devices that are claimed here but have not claimed
    /// this device.
    private func othersOfMine(sharing chart: AttachmentID?) throws -> [String] {
        let (former, named) = try Library.change(in: paths.data) { library throws(LibraryError) in
            (try library.band.formerDevices(sharing: chart), try library.band.namedDevices(sharing: chart))
        }
        func list(_ devices: [BandDevice]) -> String { devices.map(\.text).joined(separator: ", ") }
        return
            (former.isEmpty
            ? []
            : [
                "\(list(former)), which this home was before, still shares: '\(woodshed("band clear"))' takes that away."
            ])
            + (named.isEmpty
                ? []
                : [
                    "\(list(named)), which is named here as yours, has not named this device yet, and still shares: run 'woodshed band mine' there, too."
                ])
    }

    /// Claims another device as this musician's, or withdraws that claim.
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
        await ControlClient.reportChange(paths, context)
        let who =
            member.map { "\($0.head.person) (\($0.head.name), \(device))" } ?? "\(device), of which nothing was heard in the band yet,"
        if isOff {
            output.result("\(who) is taken for somebody else's.".printable)
        } else if member?.head.kin.contains(BandDevice(own)) == true {
            output.result("\(who) is yours, as it says, too.".printable)
        } else {
            output.result("\(who) is yours once it says so, too; there, run: woodshed band mine \(own)".printable)
        }
        return .fine
    }

    /// Hides everything that somebody shares, or shows it again.
    func setLeftOut(_ isLeftOut: Bool) async throws -> ExitCode {
        let name = invocation.argument("who") as String? ?? ""
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        let (wanted, members) = (name.searched, try library.band.members())
        let people = Set(members.map(\.head.person).filter { $0.searched == wanted })
        let devices = Set(members.filter { [$0.head.name, $0.device.text].contains { $0.searched == wanted } }.map(\.device))
        func list(_ some: [BandMember]) -> String {
            some.map { "\($0.head.person) (\($0.head.name), \($0.device))" }.joined(separator: "; ")
        }
        guard !people.isEmpty || !devices.isEmpty else {
            throw CommandFailure(.failed, "nobody in the band is called \(name)" + (members.isEmpty ? "" : "; there are: \(list(members))"))
        }
        let meant: [BandStore.LeftOut]
        if isLeftOut, invocation.has("device") {
            guard let device = devices.first, devices.count == 1 else {
                throw CommandFailure(.usage, "say which device, by its id; there are: \(list(members))")
            }
            meant = [.device(device)]
        } else if isLeftOut {
            // For a person's name, leave out the person rather than each device, since that covers later devices, too.
            meant = people.isEmpty ? devices.sorted().map { .musician($0) } : people.sorted().map { .person($0) }
        } else {
            // Undo every way in which these musicians may have been left out.
            let all = BandHead.byMusician(members, \.head).filter { musician in
                musician.contains { people.contains($0.head.person) || people.isEmpty && devices.contains($0.device) }
            }.flatMap(\.self)
            meant = all.flatMap { [.person($0.head.person), .musician($0.device), .device($0.device)] }
        }
        let present = try Library.change(in: paths.data) { library throws(LibraryError) in
            for who in meant { try library.band.setLeftOut(isLeftOut, who) }
            return try library.band.members()
        }
        // Report what has changed rather than what was requested, since others may have the same name.
        let former = Set(members.filter(\.isLeftOut).map(\.device))
        let changed = present.filter { $0.isLeftOut == isLeftOut && former.contains($0.device) != isLeftOut }
        if changed.isEmpty {
            output.result("That was so already; left out are: \(former.isEmpty ? "nobody" : list(members.filter(\.isLeftOut))).".printable)
        } else {
            output.result("\(isLeftOut ? "Nothing is shown here any more of" : "Shown again"): \(list(changed)).".printable)
        }
        await ControlClient.reportChange(paths, context)
        return .fine
    }
}
