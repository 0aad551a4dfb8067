import DemoScores

/// Builds the initial state, with the same ids in every run.
struct DemoProgram {
    private(set) var state = DemoState()
    private var nextAttachment = 79_073_900
    private var nextItem = 91_230_000
    private var nextSong = 550_100
    /// The time of everything in the song library. It is constant, so a second run finds no newer versions.
    private static let past = Stamp(seconds: 1_767_600_000)

    /// The arrangement and key of each song in the songbook, by title.
    private var book: [String: (arrangement: String, key: String)] = [:]

    mutating func addPeople(_ people: [DemoState.Person], serviceTypes: [DemoState.ServiceType]) {
        state.people = people
        state.serviceTypes = serviceTypes
    }

    /// Adds a song with one arrangement in one key. Charts are attached to the arrangement, a transposed part to the key. The words
    /// and chords come from an embedded text; chords are in that key.
    mutating func addSong(
        _ title: String, author: String, key: String, tempo: Int? = nil, charts: [(name: String, file: String)] = [],
        parts: [(name: String, file: String)] = [], text: String, meter: String = "4/4", columns: Int = 1, sequence: [String]
    ) {
        guard let bytes = DemoScore.text(text) else { preconditionFailure("no text is named \(text)") }
        var words = DemoWords(text: String(decoding: bytes, as: UTF8.self), sequence: sequence, columns: columns, meter: meter)
        if words.hasChords { words.key = key }
        nextSong += 1
        let song = String(nextSong), arrangement = String(nextSong + 1000), keyID = String(nextSong + 2000)
        state.songs.append(.init(id: song, title: title, author: author, updatedAt: Self.past))
        state.arrangements.append(
            .init(id: arrangement, song: song, name: "As we play it", tempo: tempo, words: words, updatedAt: Self.past))
        state.keys.append(.init(id: keyID, arrangement: arrangement, name: "Default", starting: key, updatedAt: Self.past))
        book[title] = (arrangement, keyID)
        for chart in charts { addChart(chart.name, as: chart.file, on: .arrangement(arrangement)) }
        for part in parts { addChart(part.name, as: part.file, on: .key(keyID)) }
    }

    mutating func addChart(_ name: String, as file: String, on owner: DemoState.Owner) {
        guard let bytes = DemoScore.chart(name) else { preconditionFailure("no chart is named \(name)") }
        addAttachment(file, type: "AttachmentS3", content: "application/pdf", bytes: bytes, on: owner)
    }

    /// Adds a chart that the service makes on demand: it has no size or content type, and its id is not a number.
    mutating func addGeneratedChart(_ name: String, as file: String, song: String) {
        guard let bytes = DemoScore.chart(name), let arrangement = book[song]?.arrangement else {
            preconditionFailure("no chart is named \(name), or no song \(song)")
        }
        state.attachments.append(
            .init(
                id: "chord_chart-\(arrangement)--", owner: .arrangement(arrangement), filename: file,
                pcoType: "AttachmentChart::Chord", contentType: nil, bytes: bytes, pageOrder: .null, createdAt: Self.past,
                updatedAt: Self.past))
    }

    /// Adds something that is not a chart: a recording, a text, a video on another site.
    mutating func addOther(_ file: String, type: String, content: String?, bytes: [UInt8]? = nil, elsewhere: String? = nil, song: String) {
        guard let arrangement = book[song]?.arrangement else { preconditionFailure("no song is named \(song)") }
        addAttachment(file, type: type, content: content, bytes: bytes, elsewhere: elsewhere, on: .arrangement(arrangement))
    }

    mutating func addAttachment(
        _ file: String, type: String, content: String?, bytes: [UInt8]?, elsewhere: String? = nil, on owner: DemoState.Owner
    ) {
        nextAttachment += 1
        let stamp = Self.past + (nextAttachment % 100) * 3600
        state.attachments.append(
            .init(
                id: String(nextAttachment), owner: owner, filename: file, pcoType: type, contentType: content, bytes: bytes,
                elsewhere: elsewhere, createdAt: stamp, updatedAt: stamp))
    }

