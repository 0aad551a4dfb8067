import Foundation
import Model
public import Platform

/// A small service with plans defined by a test, on a simulated network.
@LoopActor
public final class SmallService {
    public struct Chart: Sendable {
        public var id: String
        public var name: String
        public var bytes: String
        public var updatedAt = "2026-11-01T10:00:00Z"
        /// The size that the service states; nil for the true size.
        public var size: Int?

        public init(id: String, name: String, bytes: String, updatedAt: String = "2026-11-01T10:00:00Z", size: Int? = nil) {
            self.id = id
            self.name = name
            self.bytes = bytes
            self.updatedAt = updatedAt
            self.size = size
        }
    }

    /// A song with words and chords at the service, but without a file.
    public struct Song: Sendable {
        public var id: String
        public var title: String
        public var text: String
        public var writtenIn: String?
        /// The song's key in the plan.
        public var key: String
        /// The order of the song's parts in this plan; empty for the usual order.
        public var order: [String] = []
        /// A file that was added to the item later.
        public var chart: Chart?

        public init(id: String, title: String, text: String, writtenIn: String? = "G", key: String = "G") {
            (self.id, self.title, self.text, self.writtenIn, self.key) = (id, title, text, writtenIn, key)
        }
    }

    public struct Plan: Sendable {
        public var songs: [Song] = []
        public var id: String
        public var startsAt: String
        public var charts: [Chart]
        /// The time of a rehearsal. If set, the musician sees this time alone, and not the time of the service.
        public var rehearsal: String?
        public var title: String?

        public init(id: String, startsAt: String, charts: [Chart]) {
            self.id = id
            self.startsAt = startsAt
            self.charts = charts
        }
    }

    public static let api = "https://service.test/services/v2"
    public static let annotations = "https://service.test/annotations/v1"

    public var plans: [Plan]
    /// The person to whom the token belongs.
    public var person = "104"
    public var organisation: String? = "7"
    /// Charts that the musician has no permission to see.
    public var hidden: Set<String> = []
    /// Plans that are missing from the list of coming plans.
    public var unlisted: Set<String> = []
    /// Layers as JSON, by plan.
    public var layers: [String: [String]] = [:]
    /// The number of entries on a page of a list.
    public var pageSize = 100
    /// The status of responses about layers.
    public var layersStatus = 200
    public private(set) lazy var network = SimulatedNetwork(time: clock) { [unowned self] request async throws(HTTPFailure) in
        try await answer(request)
    }
    /// The ids of opened attachments, in order.
    public private(set) var opened: [String] = []
    /// The requested ranges of files, in order.
    public private(set) var ranges: [String] = []
    /// The highest number of downloads that ever ran in parallel.
    public private(set) var mostDownloads = 0
    /// The number of files downloaded since the last request for layers.
    public private(set) var filesAfterLayers = 0
    private var downloads = 0
    private let clock: any TimeKeeper
    /// Whether responses have a `Date` header. Without this header, clients do not remove old data.
    public var saysTime = false

    public init(_ plans: [Plan], clock: any TimeKeeper) {
        self.plans = plans
        self.clock = clock
    }

    public nonisolated static func pdf(_ text: String) -> String { "%PDF-1.7\n\(text)\n%%EOF\n" }

