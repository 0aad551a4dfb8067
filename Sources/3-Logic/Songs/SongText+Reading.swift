public import Model

extension SongText {
    /// The songs in the text: always one in the service's format, at least one in ChordPro.
    public func read(limits: SongLimits = SongLimits()) throws(Trouble) -> [SongReading] {
        let readings =
            switch dialect {
            case .service: [try SongReading(service: text, title: title, key: key, limits: limits)]
            case .chordPro: try SongReading.chordPro(text, parts: Set(parts ?? []), limits: limits)
            }
        guard let key else { return readings }
        return readings.map { SongReading(song: $0.song.stating(key: key), remarks: $0.remarks, hasLooseChords: $0.hasLooseChords) }
    }
}

extension SongView {
    /// The notation of the chords. German names are a separate choice, so they count as letters.
    public var chords: ChordWriting {
        switch writing {
        case .letters, .german, nil: .letters
        case .numbers: .numbers(.fromMajor)
        case .minorNumbers: .numbers(.fromTonic)
        }
    }
}
