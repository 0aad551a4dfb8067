import CMicroHTTPD
import CShims
import Glibc

/// Manages the connections of one server, and calls the handler. Only the server's thread uses it.
final class Connections {
    let limits: WebLimits
    let mailbox = Mailbox()
    private let rules: RequestRules
    private let handler: WebServer.Handler
    /// The only user whose processes may connect; `nil` if every user's processes may connect.
    private let owner: UInt32?
    /// The open connections, in the order in which they were made.
    private(set) var visitors: [Visitor] = []
    /// The visitors whose requests have numbers, by these numbers. Letters from other threads refer to a request by its number.
    private var numbered: [Int: Visitor] = [:]
    private var lastNumber = 0
    private var streams = 0
    private var isOver = false

    init(limits: WebLimits, rules: RequestRules, owner: UInt32?, handler: @escaping WebServer.Handler) {
        (self.limits, self.rules, self.owner, self.handler) = (limits, rules, owner, handler)
    }

    // MARK: - Connections

    func welcome(_ connection: OpaquePointer) -> Visitor {
        let socket = woodshed_mhd_socket(connection)
        let visitor = Visitor(connection, socket: socket, peer: IPAddress(ofPeerAt: socket))
        visitor.deadline = .now + limits.arrival
        visitors.append(visitor)
        if isOfOtherUser(visitor) { visitor.cut() }
        makeRoom()
        return visitor
    }

    func forget(_ visitor: Visitor) { visitors.removeAll { $0 === visitor } }

    private func isOfOtherUser(_ visitor: Visitor) -> Bool {
        guard let owner else { return false }
        var process: pid_t = 0
        var user: uid_t = 0
        return woodshed_peer(visitor.socket, &process, &user) != 0 || user != owner
    }

    /// Makes room for the newest connection, within the limits on all connections and on strangers from one network.
    private func makeRoom() {
        let open = visitors.filter { !$0.isCut }
        guard let newest = open.last else { return }
        let strangers = newest.strangersAlike(among: open)
        if strangers.count > limits.strangers {
            cutOne(of: strangers)
        } else if open.count > limits.connections {
            cutOne(of: open)
        }
    }

    /// Cuts the connection that is needed least: one without a complete request before one being served. Within a phase, the
    /// connection that entered it first is cut.
    private func cutOne(of open: [Visitor]) {
        // Cut the newest connection only if all others stream events.
        let spare = open.dropLast().filter { $0.phase != .streaming }
            .min { ($0.phase.rawValue, $0.since) < ($1.phase.rawValue, $1.since) }
        (spare ?? open.last)?.cut()
    }

    /// Called when a request's first line has arrived.
    func begin(_ visitor: Visitor, target: UnsafePointer<CChar>) {
        visitor.hasBadTarget = !RequestRules.isPlain(target)
        let allowed = Instant.now + limits.arrival
        visitor.deadline = min(visitor.deadline ?? allowed, allowed)
    }

    /// Called when a request is over, however it ended.
    func end(_ visitor: Visitor) {
        guard let exchange = visitor.exchange else { return }
        visitor.exchange = nil
        if let number = exchange.number { numbered[number] = nil }
        if exchange.stream != nil { streams -= 1 }
        exchange.end()
        // The deadline leaves time to wait for the next request, and for its arrival. It also cuts a client that sends its first
        // line too slowly.
        visitor.enter(.asking, deadline: visitor.isCut ? nil : .now + limits.idle + limits.arrival)
    }

    // MARK: - Requests

    /// Called when a request's head has arrived. Returns the reply if it does not depend on the body.
    func receive(head: WebRequest, from visitor: Visitor) -> WebReply? {
        visitor.exchange = Exchange(head)
        if visitor.hasBadTarget { return .text(status: 400, "Not a plain path.\n") }
        return rules.refusal(head, bodyLimit: limits.body)
    }

    /// Called when the whole request has arrived, or when the answer that the request waited for is available.
    func serve(_ visitor: Visitor, _ exchange: Exchange) -> MHD_Result {
        guard !isOver, !visitor.isCut else { return MHD_Result.NO }
        if let late = exchange.late {
            exchange.late = nil
            return give(late, to: visitor)
        }
        // Do not call the handler twice for one request. A request that was resumed without an answer is cut.
        guard exchange.number == nil else { return MHD_Result.NO }
        let reply = exchange.isTooLarge ? rules.tooLarge(limit: limits.body) : handler(exchange.request)
        if reply.isForGuest { visitor.isStranger = false }
        return give(reply, to: visitor)
    }

    /// Answers a request, or lets it wait.
    func give(_ reply: WebReply, to visitor: Visitor) -> MHD_Result {
        guard let exchange = visitor.exchange else { return MHD_Result.NO }
        exchange.whenOver = reply.whenOver ?? exchange.whenOver
        switch reply.source {
        case .body:
            if case .never = reply.delivery {
                hold(visitor, exchange)
                return MHD_Result.YES
            }
            return queue(reply, Answer.response(reply, for: visitor), to: visitor)
        case .file(let file):
            guard let response = Answer.response(file) else { return give(.text(status: 500, "The file has changed.\n"), to: visitor) }
            return queue(reply, response, to: visitor)
        case .events(let stream):
            let number = number(exchange, of: visitor)
            guard streams < limits.eventStreams else {
                stream.end()
                return give(.text(status: 503, "Too many pages are open and waiting for updates.\n"), to: visitor)
            }
            guard stream.begin({ [mailbox] in mailbox.post(.news(number)) }) else { return MHD_Result.NO }
            streams += 1
            exchange.stream = stream
            let result = queue(reply, EventBody(stream, for: visitor).response(), to: visitor)
            visitor.enter(.streaming)
            return result
        case .later(let begin):
            // While this program was stopped, the client may have given up. What it asked for must not be done behind its back.
            guard !visitor.hasGone else { return MHD_Result.NO }
            hold(visitor, exchange)
            let responder = Responder(number: number(exchange, of: visitor), mailbox: mailbox)
            exchange.responder = responder
            begin(responder)
            return MHD_Result.YES
        }
    }

