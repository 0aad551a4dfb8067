import LocalHTTP

extension APICall {
    /// `songs`, a single song, its arrangements, and an arrangement's keys.
    func songs() -> WebReply {
        guard path.count >= 2 else { return page(state.songs.map(resource)) }
        guard let song = state.songs.first(where: { $0.id == path[1] }) else { return .notFound }
        guard path.count >= 3 else { return single(resource(song)) }
        guard path[2] == "arrangements" else { return .notFound }
        let arrangements = state.arrangements.filter { $0.song == song.id }
        guard path.count >= 4 else {
            return page(arrangements.map(resource), canInclude: ["keys"], parent: ("Song", song.id)) { _, shown in
                shown.flatMap { keys(of: arrangements[$0]) }
            }
        }
        guard let arrangement = arrangements.first(where: { $0.id == path[3] }) else { return .notFound }
        switch path.dropFirst(4) {
        case []: return single(resource(arrangement), canInclude: ["keys"]) { _ in keys(of: arrangement) }
        case ["keys"]: return page(keys(of: arrangement), parent: ("Arrangement", arrangement.id))
        default: return .notFound
        }
    }

    private func keys(of arrangement: DemoState.Arrangement) -> [JSON] {
        state.keys.filter { $0.arrangement == arrangement.id }.map(resource)
    }

    func resource(_ song: DemoState.Song) -> JSON {
        Self.resource(
            "Song", song.id,
            [
                "title": .string(song.title), "author": .string(song.author), "copyright": "Public Domain",
                "updated_at": .string(song.updatedAt.text),
            ])
    }

    func resource(_ arrangement: DemoState.Arrangement) -> JSON {
        let words = arrangement.words
        return Self.resource(
            "Arrangement", arrangement.id,
            [
                "name": .string(arrangement.name), "bpm": arrangement.tempo.map { .double(Double($0)) } ?? .null,
                "meter": JSON(words.meter),
                "sequence": .array(words.sequence.map { .string($0) }), "chord_chart": JSON(words.text),
                "chord_chart_key": JSON(words.key), "chord_chart_columns": .int(words.columns),
                "chord_chart_font_size": .int(words.fontSize), "has_chord_chart": .bool(words.text != nil),
                "has_chords": .bool(words.hasChords), "lyrics": JSON(words.lyrics), "print_page_size": .string(words.pageSize),
                "updated_at": .string(arrangement.updatedAt.text),
            ],
            relationships: [("song", "Song", arrangement.song)])
    }

    func resource(_ key: DemoState.Key) -> JSON {
        Self.resource(
            "Key", key.id,
            ["name": .string(key.name), "starting_key": .string(key.starting), "updated_at": .string(key.updatedAt.text)],
            relationships: [("arrangement", "Arrangement", key.arrangement)])
    }
}
