package import Glibc

package enum ChildProcess {
    /// Starts a program from PATH with additional environment variables, and discards its output.
    package static func spawn(_ arguments: [String], environment: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let overridden = Set(environment.map { $0.prefix { $0 != "=" } })
        var inherited: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let line = String(cString: text)
            if !overridden.contains(line.prefix { $0 != "=" }) { inherited.append(line) }
            entry += 1
        }
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = (inherited + environment).map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process = pid_t()
        let code = posix_spawnp(&process, arguments[0], &actions, nil, &argv, &envp)
        guard code == 0 else { throw PrivatePulseServer.Failure(description: "\(arguments[0]) cannot be run: \(String(cString: strerror(code)))") }
        return process
    }

    /// Runs a program, and returns its wait status (wait(2)). If it exceeds the time limit, kills the program and throws.
    package static func run(_ arguments: [String], environment: [String], limit seconds: Double = 300) throws -> Int32 {
        let process = try spawn(arguments, environment: environment)
        guard PrivatePulseServer.wait(seconds: seconds, for: { hasEnded(process) }) else {
            end(process, with: SIGKILL)
            throw PrivatePulseServer.Failure(description: "\(arguments.joined(separator: " ")) did not end within \(seconds) s")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Whether a process has ended. The ended process remains a zombie until `end`.
    package static func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info._sifields._sigchld.si_pid != 0
    }

    /// Sends a signal to a process, and waits for its end; kills the process after 30 s.
    package static func end(_ process: pid_t, with signal: Int32) {
        kill(process, signal)
        if signal != SIGKILL, !PrivatePulseServer.wait(seconds: 30, for: { hasEnded(process) }) { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