    private func answer(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let path = String(request.url.prefix { $0 != "?" }.dropFirst("https://service.test".count))
        let parts = path.split(separator: "/").map(String.init)
        switch (request.method, parts.dropFirst(2).first, parts.last) {
        case (_, "file"?, let id?): return try await file(id, request)
        case (.get, "layers"?, _): return layerList(request)
        case (.get, "me"?, _):
            let organisations = organisation.map { #"{"type":"Organization","id":"\#($0)","attributes":{"name":"Chapel"}}"# } ?? ""
            return json(
                #"{"data":{"type":"Person","id":"\#(person)","attributes":{"first_name":"Ann"}},"included":[\#(organisations)]}"#)
        case (.get, "people"?, "schedules"?): return list(schedules, request, included: planTimes)
        case (.get, _, "items"?), (.get, _, "all_attachments"?):
            guard plans.contains(where: { $0.id == parts[5] }) else { return HTTPResponse(status: 404) }
            guard parts.last == "items" else { return list(attachments(of: parts[5]), request) }
            return list(items(of: parts[5]), request, included: arrangements(of: parts[5]))
        case (.get, "service_types"?, let id?) where parts.count == 6 && plans.contains { $0.id == id }:
            let entry = planEntry(id)
            return HTTPResponse(status: 200, headers: ["etag": "\"\(SHA256.digest(of: entry))\""], body: Array(entry.utf8))
        case (.post, "attachments"?, "open"?):
            opened.append(parts[3])
            return json(
                #"{"data":{"type":"AttachmentActivity","id":"1","attributes":{"attachment_url":"https://service.test/services/v2/file/\#(parts[3])"}}}"#
            )
        default: return HTTPResponse(status: 404)
        }
    }

    private func json(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: saysTime ? ["date": date] : [:], body: Array(text.utf8))
    }

    private func planEntry(_ id: String) -> String {
        let title = plans.first { $0.id == id }?.title.map { "\"\($0)\"" } ?? "null"
        return #"{"data":{"type":"Plan","id":"\#(id)","attributes":{"title":\#(title)}}}"#
    }

    private var date: String {
        let format = DateFormatter()
        (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "GMT"))
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: TimeInterval(clock.wallTime.components.seconds)))
    }

    /// The requested page of a list.
    private func list(_ entries: [String], _ request: HTTPRequest, included: [String] = []) -> HTTPResponse {
        let parts = request.url.split(separator: "&offset=")
        let offset = parts.dropFirst().first.flatMap { Int($0) } ?? 0
        let end = offset + pageSize
        let next = end < entries.count ? #""next":"\#(parts[0])&offset=\#(end)""# : ""
        let data = entries.dropFirst(offset).prefix(pageSize).joined(separator: ",")
        return json(
            #"{"data":[\#(data)],"included":[\#(included.joined(separator: ","))],"links":{\#(next)},"meta":{"total_count":\#(entries.count)}}"#
        )
    }

    private func file(_ id: String, _ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let charts = plans.flatMap { $0.charts + $0.songs.compactMap(\.chart) }
        guard let chart = charts.first(where: { $0.id == id }) else { return HTTPResponse(status: 404) }
        downloads += 1
        mostDownloads = max(mostDownloads, downloads)
        do {
            try await clock.sleep(for: .seconds(1))
        } catch {
            downloads -= 1
            throw HTTPFailure(.cancelled, "cancelled")
        }
        downloads -= 1
        filesAfterLayers += 1
        let bytes = Array(chart.bytes.utf8)
        let headers = ["content-type": "application/pdf", "etag": "\"\(SHA256.digest(of: chart.bytes))\""]
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        guard let range = header("Range") else { return HTTPResponse(status: 200, headers: headers, body: bytes) }
        ranges.append(range)
        guard header("If-Range") == headers["etag"], let first = Int(range.dropFirst(6).dropLast()), first < bytes.count else {
            return HTTPResponse(status: 200, headers: headers, body: bytes)
        }
        let part = ["content-range": "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"]
        return HTTPResponse(status: 206, headers: headers.merging(part) { $1 }, body: Array(bytes[first...]))
    }

    private func layerList(_ request: HTTPRequest) -> HTTPResponse {
        filesAfterLayers = 0
        let plan = plans.first { request.url.contains("=\($0.id)&") }?.id ?? ""
        guard layersStatus == 200 else { return HTTPResponse(status: layersStatus) }
        return list(layers[plan] ?? [], request)
    }

    private var schedules: [String] {
        plans.filter { !unlisted.contains($0.id) }.map { plan in
            """
            {"type":"Schedule","id":"s\(plan.id)","attributes":{"status":"C","service_type_name":"Sunday","dates":"soon"\(day(of: plan))},
             "relationships":{"plan":{"data":{"type":"Plan","id":"\(plan.id)"}},
              "service_type":{"data":{"type":"ServiceType","id":"7"}},
              "plan_times":{"data":[{"type":"PlanTime","id":"t\(plan.id)"}]}}}
            """
        }
    }

    private func day(of plan: Plan) -> String {
        plan.rehearsal == nil ? "" : #","sort_date":"\#(plan.startsAt)","organization_time_zone":"Etc/UTC""#
    }

    private var planTimes: [String] {
        plans.map { plan in
            let time = plan.rehearsal ?? plan.startsAt
            return #"{"type":"PlanTime","id":"t\#(plan.id)","attributes":{"starts_at":"\#(time)","ends_at":"\#(time)"}}"#
        }
    }

    private func items(of plan: String) -> [String] {
        (plans.first { $0.id == plan }?.charts ?? []).enumerated().map { place, chart in
            """
            {"type":"Item","id":"i\(plan)-\(place)","attributes":{"title":"\(chart.name)","sequence":\(place + 1),"item_type":"song"},"relationships":{}}
            """
        }
            + songs(of: plan).enumerated().map { place, song in
                """
                {"type":"Item","id":"i\(plan)-song\(place)",
                 "attributes":{"title":"\(song.title)","sequence":\(place + 101),"item_type":"song","key_name":"\(song.key)",
                   "custom_arrangement_sequence":\(song.order)},
                 "relationships":{"arrangement":{"data":{"type":"Arrangement","id":"\(song.id)"}}}}
                """
            }
    }

    private func songs(of plan: String) -> [Song] { plans.first { $0.id == plan }?.songs ?? [] }

    private func arrangements(of plan: String) -> [String] {
        songs(of: plan).map { song in
            let key = song.writtenIn.map { "\"\($0)\"" } ?? "null"
            let text = song.text.replacingOccurrences(of: "\n", with: "\\n")
            return """
                {"type":"Arrangement","id":"\(song.id)",
                 "attributes":{"chord_chart":"\(text)","chord_chart_key":\(key),"sequence":["Verse 1","Chorus"]}}
                """
        }
    }

    private func attachments(of plan: String) -> [String] {
        (plans.first { $0.id == plan }?.charts ?? []).enumerated().filter { !hidden.contains($0.element.id) }.map { place, chart in
            """
            {"type":"Attachment","id":"\(chart.id)","attributes":{"filename":"\(chart.name)\(chart.name.hasSuffix(".cho") ? "" : ".pdf")","content_type":"application/pdf",
              "file_size":\(chart.size ?? chart.bytes.utf8.count),"pco_type":"AttachmentS3","updated_at":"\(chart.updatedAt)"},
             "relationships":{"attachable":{"data":{"type":"Item","id":"i\(plan)-\(place)"}}}}
            """
        }
            + songs(of: plan).enumerated().compactMap { place, song in
                song.chart.map { chart in
                    """
                    {"type":"Attachment","id":"\(chart.id)","attributes":{"filename":"\(chart.name).pdf","content_type":"application/pdf",
                      "file_size":\(chart.bytes.utf8.count),"pco_type":"AttachmentS3","updated_at":"\(chart.updatedAt)"},
                     "relationships":{"attachable":{"data":{"type":"Item","id":"i\(plan)-song\(place)"}}}}
                    """
                }
            }
    }

    /// A layer with one dot on each of the given pages.
    public nonisolated static func layer(
        _ id: String, on attachment: String, pages: [Int], x: Double = 0.5, revision: Int = 1, key: String = ""
    ) -> String {
        let marks = pages.map { page in
            ##"{"id":"m\##(page)","page":\##(page),"kind":"pen","color":"#ff0000","width":0.01,"points":[[\##(x),0.5]],"key":"\##(key)"}"##
        }
        return """
            {"type":"AnnotationLayer","id":"\(id)","attributes":{"attachment_id":"\(attachment)","person_id":"104","person_name":"A",
             "name":"mine","shared":true,"revision":\(revision),"updated_at":"2026-11-18T20:31:31Z","deleted_at":null,
             "marks":[\(marks.joined(separator: ","))]}}
            """
    }
}
