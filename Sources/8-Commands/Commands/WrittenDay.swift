/// A day as people write it: `2026-12-06`, `6 Dec`, `Sunday 6 December 2026`, `Dec 6`, `6.12.`, or `Sunday` alone.
struct WrittenDay: Hashable {
    /// Counted from Sunday, which is 0; `nil` if the text names none.
    var weekday: Int?
    var year: Int?
    var month: Int?
    var day: Int?

    /// Whether the text is the name of a weekday and nothing else, which every week has.
    var isWeekdayAlone: Bool { day == nil }

    /// What a text may mean: nothing for most texts, and two days for `6/12`, which is December 6 to some and June 12 to others.
    static func readings(_ text: String) -> [WrittenDay] {
        var numbers: [Int] = []
        var weekday: Int?
        var month: Int?
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        for word in words {
            if let number = number(word) {
                numbers.append(number)
            } else if weekday == nil, let found = weekdays.firstIndex(where: { isShort(word, for: $0) }) {
                weekday = found
            } else if month == nil, let found = months.firstIndex(where: { isShort(word, for: $0) }) {
                month = found + 1
            } else {
                return []
            }
        }
        guard numbers.count + (month == nil ? 0 : 1) > 0 else {
            // 'sun' alone is rather a part of a title.
            return weekday.flatMap { words == [weekdays[$0][...]] ? [WrittenDay(weekday: $0)] : nil } ?? []
        }
        return dates(numbers, month, dayComesFirst: text.contains("."), isDense: text.contains { "./-".contains($0) }).map {
            WrittenDay(weekday: weekday, year: $0.year, month: $0.month, day: $0.day)
        }
    }

    /// Whether a local date such as `2026-11-22` is this day.
    func fits(_ date: String) -> Bool {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return false }
        return (year ?? parts[0]) == parts[0] && (month ?? parts[1]) == parts[1] && (day ?? parts[2]) == parts[2]
            && weekday.map { $0 == Self.weekday(parts[0], parts[1], parts[2]) } ?? true
    }

    private typealias Numbers = (year: Int?, month: Int, day: Int)

    /// The dates that some numbers can be, with the month if it was written as a word.
    private static func dates(_ numbers: [Int], _ month: Int?, dayComesFirst: Bool, isDense: Bool) -> [Numbers] {
        var found: [Numbers]
        switch (numbers.count, month) {
        case (1, let month?): found = [(nil, month, numbers[0])]
        case (2, let month?) where numbers[0] > 31: found = [(numbers[0], month, numbers[1])]
        case (2, let month?): found = [(numbers[1], month, numbers[0])]
        case (3, nil) where numbers[0] > 31: found = [(numbers[0], numbers[1], numbers[2])]
        // Two numbers with only a space between them are no date.
        case (2, nil) where isDense, (3, nil) where isDense:
            let year = numbers.count > 2 ? numbers[2] : nil
            found = [(year, numbers[1], numbers[0])]
            if !dayComesFirst, numbers[0] != numbers[1] { found.append((year, numbers[0], numbers[1])) }
        default: found = []
        }
        found = found.map { ($0.year.map { $0 < 100 ? 2000 + $0 : $0 }, $0.month, $0.day) }
        return found.filter { (1...12).contains($0.month) && (1...31).contains($0.day) }
    }

    /// `6`, `06` or `6th`.
    private static func number(_ word: Substring) -> Int? {
        let digits = word.prefix { ("0"..."9").contains($0) }
        guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)), digits.count <= 4 else { return nil }
        return Int(digits)
    }

    /// Whether a word is the name itself, or its beginning: `Dec`, `Sept`.
    private static func isShort(_ word: Substring, for name: String) -> Bool { word.count >= 3 && name.hasPrefix(word) }

    /// Sakamoto's formula.
    private static func weekday(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month < 3 ? year - 1 : year
        return (year + year / 4 - year / 100 + year / 400 + [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] + day) % 7
    }

    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]
}
