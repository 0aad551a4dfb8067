import Glibc
public import Testing

extension StorageServer {
    /// File servers that people use, or stand-ins that differ from each other as much as the servers that people use.
    public enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case apache, lighttpd, nginx, wsgidav, rcloneWebDAV, rcloneS3, seaweedfs

        /// The server's protocol.
        public enum Speech: Sendable {
            case webDAV, s3
        }

        public var speech: Speech {
            switch self {
            case .rcloneS3, .seaweedfs: .s3
            default: .webDAV
            }
        }

        /// Whether the server and the tools to test it are installed.
        public var isInstalled: Bool { needs.allSatisfy { access($0, R_OK) == 0 } }

        /// The comment for a skipped test.
        public var isMissing: Comment {
            switch self {
            case .apache: "Apache is not installed: apt-get install apache2-bin curl openssl"
            case .lighttpd: "lighttpd is not installed: apt-get install lighttpd lighttpd-mod-webdav curl openssl"
            case .nginx: "nginx is not installed: apt-get install nginx curl openssl"
            case .wsgidav: "WsgiDAV is not installed: .ci/servers all fetches it"
            case .rcloneWebDAV, .rcloneS3: "rclone is not here: .ci/servers fetches it"
            case .seaweedfs: "SeaweedFS is not here: .ci/servers all fetches it"
            }
        }

        /// Whether every machine that checks changes must have the server.
        public var isRequired: Bool { self == .apache || self == .rcloneWebDAV || self == .rcloneS3 }

        /// Whether the server's tests run here. On machines that check changes, no test of a required server is skipped.
        public var isDue: Bool { isInstalled || isRequired && getenv("CI") != nil }

        public var testDescription: String { rawValue }

        private var needs: [String] {
            let openssl = "/usr/bin/openssl"
            let own =
                switch self {
                case .apache: [program, Self.apacheModules + "/mod_dav_fs.so", openssl]
                case .lighttpd: [program, "/usr/lib/lighttpd/mod_webdav.so", openssl]
                case .nginx: [program, openssl]
                case .wsgidav: [program, Self.fetched + "/wsgidav/wsgidav"]
                case .rcloneWebDAV, .rcloneS3, .seaweedfs: [program]
                }
            return own + ["/usr/bin/curl"]
        }

        /// The path of the server's program, installed by Debian or `.ci/servers`.
        var program: String {
            switch self {
            case .apache: "/usr/sbin/apache2"
            case .lighttpd: "/usr/sbin/lighttpd"
            case .nginx: "/usr/sbin/nginx"
            case .wsgidav: "/usr/bin/python3"
            case .rcloneWebDAV, .rcloneS3: Self.fetched + "/rclone"
            case .seaweedfs: Self.fetched + "/weed"
            }
        }

        static let apacheModules = "/usr/lib/apache2/modules"
        static let fetched = Repository.path + "/.build/servers"
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where the server is not installed, except for a required server on a machine that checks changes.
    public static func whereInstalled(_ kind: StorageServer.Kind) -> Self {
        .enabled(if: kind.isDue, kind.isMissing)
    }
}