    mutating func addPlan(
        id: String, serviceType: String, title: String, series: String?, times: [DemoState.PlanTime], status: String = "C", items: [Line]
    ) {
        var order: [DemoState.Item] = []
        for line in items { order.append(item(line)) }
        state.plans.append(
            .init(
                id: id, serviceType: serviceType, title: title, seriesTitle: series, times: times, items: order,
                status: status, createdAt: Self.past, updatedAt: Self.past))
    }

    enum Line {
        case header(String)
        /// A song, in its usual key unless another is given.
        case song(String, key: String? = nil)
        case item(String, position: String = "during", chart: (name: String, file: String)? = nil)
        case media(String)
        /// An item with its own chart, given by its bytes.
        case sheet(String, file: String, bytes: [UInt8])
    }

    private mutating func item(_ line: Line) -> DemoState.Item {
        nextItem += 1
        let id = String(nextItem)
        switch line {
        case .header(let title):
            return .init(id: id, title: title, kind: "header", createdAt: Self.past, updatedAt: Self.past)
        case .media(let title):
            return .init(id: id, title: title, kind: "media", length: 90, createdAt: Self.past, updatedAt: Self.past)
        case .item(let title, let position, let chart):
            if let chart { addChart(chart.name, as: chart.file, on: .item(id)) }
            return .init(id: id, title: title, kind: "item", position: position, length: 180, createdAt: Self.past, updatedAt: Self.past)
        case .sheet(let title, let file, let bytes):
            addAttachment(file, type: "AttachmentS3", content: "application/pdf", bytes: bytes, on: .item(id))
            return .init(id: id, title: title, kind: "item", length: 180, createdAt: Self.past, updatedAt: Self.past)
        case .song(let title, let key):
            guard let song = book[title] else { preconditionFailure("no song is named \(title)") }
            let keyID = key.map { self.key($0, of: song.arrangement) } ?? song.key
            return .init(
                id: id, title: title, kind: "song", length: 240, arrangement: song.arrangement,
                keyName: state.keys.first { $0.id == keyID }?.starting, key: keyID, createdAt: Self.past, updatedAt: Self.past)
        }
    }

    private mutating func key(_ starting: String, of arrangement: String) -> String {
        let id = "\(arrangement)9\(state.keys.count)"
        state.keys.append(.init(id: id, arrangement: arrangement, name: starting, starting: starting, updatedAt: Self.past))
        return id
    }

    /// Adds each embedded layer of marks to its chart.
    mutating func addLayers(attachment: (_ chart: String, DemoState) -> String?) {
        for name in DemoScore.marksNames {
            guard let bytes = DemoScore.marks(name), let json = JSON(bytes: bytes), let chart = json["chart"]?.string,
                let person = json["person_id"]?.string, let personName = json["person_name"]?.string,
                let title = json["name"]?.string, let marks = json["marks"]?.array, let id = attachment(chart, state)
            else { preconditionFailure("the layer \(name) does not fit") }
            state.layers.append(
                .init(
                    id: "\(chart)-\(person)", attachment: id, person: person, personName: personName, name: title,
                    isShared: json["shared"] != .bool(false), marks: marks, updatedAt: Self.past))
        }
    }
}

/// The embedded scores: charts as PDF, layers of marks as JSON, words and chords as text.
enum DemoScore {
    static func chart(_ name: String) -> [UInt8]? { bytes(name, kind: "chart") }

    static func text(_ name: String) -> [UInt8]? { bytes(name, kind: "text") }

    static var chartNames: [String] { names(kind: "chart") }

    static var marksNames: [String] { names(kind: "marks") }

    static func marks(_ name: String) -> [UInt8]? { bytes(name, kind: "marks") }

    private static func names(kind: String) -> [String] {
        table { entries in entries.filter { String(cString: $0.kind) == kind }.map { String(cString: $0.name) } }
    }

    private static func bytes(_ name: String, kind: String) -> [UInt8]? {
        table { entries in
            entries.first { String(cString: $0.kind) == kind && String(cString: $0.name) == name }
                .map { Array(UnsafeBufferPointer(start: $0.bytes, count: $0.length)) }
        }
    }

    private static func table<Result>(_ read: (UnsafeBufferPointer<demo_score>) -> Result) -> Result {
        read(UnsafeBufferPointer(start: woodshed_demo_scores(), count: demo_scores_count))
    }
}