    private func hold(_ visitor: Visitor, _ exchange: Exchange) {
        _ = number(exchange, of: visitor)
        visitor.enter(.held)
        visitor.suspend()
    }

    private func number(_ exchange: Exchange, of visitor: Visitor) -> Int {
        if let number = exchange.number { return number }
        lastNumber += 1
        exchange.number = lastNumber
        numbered[lastNumber] = visitor
        return lastNumber
    }

    private func queue(_ reply: WebReply, _ response: OpaquePointer?, to visitor: Visitor) -> MHD_Result {
        guard let response else { return MHD_Result.NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in reply.headers { MHD_add_response_header(response, name, value) }
        visitor.enter(.served)
        return MHD_queue_response(visitor.connection, UInt32(reply.status), response)
    }

    // MARK: - What happens meanwhile

    /// Handles the letters of other threads; returns `false` if the server is to stop.
    func readLetters() -> Bool {
        var goesOn = true
        for letter in mailbox.take() {
            switch letter {
            case .stop: goesOn = false
            case .answer(let number, let reply):
                guard let visitor = numbered[number], let exchange = visitor.exchange, !visitor.isCut else {
                    reply.abandon()
                    continue
                }
                exchange.responder = nil
                exchange.late = reply
                visitor.resume()
            case .news(let number):
                guard let visitor = numbered[number] else { continue }
                if visitor.exchange?.stream?.isCut == true { visitor.cut() } else { visitor.resume() }
            }
        }
        return goesOn
    }

    /// Cuts connections whose requests took too long to arrive, and resumes those whose pause is over. Returns the next deadline.
    func keepTime() -> Instant? {
        var next: Instant?
        let now = Instant.now
        for visitor in visitors {
            guard let deadline = visitor.deadline else { continue }
            if deadline > now {
                next = min(next ?? deadline, deadline)
            } else if visitor.isSuspended {
                visitor.enter(.served)
                visitor.resume()
            } else {
                visitor.cut()
            }
        }
        return next
    }

    /// Cuts all connections. No more answers are given.
    func close() {
        isOver = true
        for case .answer(_, let reply) in mailbox.take(isLast: true) { reply.abandon() }
        for visitor in visitors { visitor.cut() }
    }
}

/// The functions that libmicrohttpd calls.
extension Connections {
    private static func owner(_ context: UnsafeMutableRawPointer?) -> Connections? {
        context.map { Unmanaged<Connections>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func visitor(_ connection: OpaquePointer?) -> Visitor? {
        connection.flatMap { woodshed_mhd_socket_context($0) }.map { Unmanaged<Visitor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Called when a connection begins and when it ends.
    static let connection: MHD_NotifyConnectionCallback = { context, connection, place, _ in
        guard let connections = owner(context), let connection, let place else { return }
        if let known = place.pointee {
            place.pointee = nil
            connections.forget(Unmanaged<Visitor>.fromOpaque(known).takeRetainedValue())
        } else {
            place.pointee = Unmanaged.passRetained(connections.welcome(connection)).toOpaque()
        }
    }

    /// Called once a request's first line has arrived, before it is decoded.
    static let line: woodshed_mhd_line_callback = { context, target, connection in
        if let connections = owner(context), let visitor = visitor(connection), let target { connections.begin(visitor, target: target) }
        return nil
    }

    /// Called with only the head, then with each piece of the body, then with a size of 0, and once more after each wait.
    static let access: MHD_AccessHandlerCallback = { context, connection, path, method, _, upload, uploadSize, _ in
        guard let connections = owner(context), let connection, let visitor = visitor(connection), !visitor.isCut, let path, let method,
            let uploadSize
        else { return MHD_Result.NO }
        guard let exchange = visitor.exchange else {
            var head = WebRequest(connection, path: String(cString: path), method: String(cString: method))
            head.peer = visitor.peer
            // A reply that does not wait for the body can only be queued now.
            guard let refusal = connections.receive(head: head, from: visitor) else { return MHD_Result.YES }
            return connections.give(refusal, to: visitor)
        }
        if uploadSize.pointee > 0, let upload {
            let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
            uploadSize.pointee = 0
            return exchange.receive(piece.bindMemory(to: UInt8.self), limit: connections.limits.body) ? MHD_Result.YES : MHD_Result.NO
        }
        return connections.serve(visitor, exchange)
    }

    /// Called once for each request that reached `access`, however it ended.
    static let completed: MHD_RequestCompletedCallback = { context, connection, _, _ in
        if let connections = owner(context), let visitor = visitor(connection) { connections.end(visitor) }
    }
}

extension WebRequest {
    /// Reads a request's head.
    fileprivate init(_ connection: OpaquePointer, path: String, method: String) {
        self.init(
            method: method, path: path, query: Self.values(connection, .GET_ARGUMENT_KIND),
            headers: Self.values(connection, .HEADER_KIND))
    }

    private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &found) { found in
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, name, value in
                    guard let context, let name else { return MHD_Result.YES }
                    let value = value.map { String(cString: $0) } ?? ""
                    context.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append((String(cString: name), value))
                    return MHD_Result.YES
                }, found)
        }
        return found
    }
}
