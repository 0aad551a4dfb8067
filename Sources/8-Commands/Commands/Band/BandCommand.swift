import Band
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Model
import Platform

extension Command {
    /// `woodshed band …`
    static let band = Command(
        name: "band",
        summary: "Shares marks and readiness with the others in the band, through a folder or a server that you all have",
        details: """
            A folder that Nextcloud, Dropbox, Syncthing or a server shares is enough, or one that is reached over WebDAV, or a bucket (S3); \
            nothing else is needed, and nobody has to be asked. Without more words: who is in the band, what they share, and whether they are ready. 'woodshed help band' explains \
            what is written there, and what is believed.
            """,
        json: BandReport.form,
        examples: [
            Example("woodshed band", "See who is in the band, and who is ready."),
            Example("woodshed band share --all", "Let the others see your marks on all charts."),
        ],
        subcommands: [create, join, share, offer, readyTogether, leaveOut, letIn, mine, clear, mend, leave],
        settings: Options.flags,
        run: { invocation, context in
            var configuration = try await context.configurationToRead(invocation)
            // The faulty setting may be the server that the band's key is meant for.
            if configuration.isPartial { configuration = try context.configuration(invocation) }
            // A musician who has just joined may look around before anything was fetched.
            if let place = configuration.options.band.place, access(configuration.paths.data + "/catalogue.sqlite", F_OK) != 0 {
                return context.give(try await BandReport(newcomerTo: place, configuration, context), to: invocation)
            }
            let home = try OpenHome(configuration, for: .reading, context)
            defer { home.close() }
            return context.give(try await BandReport(home), to: invocation)
        })

    private static let create = Command(
        name: "create",
        summary: "Makes a folder, or one on a server, the band's place, and joins",
        parameters: [
            Parameter(
                "place",
                "the folder, as in ~/Nextcloud/band, or https://SERVER/FOLDER, or s3://BUCKET/PREFIX; it is made if it is not there",
                type: .place
            ).offering(.folders)
        ],
        flags: [
            Flag("name", "NAME", "what the band is called"),
            Flag("person", "ME", "what the others call you; the name of your account here if not given"),
        ],
        examples: [Example("woodshed band create ~/Nextcloud/band --name Harmony --person Anna", "Begin.")],
        settings: Options.flags,
        handlesSignals: true,
        run: { invocation, context in
            try await Ending.asking(context.output) { try await BandMembership(invocation, context).create() }
        })

    private static let join = Command(
        name: "join",
        summary: "Joins the band that a folder, or one on a server, belongs to",
        parameters: [Parameter("place", "the folder that the band shares, or its address on a server", type: .place).offering(.folders)],
        flags: [Flag("person", "ME", "what the others call you; the name of your account here if not given")],
        examples: [Example("woodshed band join ~/Nextcloud/band --person Ben", "Play along.")],
        settings: Options.flags,
        handlesSignals: true,
        run: { invocation, context in
            try await Ending.asking(context.output) { try await BandMembership(invocation, context).join() }
        })

    private static let share = Command(
        name: "share",
        summary: "Lets the band see your marks on a chart, or on all, or a set of yours",
        details: """
            Nothing is shared until you say so. What the others have made of your marks for themselves stays theirs. A set is a plan for the \
            others, with the charts that they have; with its charts' files if you say so. It is taken out of the place when it is over.
            """,
        parameters: [.chartIfAny],
        flags: [
            Flag("all", "all charts, and those to come"),
            Flag("off", "no longer"),
            Flag("set", "DATE|NAME", "a set in your own folders; see 'woodshed help sets'").offering(.plans([])),
            Flag("with-charts", "the files of the set's charts, too"),
            Flag("end", "the set no longer"),
        ],
        examples: [
            Example("woodshed band share riverside", "Share your marks on this chart."),
            Example("woodshed band share --set 2026-11-29 --with-charts", "Let the others play that set."),
            Example("woodshed band share --all --off", "Share nothing any more."),
        ],
        settings: Options.flags,
        run: { try await BandMembership($0, $1).share() })

    private static let offer = Command(
        name: "offer",
        summary: "Offers the others what you changed in a plan for tonight",
        details: """
            They see it on the plan's page under 'Tonight', and use it if they like. What you still change goes to them as well, with remarks \
            and keys; 'As the plan has it' takes it back, and it ends with the plan.
            """,
        parameters: [.plan],
        flags: [Flag("withdraw", "no longer")],
        examples: [Example("woodshed band offer next", "Let the others play your order.")],
        settings: Options.flags,
        run: { try await BandMembership($0, $1).offer() })

