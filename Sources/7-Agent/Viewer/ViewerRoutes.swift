import JSON
import LocalHTTP
import Model
import Platform
import Sets

/// Receives requests on a server's thread. Refuses some, answers those that need no source, and passes on the rest.
struct ViewerRoutes: Sendable {
    let source: CurrentSource
    let answers: Answers
    let hub: EventHub
    let access: BrowserAccess
    private var files: BrowserFiles { .shared }

    func answer(_ request: WebRequest) -> WebReply {
        guard !BrowserAccess.isFromElsewhere(request) else { return .refusal(403, "Other sites cannot read Woodshed's pages.") }
        // Accept the token form at the address of a used code as well, since that address shows the form, too.
        if let reply = access.enter(request) { return reply }
        if request.path == "/open" { return access.open(request) }
        if request.path == "/api/return" { return access.comeBack(request) }
        if request.path == Self.fromBand { return receive(request) }
        guard let guest = access.guest(request), access.isTrusted(guest, request) || !Self.isPrivate(request) else {
            return access.stranger(request)
        }
        var reply = answer(request, of: guest)
        reply.isForGuest = true
        return reply
    }

    private func answer(_ request: WebRequest, of guest: BrowserAccess.Guest) -> WebReply {
        switch request.method {
        case "GET", "HEAD": return read(request, guest)
        case "POST":
            if let objection = access.objection(to: request, of: guest) { return objection }
            if let chart = Self.inkedChart(request.path) {
                return answers.later { .json(try await $0.keepInk(request.body, of: chart, known: request.parameter("known"))) }
            }
            let isSet = request.path == "/api/set"
            guard request.body.count <= (isSet ? SetDraft.longestRequest : Self.longestChange) else {
                return .refusal(413, isSet ? SetDraft.isTooLong : "That is too long: more than \(Self.longestChange >> 10) KB.")
            }
            if request.path == "/api/end" { return access.end(request, for: guest) }
            if request.path == "/api/tablet" { return access.pair(request) }
            if request.path == "/api/together" {
                guard let wish = Together.Wish(request.body) else { return .refusal(400, "Woodshed cannot do that.") }
                let (browser, name) = (guest.session.key, guest.session.name)
                return answers.later { source in
                    try await source.turn(wish, from: browser, named: name)
                    return .json(.object([]))
                }
            }
            guard let change = ViewerChange(request) else {
                let sentence = isSet ? SetDraft.isMalformed : "Woodshed cannot change that."
                return .refusal(ViewerChange.names.contains(request.path) ? 400 : 404, sentence)
            }
            return answers.later { try await change.make(at: $0) }
        default:
            return Self.only("GET, HEAD, POST", "Woodshed accepts only GET and POST.")
        }
    }

    /// The path for other agents of a band. They sign what they say, and need no other sign-in.
    private static let fromBand = "/api/band"

    /// Takes what another agent says of who leads. Its signature is checked here, on the server's thread.
    private func receive(_ request: WebRequest) -> WebReply {
        guard request.method == "POST" else { return Self.only("POST", "Other agents only send here.") }
        guard let word = TogetherWord(reading: request.body) else { return .refusal(400, "This is not signed by any device.") }
        return answers.later { source in
            guard let better = try await source.receive(word) else { return .json(.object([])) }
            return .json(better.bytes, status: 409)
        }
    }

    /// Whether a request needs full sign-in. The shell and its files are the same for everybody, except for secrets on this machine.
    private static func isPrivate(_ request: WebRequest) -> Bool {
        !["GET", "HEAD"].contains(request.method) || ["/api/", "/pages/", "/live/", "/pdf/"].contains(where: request.path.hasPrefix)
    }

    private static func only(_ methods: String, _ sentence: String) -> WebReply {
        var reply = WebReply.refusal(405, sentence)
        reply.headers.append(("Allow", methods))
        return reply
    }

    private func read(_ request: WebRequest, _ guest: BrowserAccess.Guest) -> WebReply {
        let path = request.path
        if let name = path.after("/assets/") { return files.file(name, for: request) ?? .refusal(404, "There is no such file.") }
        if let name = path.after("/pages/") { return page(name) }
        if let place = path.after("/live/") { return live(place, request, guest) }
        if let place = pdf(request) {
            // HEAD would need the PDF's length, which is only known after making it.
            guard request.method == "GET" else { return Self.only("GET", "A PDF is made only for GET.") }
            guard guest.session.mayChange else { return BrowserAccess.onlyLooks }
            return answers.later { .pdf(try await $0.pdf(of: place)) }
        }
        if path.hasPrefix("/api/") { return ask(request, guest) }
        // The shell that a browser stores has no secrets of its session.
        if path == "/shell" { return files.shell(token: "", pass: "", mayChange: true, status: 200, for: request) }
        let isKnown = path == "/" || ["/plan/", "/chart/"].contains { path.after($0)?.isEmpty == false }
        let (token, pass) = access.secrets(of: guest)
        let mayChange = guest.session.mayChange
        return files.shell(token: token, pass: pass, mayChange: mayChange, status: isKnown ? 200 : 404, for: request)
    }

