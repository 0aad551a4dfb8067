package import DemoService
import Model

/// Edits of songs' words and keys by other users of the service.
extension DemoEdit {
    /// Sets the words and chords of a song, or removes them with `nil`. The dates of the song's attachments stay the same.
    package static func setText(song: String, to text: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            try state.changeWords(of: song, now: now) { $0.text = text }
            return "wrote other words for '\(song)'"
        }
    }

    /// Sets the key in which a song's text is written. With `nil`, the key is unknown.
    package static func setTextKey(song: String, to key: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            try state.changeWords(of: song, now: now) { $0.key = key }
            return "said that '\(song)' is written in \(key ?? "no key")"
        }
    }

    /// Sets the key in which an item is played, or removes the key with `nil`. If the arrangement lacks the key, the item refers to no
    /// key, and the attachments of the former key leave the plan.
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