    private static let readyTogether = Command(
        name: "ready",
        summary: "Says whether everybody in the band is ready for the next plan; the exit code says so too",
        details: """
            Each device says for itself what 'woodshed ready' would say there. It is 0 only if everybody who has the plan said so \
            recently enough; otherwise 3, and who is not ready, or said nothing, is named.
            """,
        flags: [
            Flag(
                "max-age", "TIME", type: .duration(.seconds(60)...(.seconds(365 * 86_400))),
                "how long ago somebody may have said so; 1 day by default")
        ],
        json: BandVerdict.form,
        examples: [Example("woodshed band ready --max-age 6h", "On Sunday morning.")],
        settings: Options.flags,
        run: { invocation, context in
            let home = try OpenHome(try await context.configurationToRead(invocation), for: .reading, context)
            defer { home.close() }
            let verdict = try await BandVerdict(home, maxAge: invocation.value("max-age") ?? BandReadiness.usualAge)
            return context.give(verdict, to: invocation)
        })

    private static let leaveOut = Command(
        name: "leave-out",
        summary: "Shows nothing more of one musician in the band here",
        details: "A name stands for whoever calls themselves so, an id for the musician whose device that is; also with devices to come.",
        parameters: [Parameter("who", "a person's name, or the name or id of a device of theirs")],
        flags: [Flag("device", "that device alone, and not others of the same musician")],
        examples: [Example("woodshed band leave-out Ben", "Show nothing more of a laptop that is gone for good.")],
        settings: Options.flags,
        run: { try await BandMembership($0, $1).setLeftOut(true) })

    private static let letIn = Command(
        name: "let-in",
        summary: "Shows a musician again who was left out, with all devices",
        parameters: [Parameter("who", "a person's name, or the name or id of a device of theirs")],
        examples: [Example("woodshed band let-in Ben", "Show Ben's marks again.")],
        settings: Options.flags,
        run: { try await BandMembership($0, $1).setLeftOut(false) })

    private static let mine = Command(
        name: "mine",
        summary: "Says that another device in the band is yours, too",
        details: """
            What you share, take back and erase on one of your devices then holds for all of them, and the others see one musician. Devices whose \
            marks lie in one folder know each other by themselves; for others, say it on both: neither is believed alone.
            """,
        parameters: [Parameter("device", "the other device's id, as 'woodshed band' shows it")],
        flags: [Flag("off", "it is not, or no longer")],
        examples: [Example("woodshed band mine k3v7d2mq4xwz5abc", "Say so on one, and then on the other.")],
        settings: Options.flags,
        run: { invocation, context in try await BandMembership(invocation, context).setMine() })

    private static let clear = Command(
        name: "clear",
        summary: "Takes away what this home shared as a device that it was before",
        details: """
            A home that was copied, moved or put back may be another device in the band than before, and what it shared then is still shown \
            to the others. 'woodshed band' names such devices. One that another laptop speaks as now is cleared only if you name it: \
            that laptop would leave the band.
            """,
        parameters: [Parameter("device", "the id of a device that this home was before", isOptional: true)],
        examples: [Example("woodshed band clear", "Let the others see each of your marks once.")],
        settings: Options.flags,
        run: { invocation, context in try await BandMembership(invocation, context).clear() })

    private static let mend = Command(
        name: "mend",
        summary: "Puts the file back that says whose place it is, if it was lost or written over",
        details: """
            The place of a band has a file, team.json, that says so. If somebody removed it, or began another band there, all who play there \
            still say for which band they do. This writes it again, if all of them agree, and this home is one of them.
            """,
        flags: [Flag("name", "NAME", "what the band is called")],
        examples: [Example("woodshed band mend --name Harmony", "Have the place be the band's again.")],
        settings: Options.flags,
        run: { invocation, context in try await BandMembership(invocation, context).mend() })

    private static let leave = Command(
        name: "leave",
        summary: "Leaves the band: your marks are taken out of its place",
        details: """
            The others are told that you left, with all devices of yours. What you drew stays here; what they share is not shown here any more.
            """,
        flags: [
            Flag("former", "also takes away what this home shared as a device that it was before"),
            Flag("device", "leaves with this device alone; others of yours play on, and what it shared as another one stays"),
        ],
        examples: [Example("woodshed band leave", "Play alone again.")],
        settings: Options.flags,
        run: { try await BandMembership($0, $1).leave() })
}