    private func page(_ text: String) -> WebReply {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count == 2, let name = ImageName(folder: parts[0], file: parts[1]) else {
            return .refusal(404, "There is no such page.")
        }
        if let image = source.images?.image(name) { return .image(image, isLasting: true) }
        return answers.later { .image(try await $0.image(name), isLasting: true) }
    }

    private func live(_ place: String, _ request: WebRequest, _ guest: BrowserAccess.Guest) -> WebReply {
        guard let slash = place.lastIndex(of: "/"), slash > place.startIndex, let page = Int(place[place.index(after: slash)...]),
            (0...PageIndex.greatest).contains(page), let long = request.parameter("long").flatMap({ Int($0) }),
            let marked = request.parameter("marked"), ["0", "1"].contains(marked),
            let folder = request.parameter("of").flatMap(ImageFolder.init)
        else { return .refusal(404, "There is no such page.") }
        guard long >= 1 else { return .refusal(400, "Pages must be at least one pixel in size.") }
        let choice = ViewerPageChoice(chart: AttachmentID(String(place[..<slash])), page: PageIndex(page), isMarked: marked == "1")
        // Identify the viewer by the session's key, a hash of its cookie. The cookie itself is not passed on.
        let viewer = guest.session.key
        return answers.later { source in
            .image(try await source.live(choice, in: folder, longSide: min(long, Self.longest), for: viewer), isLasting: false)
        }
    }

    private func pdf(_ request: WebRequest) -> ViewerPDFPlace? {
        if let plan = request.path.after("/pdf/plan/"), !plan.isEmpty { return .plan(PlanID(plan)) }
        guard let chart = request.path.after("/pdf/chart/"), !chart.isEmpty else { return nil }
        return .chart(AttachmentID(chart), in: request.parameter("plan").map(PlanID.init))
    }

    private func ask(_ request: WebRequest, _ guest: BrowserAccess.Guest) -> WebReply {
        let path = request.path
        if path == "/api/state" {
            let browsers = access.browsers(for: guest)
            return answers.later { .json(try await $0.state().json(browsers: browsers)) }
        }
        if path == "/api/others" {
            return answers.later {
                let (charts, songs) = try await $0.others()
                return .json(
                    .object(
                        [("charts", .list(charts.map(\.json)))]
                            + (songs.isEmpty ? [] : [("songs", .list(songs.prefix(ViewerBookSong.most).map(\.json)))])))
            }
        }
        if let file = path.after("/api/file/"), !file.isEmpty {
            // The chart is copied and drawn, and kept with those that the musician opened.
            guard guest.session.mayChange else { return BrowserAccess.onlyLooks }
            return answers.later { .json(["chart": .text(try await $0.open(file: AttachmentID(file)).text)]) }
        }
        if path == "/api/events" { return hub.stream(for: guest) }
        if let plan = path.after("/api/plan/"), !plan.isEmpty { return answers.later { .json(try await $0.plan(PlanID(plan)).contents) } }
        if let plan = path.after("/api/set/"), !plan.isEmpty {
            guard guest.session.mayChange else { return BrowserAccess.onlyLooks }
            return answers.later { .json(try await $0.list(of: PlanID(plan)).json) }
        }
        if let chart = Self.inkedChart(path) {
            return answers.later { .json(try await $0.ink(of: chart, known: request.parameter("known"))) }
        }
        if let chart = path.after("/api/chart/"), !chart.isEmpty {
            let plan = request.parameter("plan").map(PlanID.init)
            let item = request.parameter("item").map(ItemID.init)
            if let plan, let key = request.parameter("key") {
                return answers.later { .json(try await $0.chart(AttachmentID(chart), in: plan, item: item, as: key).json) }
            }
            return answers.later { .json(try await $0.chart(AttachmentID(chart), in: plan, item: item).json) }
        }
        return .refusal(404, "Woodshed has no \(path).")
    }

    /// The chart in a path that names the musician's own layer of it; `nil` for other paths.
    private static func inkedChart(_ path: String) -> AttachmentID? {
        guard let rest = path.after("/api/charts/"), rest.hasSuffix("/ink") else { return nil }
        let chart = rest.dropLast("/ink".count)
        return chart.isEmpty ? nil : AttachmentID(String(chart))
    }

    /// The most bytes of a request that sends neither marks nor a list of songs: such requests only name a few things.
    private static let longestChange = 64 << 10

    /// The most pixels on the long side of a zoomed page, to which larger requests are limited: even a square of that size can be drawn.
    private static let longest = 8192
}

extension String {
    /// What follows a prefix; `nil` without that prefix. It may contain slashes, as names from others do.
    fileprivate func after(_ start: String) -> String? { hasPrefix(start) ? String(dropFirst(start.count)) : nil }
}
