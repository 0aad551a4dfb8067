import Glibc
import Platform

/// How each server is configured and started: in the foreground, as one process that writes only to its own folders.
extension StorageServer {
    var command: (program: String, arguments: [String], environment: [String]) {
        let program = kind.program
        switch kind {
        case .apache:
            let arguments = ["-f", configuration, "-X"]
            guard isRoot else { return (program, arguments, []) }
            // Apache does not serve as root. A change of the user removes the parent-death signal that ties the server to this process,
            // so the server is tied again.
            let asNobody = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
            return ("/usr/bin/setpriv", asNobody + Child.tied(program) + arguments, [])
        case .lighttpd: return (program, ["-D", "-f", configuration], [])
        case .nginx: return (program, ["-e", "stderr", "-p", own, "-c", configuration], [])
        case .wsgidav:
            let python = ["PYTHONPATH=" + Kind.fetched + "/wsgidav", "PYTHONDONTWRITEBYTECODE=1"]
            return (program, ["-m", "wsgidav.server.server_cli", "--config", configuration], python)
        case .rcloneWebDAV: return (program, ["serve", "webdav"] + rclone + ["--user", user, "--pass", password], [])
        case .rcloneS3: return (program, ["serve", "s3"] + rclone + ["--auth-key", user + "," + password], [])
        case .seaweedfs: return (program, ["server"] + seaweed, [])
        }
    }

    /// Writes the server's configuration.
    func configure() async throws {
        switch kind {
        case .apache: try await write(apache, withPasswords: true)
        case .lighttpd: try await write(lighttpd, withPasswords: true)
        case .nginx: try await write(nginx, withPasswords: true)
        case .wsgidav: try await write(wsgidav)
        case .seaweedfs: try await write(keys)
        case .rcloneWebDAV, .rcloneS3: break
        }
    }

    /// If Apache was started by root, it serves as another user: makes this user the owner of all files, including the files that a test
    /// created.
    func giveAway() async throws {
        guard kind == .apache, isRoot else { return }
        let giving = try await Program.run("/bin/chown", ["-R", "nobody:nogroup", place.path])
        guard giving.exit == .code(0) else { throw Failure(description: giving.messages) }
    }

    /// Removes the sockets that SeaweedFS leaves outside its folders.
    func removeSockets() {
        guard kind == .seaweedfs else { return }
        for part in ["master", "volume", "filer", "s3"] {
            for port in otherPorts { unlink("/tmp/seaweedfs-\(part)-grpc-\(port).sock") }
        }
    }

    private var isRoot: Bool { geteuid() == 0 }
    /// WsgiDAV requires a name with this ending. The other servers accept any name.
    private var configuration: String { own + "/configuration.yaml" }
    private var passwords: String { own + "/passwords" }

    private func write(_ text: String, withPasswords: Bool = false) async throws {
        try AtomicFile.write(text, to: configuration)
        guard withPasswords else { return }
        let hashed = try await Program.run("/usr/bin/openssl", ["passwd", "-apr1", password])
        guard hashed.exit == .code(0) else { throw Failure(description: hashed.messages) }
        try AtomicFile.write(user + ":" + hashed.output, to: passwords)
    }

    private var apache: String {
        let modules = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav", "dav_fs", "autoindex",
        ]
        return """
            ServerRoot "\(own)"
            PidFile process
            Listen 127.0.0.1:\(port)
            ServerName 127.0.0.1
            \(modules.map { "LoadModule \($0)_module \(Kind.apacheModules)/mod_\($0).so" }.joined(separator: "\n"))
            ErrorLog errors
            DavLockDB locks
            DocumentRoot "\(data)"
            <Directory "\(data)">
            Dav On
            AuthType Basic
            AuthName band
            AuthUserFile "\(passwords)"
            Require valid-user
            </Directory>

            """
    }

    /// Assigns a type to every name, as lighttpd's sample configurations do, because lighttpd sends no ETag for a file without a type.
    private var lighttpd: String {
        """
        server.bind = "127.0.0.1"
        server.port = \(port)
        server.document-root = "\(data)"
        server.upload-dirs = ( "\(own)" )
        server.modules = ( "mod_auth", "mod_authn_file", "mod_webdav" )
        mimetype.assign = ( "" => "application/octet-stream" )
        webdav.activate = "enable"
        auth.backend = "htpasswd"
        auth.backend.htpasswd.userfile = "\(passwords)"
        auth.require = ( "/" => ( "method" => "basic", "realm" => "band", "require" => "valid-user" ) )

        """
    }

    /// Uses only the modules that nginx itself includes. They support neither WebDAV listings nor conditional writes.
    private var nginx: String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        return """
            daemon off;
            master_process off;
            pid process;
            error_log stderr;
            events {}
            http {
            access_log off;
            \(temporary.map { "\($0)_temp_path \(own)/\($0);" }.joined(separator: "\n"))
            client_max_body_size 0;
            server {
            listen 127.0.0.1:\(port);
            root "\(data)";
            auth_basic band;
            auth_basic_user_file "\(passwords)";
            location / { dav_methods PUT DELETE MKCOL; create_full_put_path off; }
            }
            }

            """
    }

    private var wsgidav: String {
        """
        host: 127.0.0.1
        port: \(port)
        provider_mapping: {"/": "\(data)"}
        simple_dc: {user_mapping: {"*": {"\(user)": {"password": "\(password)"}}}}
        http_authenticator: {accept_basic: true, accept_digest: false, default_to_digest: false}
        dir_browser: {enable: false}
        verbose: 1

        """
    }

    /// A short cache time makes rclone see files that a test writes to the disk. With a time of zero, rclone would stay busy forever after
    /// it has created a folder.
    private var rclone: [String] {
        [data, "--addr", "127.0.0.1:\(port)", "--dir-cache-time", "1ms", "--config", own + "/rclone.conf"]
    }

    private var keys: String {
        let actions = #"["Admin", "Read", "Write", "List", "Tagging"]"#
        let keys = #"[{"accessKey": "\#(user)", "secretKey": "\#(password)"}]"#
        return #"{"identities": [{"name": "band", "credentials": \#(keys), "actions": \#(actions)}]}"#
    }

    private var seaweed: [String] {
        let ports = zip(
            ["s3.port.grpc", "master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc"],
            otherPorts)
        let here = ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-dir=" + data, "-master.peers=none", "-master.telemetry=false"]
        let small = ["-volume.max=16", "-master.volumeSizeLimitMB=16", "-s3.iam=false", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        let sockets = ["-filer.localSocket=" + own + "/filer", "-s3.localSocket=" + own + "/s3"]
        return here + small + sockets + ports.map { "-\($0)=\($1)" } + ["-filer", "-s3", "-s3.port=\(port)", "-s3.config=" + configuration]
    }
}
