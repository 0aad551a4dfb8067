package import Following
public import Model

/// A job to find where the marks of one chart are in another chart of the same music.
public struct FollowJob: Sendable {
    /// The PDF that the marks were made on, and the other one.
    public var chart: String
    public var other: String
    public var marks: [Mark]

    public init(_ marks: [Mark], of chart: String, to other: String) { (self.marks, self.chart, self.other) = (marks, chart, other) }

    /// Longer charts are not compared.
    public static let mostPages = 40

    /// The marks as the worker needs them: without texts, pictures and links, and with their numbers as ids.
    var bareMarks: [Mark] {
        marks.enumerated().map { number, mark in
            var bare = mark
            (bare.id, bare.text, bare.image, bare.leads, bare.setting.font) = (String(number), nil, nil, nil, nil)
            return bare
        }
    }
}

/// Encodes marks at their places in another chart, as a worker returns them.
package enum FollowCoding {
    package static func encode(_ moved: [Following.Moved]) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(moved.count)
        for moved in moved { writer.add(moved.confidence) }
        return writer.bytes + MarkCoding.encode(moved.map(\.mark))
    }

    /// The most bytes that the answer to a job can have.
    static func mostBytes(for job: FollowJob) -> Int { 8 * (1 + job.marks.count) + MarkCoding.encode(job.bareMarks).count }

    /// Each of the marks at its new place; `nil` for a mark that the worker did not place, or placed where no mark can be. Returns `nil` if
    /// the bytes are invalid. Only places and sizes are read from them, so a hijacked worker cannot change the contents of a mark.
    package static func decode(_ bytes: [UInt8], for marks: [Mark]) -> [Following.Moved?]? {
        let (confidences, rest): ([Double]?, Int) = bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (reader.count().flatMap { reader.numbers($0) }, reader.rest)
        }
        guard let confidences, let placed = MarkCoding.decode(Array(bytes.suffix(rest))), placed.count == confidences.count
        else { return nil }
        var moved: [Following.Moved?] = Array(repeating: nil, count: marks.count)
        var last = -1
        for (place, confidence) in zip(placed, confidences) {
            guard let number = Int(place.id), number > last, number < marks.count, (0...1).contains(confidence) else { return nil }
            last = number
            guard let mark = marks[number].placed(like: place) else { continue }
            moved[number] = Following.Moved(mark: mark, confidence: confidence)
        }
        return moved
    }
}

extension Mark {
    /// This mark with the places and sizes of another one; `nil` if no mark can have them.
    fileprivate func placed(like other: Mark) -> Mark? {
        let lengths = [other.width] + other.dash + [other.setting.size, other.setting.point, other.setting.wrap].compactMap(\.self)
        guard (0..<FollowJob.mostPages).contains(other.page.value), other.points.count == points.count, other.dash.count == dash.count,
            lengths.allSatisfy({ (0...10).contains($0) }),
            other.points.allSatisfy({ (-1...2).contains($0.x) && (-1...2).contains($0.y) && (0...10).contains($0.width ?? 0) })
        else { return nil }
        var mark = self
        (mark.page, mark.points, mark.width, mark.dash) = (other.page, other.points, other.width, other.dash)
        (mark.setting.size, mark.setting.point, mark.setting.wrap) = (other.setting.size, other.setting.point, other.setting.wrap)
        return mark
    }
}
