/// The same song with other names of notes, or with a key that its text does not give.
extension Song {
    /// The song with English or German names of notes; the notes stay the same.
    public func named(_ naming: Naming) -> Song {
        guard naming != self.naming else { return self }
        let signs = hasSigns
        var song = self
        song.naming = naming
        song.details = details.map { $0.name == "key" ? Detail("key", renamed($0.value, naming)) : $0 }
        for part in sections.indices {
            song.sections[part].lines = sections[part].lines.map { line in
                if case .change(.key(let key)) = line { return .change(.key(renamed(key, naming))) }
                return line.replacingChords { $0.named(naming, signs: signs) }
            }
        }
        return song
    }

    private func renamed(_ key: String, _ naming: Naming) -> String { Key(key, naming: self.naming)?.name(in: naming) ?? key }

    /// The song with `key` as its key, unless the text names one. `key` is the service's English name of the key the chords are written in.
    public func stating(key: String) -> Song {
        guard detail("key") == nil else { return self }
        var song = self
        song.details.append(Detail("key", Key(key)?.name(in: naming) ?? key))
        return song
    }
}

extension Song {
    /// The song with `key` as the key that its chords are written in, whatever its text says: a person said so.
    public func corrected(key: String) -> Song {
        var song = self
        song.details.removeAll { $0.name == "key" }
        return song.stating(key: key)
    }
}

extension ChordText {
    func named(_ naming: Naming, signs: Bool = false) -> ChordText {
        ChordText(
            joining: pieces.map { piece in
                guard case .chord(let chord) = piece else { return piece }
                return .chord(chord.named(naming, signs: signs))
            })
    }
}

extension Chord {
    fileprivate func named(_ naming: Naming, signs: Bool) -> Chord {
        let written =
            (root.map { naming.name(of: $0, signs: signs) } ?? "") + quality + extensions
            + (bass.map { "/" + naming.name(of: $0, signs: signs) } ?? "")
        return Chord(root: root, quality: quality, extensions: extensions, bass: bass, written: written)
    }
}
