package import DemoService
import Model

/// Edits by colleagues of the words and the keys of songs.
extension DemoEdit {
    /// Writes other words and chords for a song, or takes them away with `nil`. Its attachments do not become newer.
    package static func setText(song: String, to text: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            try state.changeWords(of: song, now: now) { $0.text = text }
            return "wrote other words for '\(song)'"
        }
    }

    /// Sets the key that a song's text is written in, or makes it unknown with `nil`.
    package static func setTextKey(song: String, to key: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            try state.changeWords(of: song, now: now) { $0.key = key }
            return "said that '\(song)' is written in \(key ?? "no key")"
        }
    }

    /// Sets the key that an item is played in, or none with `nil`. If its arrangement lacks the key, the item refers to none, and the
    /// attachments of its former key are no longer in the plan.
    package static func setKey(item: String, to key: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            let (plan, index) = try state.place(ofItem: item)
            var changed = state.plans[plan].items[index]
            guard let arrangement = changed.arrangement else { throw Trouble("item \(item) is no song, and has no key") }
            changed.keyName = key
            changed.key = state.keys.first { $0.arrangement == arrangement && $0.starting == key }?.id
            changed.updatedAt = changed.updatedAt.next(now: now)
            state.plans[plan].items[index] = changed
            return "had '\(changed.title)' played in \(key ?? "no key")"
        }
    }
}

extension DemoState {
    fileprivate mutating func changeWords(of title: String, now: Stamp, _ change: (inout DemoWords) -> Void) throws(Trouble) {
        guard let song = songs.first(where: { $0.title == title })?.id, let index = arrangements.firstIndex(where: { $0.song == song })
        else {
            throw Trouble(.unknown, "no song '\(title)'; there are: \(songs.map(\.title).joined(separator: ", "))")
        }
        change(&arrangements[index].words)
        arrangements[index].updatedAt = arrangements[index].updatedAt.next(now: now)
    }
}
