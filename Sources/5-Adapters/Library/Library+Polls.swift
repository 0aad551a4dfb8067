public import Catalogue
public import Model

/// When the service last answered in full, and when that was last written to disk.
struct PollStamp {
    var time: Timestamp
    var written: Timestamp
}

extension Library {
    /// How old the stamp on the disk may get, so that polls without a change do not wake the disk.
    static var pollStampInterval: Duration { .seconds(3600) }

    /// Remembers that the service was asked; on disk at most once an hour, unless `now` is set.
    public func recordPoll(at time: Timestamp, now: Bool = false) throws(LibraryError) {
        let written = if let latestPoll { latestPoll.written } else { try storedPoll() }
        if let written, !now {
            // A stamp from the future was written by a clock that was wrong, and is replaced.
            let age = time - written
            if age >= .zero && age < Self.pollStampInterval {
                latestPoll = PollStamp(time: time, written: written)
                return
            }
        }
        try unchanged { () throws(LibraryError) in
            try database.run(
                "INSERT INTO stamps (name, at) VALUES ('poll', ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
                [.time(time)])
            // By now the service has said what came after the backup that is in use.
            try database.endDoubt(at: time)
        }
        try renewGeneration()
        latestPoll = PollStamp(time: time, written: time)
    }

    /// Writes down when the service last answered in full, if only this process knows, for the next process.
    public func keepLastPoll() throws(LibraryError) {
        guard let latestPoll, latestPoll.time > latestPoll.written else { return }
        try recordPoll(at: latestPoll.time, now: true)
    }

    /// When the service last answered in full; up to an hour too early if it answered another process.
    public var lastPoll: Timestamp? {
        get throws(LibraryError) {
            if let latestPoll { return latestPoll.time }
            return try storedPoll()
        }
    }

    func storedPoll() throws(LibraryError) -> Timestamp? {
        guard let stamp = try database.row("SELECT at FROM stamps WHERE name = 'poll'", [], { $0.time(0) }) else { return nil }
        return stamp
    }
}
