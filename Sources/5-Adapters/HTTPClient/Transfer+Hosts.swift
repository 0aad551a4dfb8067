import CCurl
import Glibc
import Platform

/// Checks which hosts a transfer may reach. The check happens when the socket is made, after the name was resolved, so a name
/// cannot mean one host to us and another to libcurl.
///
/// With a proxy, the socket leads to the proxy, which resolves names itself. Then only IP addresses can be checked, and names are
/// up to the proxy. A transfer with this check uses a configured proxy regardless of `no_proxy`, since a socket does not show
/// whether it leads to the proxy or to the host.
extension Transfer {
    /// Makes libcurl call us before every socket and every request. Throws if a proxy would have to reach a private address that
    /// is not allowed.
    func guardHosts(_ options: TransferOptions) throws(HTTPFailure) {
        proxy = target.isLoopback ? nil : Proxy(for: target.scheme)
        if goesThroughProxy, !request.allowsPrivateHosts {
            if NetworkAddress(target.host)?.isPrivate == true { throw privateHost }
            options.set(CURLOPT_NOPROXY, "")
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.set(CURLOPT_OPENSOCKETDATA, context)
        options.setOpenSocket { context, _, address in
            guard let context, let address else { return -1 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context)
            let place = SocketPlace(address: address)
            return LoopActor.assumeIsolated { transfer.takeUnretainedValue().openSocket(place) }
        }
        // Check here, too, because a reused connection opens no socket.
        options.set(CURLOPT_PREREQDATA, context)
        options.setBeforeRequest { context, remote, _, _, _ in
            guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
            let transfer = Unmanaged<Transfer>.fromOpaque(context)
            let number = NetworkAddress(String(cString: remote))
            return LoopActor.assumeIsolated { transfer.takeUnretainedValue().mayAsk(number) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT }
        }
    }

    /// libcurl's description of a socket to make, used only during libcurl's call.
    private struct SocketPlace: @unchecked Sendable {
        let address: UnsafeMutablePointer<curl_sockaddr>
    }

    private func openSocket(_ place: SocketPlace) -> Int32 {
        let (address, family) = (place.address, place.address.pointee.family)
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        guard mayReach(NetworkAddress(UnsafeRawPointer(address) + offset, family: family)) else {
            refusedHost = privateHost
            return -1
        }
        // With this flag, child processes that the program starts meanwhile do not inherit the socket.
        return socket(family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    }

    private func mayAsk(_ number: NetworkAddress?) -> Bool {
        isFromPrivateHost = !goesThroughProxy && number?.isPrivate == true
        if mayReach(number) { return true }
        refusedHost = privateHost
        return false
    }

    private func mayReach(_ number: NetworkAddress?) -> Bool {
        // A peer without an IP address is not a host on the internet.
        request.allowsPrivateHosts || goesThroughProxy || number?.isPrivate == false
    }

    private var privateHost: HTTPFailure {
        HTTPFailure(.refused, "\(target.host) is this machine or one on its own network, where the service keeps no files")
    }
}

/// The proxy that the environment sets, read as libcurl reads it.
package struct Proxy: Hashable, Sendable {
    /// The environment variable that names the proxy.
    package let variable: String
    /// The proxy's host and port, without a password.
    package let host: String

    /// The proxy for requests with this scheme, except those to hosts in `no_proxy`; `nil` if there is none.
    package init?(for scheme: String, in environment: (String) -> String? = Self.ofProcess) {
        guard !["no_proxy", "NO_PROXY"].contains(where: { environment($0) == "*" }) else { return nil }
        // HTTP_PROXY in capitals is not read: in a web server, a stranger's request header can set it.
        let names = scheme == "http" ? ["http_proxy", "all_proxy", "ALL_PROXY"] : ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment($0)?.isEmpty == false }), let address = environment(name) else { return nil }
        variable = name
        let place = address.split(separator: "/", omittingEmptySubsequences: true).first { !$0.hasSuffix(":") } ?? ""
        host = String(place.split(separator: "@").last ?? "")
    }

    /// A description that can follow "through".
    package var words: String { "the proxy \(host) that the environment variable \(variable) names" }

    package static func ofProcess(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
