import Platform

/// Finds the route of a path: that of a path without variables by one look-up; templates with variables are tried in the order of the routes.
struct Router: Sendable {
    struct Resource: Sendable {
        let segments: [Substring]
        var routes: [Route]

        /// The permitted methods, with HEAD if GET is one of them, and always OPTIONS.
        var allow: String {
            let methods = routes.map(\.method)
            return (methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
        }

        func route(_ method: String) -> Route? {
            let wanted = method == "HEAD" ? "GET" : method
            return routes.first { $0.method == wanted }
        }
    }

    let routes: [Route]
    /// The greatest length of a variable, in bytes of UTF-8; no id of the server is longer.
    static let maximumVariableLength = 256
    private var literal: [String: Resource] = [:]
    private var variable: [Resource] = []

    init(_ routes: [Route]) {
        self.routes = routes
        var order: [String] = []
        var resources: [String: Resource] = [:]
        for route in routes {
            if resources[route.template] == nil {
                order.append(route.template)
                resources[route.template] = Resource(segments: Self.segments(route.template), routes: [])
            }
            resources[route.template]?.routes.append(route)
        }
        for template in order {
            guard let resource = resources[template] else { continue }
            if template.contains("{") { variable.append(resource) } else { literal[template] = resource }
        }
    }

    /// Finds the resource of a path, which is still percent-encoded.
    func find(_ path: String) -> (resource: Resource, variables: [String: String])? {
        if let resource = literal[path] { return (resource, [:]) }
        let segments = Self.segments(path)
        for resource in variable where resource.segments.count == segments.count {
            if let variables = Self.match(resource.segments, segments) { return (resource, variables) }
        }
        return nil
    }

    private static func segments(_ path: String) -> [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }

    private static func match(_ template: [Substring], _ path: [Substring]) -> [String: String]? {
        var variables: [String: String] = [:]
        for (wanted, given) in zip(template, path) {
            if wanted.first == "{" {
                guard let value = PercentEncoding.decoded(given), (1...maximumVariableLength).contains(value.utf8.count) else { return nil }
                variables[String(wanted.dropFirst().dropLast())] = value
            } else if wanted != given {
                return nil
            }
        }
        return variables
    }
}
