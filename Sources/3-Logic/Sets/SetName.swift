public import Model

/// The name of a folder or a list that is a plan: a date, perhaps a time, then any words, as in `2026-11-29 1030 Sunday`.
public struct SetName: Hashable, Sendable {
    public let year: Int
    public let month: Int
    public let day: Int
    /// The minute of the day at which the plan begins; `nil` if the name has only a date.
    public let minute: Int?
    /// The words after the date; empty if there are none.
    public let title: String

    public enum Reading: Hashable, Sendable {
        case set(SetName)
        /// The name begins like a date, but the calendar has no such day.
        case noSuchDay(String)
        /// The name begins with no date.
        case other
    }

    /// Reads a name. A name that begins with a longer number, or with a year of another age, has no date.
    public static func read(_ name: String) -> Reading {
        var rest = Array(name.unicodeScalars)[...]
        guard let (year, month, day) = date(&rest), (1900...2199).contains(year) else { return .other }
        guard rest.first.map({ isSeparator($0) || $0 == "T" }) ?? true else { return .other }
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day) else {
            return .noSuchDay(text(name.unicodeScalars.prefix(name.unicodeScalars.count - rest.count)))
        }
        let afterDate = rest.drop { isSeparator($0) || $0 == "T" }
        var afterTime = afterDate
        let minute = time(&afterTime)
        // A T between date and time is a letter of the title if no time follows.
        let words = minute != nil ? afterTime : rest.drop(while: isSeparator)
        return .set(SetName(year: year, month: month, day: day, minute: minute, title: title(words.drop(while: isSeparator))))
    }

    /// When clocks show the beginning of the plan, or of its day: the nanoseconds since 1970 that this would be in UTC.
    public var wallTime: Int64 { (daysSinceEpoch * 1440 + Int64(minute ?? 0)) * 60_000_000_000 }
    /// When clocks show the last minute of the plan's day, in the same way.
    public var endOfDay: Int64 { (daysSinceEpoch * 1440 + 1439) * 60_000_000_000 }

    /// The days since 1970 in the Gregorian calendar. Years are counted from March, so that the day that leap years add comes last.
    private var daysSinceEpoch: Int64 {
        let shifted = month > 2 ? year : year - 1
        let (era, ofEra) = (shifted / 400, shifted % 400)
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return Int64(era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468)
    }

    private static func date(_ rest: inout ArraySlice<Unicode.Scalar>) -> (year: Int, month: Int, day: Int)? {
        guard let year = number(&rest, digits: 4) else { return nil }
        let isSpaced = rest.first.map { "-_.".unicodeScalars.contains($0) } ?? false
        let sign = rest.first
        if isSpaced { rest.removeFirst() }
        guard let month = number(&rest, digits: 2) else { return nil }
        if isSpaced {
            guard rest.first == sign else { return nil }
            rest.removeFirst()
        }
        guard let day = number(&rest, digits: 2), !(rest.first.map(isDigit) ?? false) else { return nil }
        return (year, month, day)
    }

    /// Reads `1030`, `10:30`, `10.30` or `10h30`. Leaves `rest` unchanged if there is no time.
    private static func time(_ rest: inout ArraySlice<Unicode.Scalar>) -> Int? {
        var after = rest
        guard let hour = number(&after, digits: 2), hour < 24 else { return nil }
        if let sign = after.first, ":.h".unicodeScalars.contains(sign) { after.removeFirst() }
        guard let minute = number(&after, digits: 2), minute < 60, after.first.map(isSeparator) ?? true else { return nil }
        rest = after
        return hour * 60 + minute
    }

    private static func number(_ rest: inout ArraySlice<Unicode.Scalar>, digits: Int) -> Int? {
        let some = rest.prefix(digits)
        guard some.count == digits, some.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return some.reduce(0) { $0 * 10 + Int($1.value) - 48 }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (48...57).contains(scalar.value) }
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { " _-–—,".unicodeScalars.contains(scalar) }

    private static func title(_ words: ArraySlice<Unicode.Scalar>) -> String {
        let text = text(words)
        return text.contains(" ") ? text : String(text.map { $0 == "_" ? " " : $0 })
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        while let last = text.last, last == " " || last == "_" { text.removeLast() }
        return String(text)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

extension SetName {
    /// What to do with a name that begins like a date in another form, such as `5.12.2026` or `29. November`, in words that can follow a
    /// semicolon; `nil` for other names.
    public static func advice(for name: String) -> String? {
        guard read(name) == .other else { return nil }
        let words = name.lowercased().split { " _-–—,.".contains($0) }.prefix(3).map(String.init)
        func date(_ year: Int, _ month: Int, _ day: Int) -> String? {
            guard (1900...2199).contains(year), (1...12).contains(month), (1...days(in: month, of: year)).contains(day) else { return nil }
            return SetName(year: year, month: month, day: day, minute: nil, title: "").text
        }
        // `29th` is a day, too.
        let numbers = words.map { word in
            let digits = word.prefix { ("0"..."9").contains($0) }
            return ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) && digits.count <= 4 ? Int(digits) : nil
        }
        guard let first = numbers.first else { return nil }
        let months = words.map(month)
        var dates: [String?] = []
        if let first, numbers.count == 3, let second = numbers[1], let third = numbers[2] {
            // With dots, the day comes first everywhere, and the year may have two digits.
            let isDotted = name.contains(".")
            let year = isDotted && words[2].utf8.count == 2 ? 2000 + third : third
            dates = first > 31 ? [date(first, second, third)] : [date(year, second, first), isDotted ? nil : date(year, first, second)]
        } else if numbers.count > 1, let month = months[0] ?? months[1], let day = first ?? numbers[1], (1...31).contains(day) {
            guard numbers.count == 3, let year = numbers[2], year > 31 else {
                return "if its name is a date, write it with the year, as in 2026-11-29"
            }
            dates = [date(year, month, day)]
        }
        let forms = dates.compactMap(\.self)
        return forms.isEmpty ? nil : "if its name is a date, write \(Set(forms).sorted(by: >).joined(separator: " or "))"
    }

    /// The month that a word, or its beginning, names in English or German.
    private static func month(_ word: String) -> Int? {
        guard word.count >= 3 else { return nil }
        let german = [3: "märz", 5: "mai", 6: "juni", 7: "juli", 10: "oktober", 12: "dezember"]
        return (1...12).first { SetPlan.months[$0 - 1].lowercased().hasPrefix(word) || german[$0]?.hasPrefix(word) == true }
    }

    /// The name of a new set, on a day such as `2026-11-29`, and at a time such as `10:30` if one is given. What not every disk takes in the
    /// name of a file is left out of the title.
    public static func new(day: String, time: String?, title: String) throws(Trouble) -> SetName {
        guard case .set(let start) = read([day, time].compactMap(\.self).joined(separator: " ")), start.title.isEmpty,
            (start.minute == nil) == (time == nil)
        else {
            let given = [day, time].compactMap(\.self).joined(separator: " ")
            throw Trouble(
                .senseless(because: nil), "“\(given.prefix(40))” is no day and time in the calendar; write it as in 2026-12-06 and 10:30.")
        }
        let allowed = title.filter { !"/\\:*?\"<>|".contains($0) }
        var words = SetList.cleaned(allowed[...])[...]
        while let first = words.first, first == "." || first.isWhitespace { words.removeFirst() }
        while words.utf8.count > longestTitle { words.removeLast() }
        let name = SetName(year: start.year, month: start.month, day: start.day, minute: start.minute, title: String(words))
        guard case .set(let found) = read(name.text), found.minute == name.minute else {
            throw Trouble(
                .senseless(because: nil), "A title that begins with “\(words.prefix(4))” would be taken for the time; begin it with a word."
            )
        }
        return found
    }

    /// File names have at most 255 bytes, and programs that copy or sync files add to them.
    private static let longestTitle = 170

    /// A name that is read as this one.
    public var text: String {
        func digits(_ number: Int, _ count: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        let time = minute.map { " " + digits($0 / 60) + digits($0 % 60) } ?? ""
        return "\(digits(year, 4))-\(digits(month))-\(digits(day))\(time)" + (title.isEmpty ? "" : " \(title)")
    }
}
