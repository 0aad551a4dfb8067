extension DemoState {
    /// A church band's four plans around the day of `now`: one on a past Sunday, and three within the next three weeks.
    ///
    /// Within a day, the state is always the same. The next Sunday is never today, so its plan is upcoming at any time of day.
    /// Services begin at ten where the clocks are `secondsFromUTC` ahead of UTC, by default in the organisation's zone.
    static func initial(now: Stamp, secondsFromUTC: Int = zone.secondsFromUTC) -> DemoState {
        var program = DemoProgram()
        program.addPeople(
            [Person(id: "104", firstName: "Ada", lastName: "Player"), Person(id: "117", firstName: "Ben", lastName: "Cantor")],
            serviceTypes: [
                ServiceType(id: "501001", name: "Sunday Morning", sequence: 0),
                ServiceType(id: "501002", name: "Midweek Evening", sequence: 1),
            ])
        addBook(to: &program)

        let today = now.startOfDay
        let sunday = today + (7 - today.weekday) * Stamp.day
        // At least two days ago: past in every time zone.
        let before = sunday + (today.weekday < 2 ? -14 : -7) * Stamp.day
        addPlans(to: &program, before: before, sunday: sunday, secondsFromUTC)
        program.addLayers { chart, state in
            let bytes = DemoScore.chart(chart)
            return state.attachments.first { $0.bytes == bytes }?.id
        }
        return program.state
    }

    private static func addBook(to program: inout DemoProgram) {
        program.addSong(
            "Amazing Grace", author: "John Newton", key: "G", tempo: 84,
            charts: [
                ("amazing-grace-lead-g", "Amazing Grace - lead sheet in G.pdf"), ("amazing-grace-violin", "Amazing Grace - violin.pdf"),
            ],
            parts: [("amazing-grace-bflat", "Amazing Grace - B♭ part.pdf")], text: "amazing-grace", meter: "3/4",
            sequence: ["Intro", "Verse 1", "Verse 2", "Verse 3", "Verse 4"])
        program.addSong(
            "Down by the Riverside", author: "Traditional", key: "F", tempo: 152,
            charts: [("riverside-lead", "Down by the Riverside.pdf")], text: "down-by-the-riverside",
            sequence: ["Verse 1", "Chorus", "Verse 2", "Chorus", "Instrumental", "Verse 3", "Chorus", "Chorus", "Tag"])
        program.addSong(
            "Silent Night", author: "Franz Xaver Gruber", key: "Bb", tempo: 92,
            charts: [("silent-night-landscape", "Silent Night (wide).pdf")], text: "silent-night", meter: "6/8",
            sequence: ["Verse 1", "Verse 2", "Verse 3"])
        program.addSong(
            "Holy, Holy, Holy", author: "John B. Dykes", key: "D", tempo: 96,
            charts: [
                ("holy-holy-holy-hymn", "Holy, Holy, Holy - hymn.pdf"), ("holy-holy-holy-full-score", "Holy, Holy, Holy - full score.pdf"),
            ],
            parts: [
                ("holy-holy-holy-trumpet", "Holy, Holy, Holy - Trumpet I.pdf"),
                ("holy-holy-holy-violin", "Holy, Holy, Holy - Violin I.pdf"),
            ], text: "holy-holy-holy", columns: 2, sequence: ["Verse 1", "Verse 2", "Verse 3", "Verse 4"])
        program.addSong(
            "Two Chorales", author: "Louis Bourgeois and others", key: "G", charts: [("chorale-tunes-rotated", "Two Chorales.pdf")],
            text: "two-chorales", sequence: ["Verse 1", "Verse 2"])
        program.addSong(
            "When the Saints Go Marching In", author: "Traditional", key: "G", tempo: 184,
            charts: [("saints-chord-chart", "Saints - chords.pdf")], text: "when-the-saints",
            sequence: ["Intro", "Chorus", "Verse 1", "Chorus", "Verse 2", "Verse 3", "Chorus", "Chorus", "Tag"])
        program.addSong(
            "Swing Low, Sweet Chariot", author: "Wallis Willis", key: "F", tempo: 72, text: "swing-low",
            sequence: ["Chorus", "Verse 1", "Chorus", "Verse 2", "Chorus"])
        program.addGeneratedChart("swing-low-plain", as: "Swing Low, Sweet Chariot - F.pdf", song: "Swing Low, Sweet Chariot")
        program.addSong(
            "Simple Gifts", author: "Joseph Brackett", key: "F", tempo: 108,
            charts: [("simple-gifts-scan-g4", "Simple Gifts (scan).pdf")], text: "simple-gifts", sequence: ["Verse 1", "Chorus"])
        // These songs have no chart, only a colleague's text.
        program.addSong(
            "Shall We Gather at the River", author: "Robert Lowry", key: "D", tempo: 112, text: "shall-we-gather",
            sequence: ["Intro", "Verse 1", "Chorus", "Verse 2", "Chorus", "Verse 3", "Chorus", "Tag"])
        program.addSong(
            "O Come, O Come, Emmanuel", author: "Thomas Helmore", key: "Em", tempo: 66, text: "o-come-emmanuel",
            sequence: ["Verse 1", "Chorus", "Verse 2", "Chorus", "Verse 3", "Chorus", "Ending"])
        program.addOther(
            "Riverside - run-through.mp3", type: "AttachmentS3", content: "audio/mpeg", bytes: silence, song: "Down by the Riverside")
        program.addOther(
            "Holy, Holy, Holy on YouTube", type: "AttachmentYoutube", content: nil,
            elsewhere: "https://www.youtube.com/watch?v=holyholyholy", song: "Holy, Holy, Holy")
        program.addOther(
            "Silent Night on Spotify", type: "AttachmentSpotify", content: nil,
            elsewhere: "https://open.spotify.com/track/silentnight", song: "Silent Night")
    }

    private static func addPlans(to program: inout DemoProgram, before: Stamp, sunday: Stamp, _ offset: Int) {
        program.addPlan(
            id: "67810001", serviceType: "501001", title: "Looking Back", series: "Home", times: morning(1, before, offset),
            items: [.header("PRE-SERVICE"), .song("Simple Gifts"), .header("WORSHIP"), .song("Amazing Grace"), .song("Holy, Holy, Holy")])
        program.addPlan(
            id: "67810002", serviceType: "501001", title: "Gathered In", series: "Home", times: morning(2, sunday, offset),
            items: [
                .header("PRE-SERVICE"), .item("Prelude", position: "pre", chart: ("piano-album", "Piano Album.pdf")),
                .header("WORSHIP"), .item("Welcome"), .song("Holy, Holy, Holy"), .song("Amazing Grace"), .media("Mission report"),
                .item("Sermon"), .song("Down by the Riverside"), .item("Blessing"),
            ])
        // Half past seven on Wednesday evening; in the organisation's zone, this is Thursday in UTC.
        let evening = sunday + (3 * Stamp.day + 19 * 3600 + 1800 - offset)
        program.addPlan(
            id: "67820001", serviceType: "501002", title: "Songs of the House", series: nil,
            times: [PlanTime(id: "31500009", kind: "service", name: "Evening", starts: evening, ends: evening + 5400)], status: "U",
            items: [
                .header("PRE-SERVICE"), .item("Session tunes", position: "pre", chart: ("session-tunes-mixed", "Session Tunes.pdf")),
                .header("SINGING"), .song("When the Saints Go Marching In"), .song("Swing Low, Sweet Chariot"),
                .song("Down by the Riverside"), .song("Two Chorales"), .song("Shall We Gather at the River"),
            ])
        program.addPlan(
            id: "67810003", serviceType: "501001", title: "Light in Winter", series: "Advent",
            times: morning(3, sunday + 7 * Stamp.day, offset),
            items: [
                .header("PRE-SERVICE"), .song("Simple Gifts"), .header("WORSHIP"), .item("Welcome"), .song("Silent Night"),
                .song("Two Chorales"), .song("Amazing Grace"),
                .item("Offering", chart: ("old-songbook-scan", "The Ash Grove and Auld Lang Syne (scan).pdf")), .item("Blessing"),
                // The song is sung in F in the week before; for this key, the service makes another chart.
                .song("Swing Low, Sweet Chariot", key: "G"), .song("O Come, O Come, Emmanuel"),
            ])
        // An empty zip archive: enough here to pass for a word processor's file.
        program.addAttachment(
            "Order of service.docx", type: "AttachmentS3",
            content: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            bytes: [0x50, 0x4b, 0x05, 0x06] + [UInt8](repeating: 0, count: 18), on: .plan("67810002"))
    }

    /// A sound check at half past eight, and the service at ten.
    private static func morning(_ number: Int, _ day: Stamp, _ offset: Int) -> [PlanTime] {
        let ten = day + (10 * 3600 - offset)
        return [
            PlanTime(id: "3150000\(2 * number - 1)", kind: "rehearsal", name: "Sound check", starts: ten + -5400, ends: ten + -1800),
            PlanTime(id: "3150000\(2 * number)", kind: "service", name: "Service", starts: ten, ends: ten + 4500),
        ]
    }

    /// One second of MPEG audio frames with silence.
    private static let silence: [UInt8] = Array(
        repeatElement([0xff, 0xfb, 0x10, 0xc4] + [UInt8](repeating: 0, count: 100), count: 38).joined())
}
